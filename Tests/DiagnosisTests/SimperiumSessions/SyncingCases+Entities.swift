import Wire

@testable import Diagnosis

extension SyncingCases {
    static let three = #"{"id":"a","v":1},{"id":"b","v":1},{"id":"c","v":1}"#

    /// A change of version 5 on top of 1; the client edits this version, and loads the object.
    private static func gap(_ script: inout SessionScript, edits sv: Int) {
        let socket = script.synced()
        script.lose(socket, .server, SessionScript.reported(ev: 5, ccid: "bb01", by: "x"), at: 1)
        script.server(
            socket, SessionScript.reported(sv: 5, ccid: "bb02", cv: "cv5", by: "x"), at: 2)
        let at = sv > 5 ? 4 : 2.2
        script.editAndTell(socket, sv: sv, ccid: "aa02", to: "z", cv: "cv6", at: at)
        fetch(&script, socket, "a.7", at: 6)
    }

    /// One version so many times, each answered with `?`.
    private static func hasty(_ script: inout SessionScript, _ times: Int, pause: Double = 0.01) {
        let socket = bare(&script, #"{"id":"a","v":1}"#)
        for number in 0..<times {
            fetch(&script, socket, "a.1", at: 1 + Double(number) * pause, data: "?")
        }
    }

    /// A client loads three objects, connects again with its cv, which is unknown, and loads these
    /// versions.
    private static func refetch(_ script: inout SessionScript, _ wanted: [String]) {
        let first = bare(&script, three)
        for (number, name) in ["a.1", "b.1", "c.1"].enumerated() {
            fetch(&script, first, name, at: 1 + Double(number))
        }
        script.close(first, at: 5)
        let socket = script.resumed(at: 8, cv: "cv0", answer: "0:cv:?")
        let entries = three.replacing(
            #""c","v":1"#, with: #""c","v":\#(wanted.contains("c.2") ? 2 : 1)"#)
        script.client(socket, "0:i::::100", at: 8.4)
        script.server(socket, #"0:i:{"current":"cv9","index":[\#(entries)]}"#, at: 8.5)
        for (number, name) in wanted.enumerated() {
            fetch(&script, socket, name, at: 9 + Double(number))
        }
    }

    /// A version does not exist, and the client removes the object.
    private static func missing(
        _ script: inout SessionScript, after pause: Double, isChanged: Bool = false,
        hasGap: Bool = false
    ) {
        let socket = bare(&script, #"{"id":"a","v":1}"#)
        fetch(&script, socket, "a.1", at: 1, data: "?")
        if hasGap { script.gap(socket, at: 1.105) }
        if isChanged {
            script.server(socket, SessionScript.reported(by: "x"), at: 1.3)
        }
        let at = 1.1 + pause
        script.client(socket, #"0:c:{"id":"a","o":"-","ccid":"aa01"}"#, at: at)
        script.server(
            socket,
            #"0:c:[{"clientid":"c-1","id":"a","o":"-","sv":1,"ev":2,"cv":"cv2","ccids":["aa01"]}]"#,
            at: at + 0.05)
    }

    static let entities: [RuleCase] = [
        RuleCase(R.truncatedKey, .breaks, "a.b.c is asked for as a") {
            let socket = bare(&$0, #"{"id":"a.b.c","v":3}"#)
            fetch(&$0, socket, "a.3", at: 1, data: "?")
        },
        RuleCase(R.truncatedKey, .behaves, "a.b.c and an a of its own") {
            let socket = bare(&$0, #"{"id":"a.b.c","v":3},{"id":"a","v":3}"#)
            fetch(&$0, socket, "a.b.c.3", at: 1)
            fetch(&$0, socket, "a.3", at: 2)
        } unlike: {
            let socket = bare(&$0, #"{"id":"a.b.c","v":3}"#)
            fetch(&$0, socket, "a.b.c.3", at: 1)
            fetch(&$0, socket, "a.3", at: 2)
        },
        RuleCase(R.truncatedKey, .silent, "a may be on a page that was not seen") {
            let socket = $0.resumed(
                at: 0, answer: SessionScript.reported("a.b.c", sv: 2, cv: "cv1", by: "x"))
            fetch(&$0, socket, "a.3", at: 1)
            fetch(&$0, socket, "a.b.c.3", at: 2)
        } unlike: {
            let socket = bare(&$0, #"{"id":"a.b.c","v":3}"#)
            fetch(&$0, socket, "a.3", at: 1)
            fetch(&$0, socket, "a.b.c.3", at: 2)
        },
        RuleCase(R.notAnnounced, .breaks, "a version of the future") {
            let socket = $0.synced()
            fetch(&$0, socket, "a.9", at: 1, data: "?")
        },
        RuleCase(R.notAnnounced, .behaves, "an old version, and the one after a duplicate") {
            let socket = $0.synced(
                page: #"0:i:{"current":"cv0","index":[{"id":"a","v":7,"d":{"t":"x"}}]}"#)
            fetch(&$0, socket, "a.2", at: 1)
            fetch(&$0, socket, "a.8", at: 2, data: "?")
        },
        RuleCase(R.notAnnounced, .silent, "bytes are missing") {
            let socket = $0.synced()
            $0.gap(socket, at: 0.5)
            fetch(&$0, socket, "a.9", at: 1)
        },
        RuleCase(R.stalled, .breaks, "nothing after ?") {
            let socket = bare(&$0, three)
            fetch(&$0, socket, "a.1", at: 1)
            fetch(&$0, socket, "b.1", at: 2, data: "?")
            $0.beats(socket, from: 15, to: 200)
        },
        RuleCase(R.stalled, .behaves, "the next one after ?") {
            let socket = bare(&$0, three)
            fetch(&$0, socket, "a.1", at: 1)
            fetch(&$0, socket, "b.1", at: 2, data: "?")
            fetch(&$0, socket, "c.1", at: 3)
            $0.beats(socket, from: 15, to: 200)
        },
        RuleCase(R.stalled, .silent, "the client had objects before") {
            let socket = $0.resumed(at: 0, cv: "old", answer: "0:cv:?")
            $0.client(socket, "0:i::::100", at: 0.4)
            $0.server(socket, #"0:i:{"current":"cv0","index":[\#(three)]}"#, at: 0.5)
            fetch(&$0, socket, "a.1", at: 2, data: "?")
            $0.beats(socket, from: 15, to: 200)
        },
        RuleCase(R.flood, .breaks, "600 at once") {
            let entries = (0..<600).map { #"{"id":"k\#($0)","v":1}"# }.joined(separator: ",")
            let socket = bare(&$0, entries, limit: 1000)
            for number in 0..<600 { $0.client(socket, "0:e:k\(number).1", at: 1) }
            for number in 0..<600 {
                $0.server(socket, "0:e:k\(number).1\n{\"data\":{}}", at: 2)
            }
        },
        RuleCase(R.flood, .behaves, "600, 200 at once") {
            let entries = (0..<600).map { #"{"id":"k\#($0)","v":1}"# }.joined(separator: ",")
            let socket = bare(&$0, entries, limit: 1000)
            for number in 0..<600 {
                let at = 1 + Double(number / 200)
                $0.client(socket, "0:e:k\(number).1", at: at)
                $0.server(socket, "0:e:k\(number).1\n{\"data\":{}}", at: at + 0.5)
            }
        },
        RuleCase(R.flood, .silent, "bytes are missing, perhaps the answers") {
            let socket = $0.synced()
            $0.gap(socket, at: 0.5)
            for number in 0..<600 { $0.client(socket, "0:e:k\(number).1", at: 1) }
        },
        RuleCase(R.entityAgain, .breaks, "the same version three times") {
            let socket = bare(&$0, #"{"id":"a","v":1}"#)
            for at in [1.0, 2, 3] { fetch(&$0, socket, "a.1", at: at) }
        },
        RuleCase(R.entityAgain, .breaks, "four times at once, each answered with ?") {
            hasty(&$0, 4)
        },
        RuleCase(R.entityAgain, .behaves, "three times at once") {
            hasty(&$0, 3)
        } unlike: {
            hasty(&$0, 4)
        },
        RuleCase(R.entityAgain, .behaves, "with a pause that grows") {
            hasty(&$0, 4, pause: 1)
        } unlike: {
            hasty(&$0, 4)
        },
        RuleCase(R.entityAgain, .breaks, "loads what it has on its next connection") {
            refetch(&$0, ["a.1", "b.1", "c.1"])
        },
        RuleCase(R.entityAgain, .behaves, "loads what is new on its next connection") {
            refetch(&$0, ["a.1", "c.2"])
        } unlike: {
            refetch(&$0, ["a.1", "b.1", "c.1"])
        },
        RuleCase(R.missingRemoved, .breaks, "removes what has no such version") {
            missing(&$0, after: 0.01)
        },
        RuleCase(R.missingRemoved, .behaves, "the user removes it later") {
            missing(&$0, after: 5)
        } unlike: {
            missing(&$0, after: 0.01)
        },
        RuleCase(R.missingRemoved, .behaves, "another client changed it since") {
            missing(&$0, after: 0.5, isChanged: true)
        } unlike: {
            missing(&$0, after: 0.5)
        },
        RuleCase(R.missingRemoved, .silent, "bytes are missing") {
            missing(&$0, after: 0.01, hasGap: true)
        } unlike: {
            missing(&$0, after: 0.01)
        },
        RuleCase(R.entityAgain, .behaves, "twice, and again after a change") {
            let socket = bare(&$0, #"{"id":"a","v":1}"#)
            for at in [1.0, 2] { fetch(&$0, socket, "a.1", at: at) }
            $0.server(socket, SessionScript.reported(by: "x"), at: 2.5)
            for at in [3.0, 4] { fetch(&$0, socket, "a.1", at: at) }
        },
        RuleCase(R.entityAgain, .silent, "the answers were lost") {
            let socket = bare(&$0, #"{"id":"a","v":1}"#)
            for at in [1.0, 2, 3, 4] {
                $0.client(socket, "0:e:a.1", at: at)
                $0.lose(socket, .server, "0:e:a.1\n{\"data\":{\"t\":\"x\"}}", at: at + 0.1)
            }
        },
        RuleCase(R.notReloaded, .breaks, "a change of 5 on top of 1 and nothing is loaded") {
            let socket = $0.synced()
            $0.lose(socket, .server, SessionScript.reported(ev: 5, ccid: "bb01", by: "x"), at: 1)
            $0.server(
                socket, SessionScript.reported(sv: 5, ccid: "bb02", cv: "cv5", by: "x"), at: 2)
            $0.beats(socket, from: 15, to: 120)
        },
        RuleCase(R.notReloaded, .breaks, "edits what it cannot have") {
            gap(&$0, edits: 6)
        },
        RuleCase(R.notReloaded, .behaves, "edits what it had, and loads the object then") {
            gap(&$0, edits: 1)
        } unlike: {
            gap(&$0, edits: 6)
        },
        RuleCase(R.notReloaded, .behaves, "the object is loaded") {
            let socket = $0.synced()
            $0.lose(socket, .server, SessionScript.reported(ev: 5, ccid: "bb01", by: "x"), at: 1)
            $0.server(
                socket, SessionScript.reported(sv: 5, ccid: "bb02", cv: "cv5", by: "x"), at: 2)
            fetch(&$0, socket, "a.6", at: 20)
            $0.beats(socket, from: 15, to: 120)
        },
        RuleCase(R.notReloaded, .behaves, "merged changes that begin where the client is") {
            let socket = $0.synced()
            $0.server(
                socket, SessionScript.reported(ev: 5, ccid: "bb01", cv: "cv4", by: "x"), at: 1)
            $0.beats(socket, from: 15, to: 120)
        },
        RuleCase(R.notReloaded, .silent, "what the client had is not known") {
            let socket = $0.resumed(at: 0)
            $0.server(
                socket, SessionScript.reported(sv: 5, ccid: "bb02", cv: "cv5", by: "x"), at: 2)
            $0.beats(socket, from: 15, to: 120)
        } unlike: {
            let socket = $0.synced()
            $0.server(
                socket, SessionScript.reported(sv: 5, ccid: "bb02", cv: "cv5", by: "x"), at: 2)
            $0.beats(socket, from: 15, to: 120)
        },
    ]

    static let remote: [RuleCase] = [
        RuleCase(R.indexUnanswered, .breaks, "0:index is not answered") {
            let socket = $0.synced()
            $0.server(socket, "0:index", at: 1)
            $0.beats(socket, from: 15, to: 120)
        },
        RuleCase(R.indexUnanswered, .behaves, "the state follows") {
            let socket = $0.synced()
            $0.server(socket, "0:index", at: 1)
            $0.client(
                socket, #"0:index:{"current":"cv0","index":[{"id":"a","v":1}],"pending":[]}"#, at: 2
            )
            $0.beats(socket, from: 15, to: 120)
        },
        RuleCase(R.indexUnanswered, .silent, "the request was lost") {
            let socket = $0.synced()
            $0.lose(socket, .server, "0:index", at: 1)
            $0.beats(socket, from: 15, to: 120)
        },
        RuleCase(R.logMissing, .breaks, "log:1 and no message") {
            let socket = $0.synced()
            $0.server(socket, "log:1", at: 1)
            $0.beats(socket, from: 15, to: 400)
        },
        RuleCase(R.logMissing, .behaves, "a message follows") {
            let socket = $0.synced()
            $0.server(socket, "log:1", at: 1)
            $0.client(socket, #"log:{"log":"x"}"#, at: 2)
            $0.beats(socket, from: 15, to: 400)
        },
        RuleCase(R.logMissing, .silent, "the connection ends") {
            let socket = $0.synced()
            $0.server(socket, "log:2", at: 1)
            $0.beats(socket, from: 15, to: 200)
            $0.close(socket, at: 200)
        },
        RuleCase(R.logUnasked, .breaks, "logging after log:0") {
            let socket = $0.synced()
            $0.server(socket, "log:1", at: 1)
            $0.client(socket, #"log:{"log":"x"}"#, at: 2)
            $0.server(socket, "log:0", at: 3)
            $0.client(socket, #"log:{"log":"x"}"#, at: 20)
        },
        RuleCase(R.logUnasked, .behaves, "logging that crosses log:0") {
            let socket = $0.synced()
            $0.server(socket, "log:1", at: 1)
            $0.server(socket, "log:0", at: 3)
            $0.client(socket, #"log:{"log":"x"}"#, at: 3.5)
        },
        RuleCase(R.logUnasked, .silent, "bytes are missing, perhaps log:1") {
            let socket = $0.synced()
            $0.gap(socket, at: 0.5)
            $0.client(socket, #"log:{"log":"x"}"#, at: 2)
        },
    ]
}
