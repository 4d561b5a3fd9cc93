import Wire

@testable import Diagnosis

/// Cases of rules about the index, change versions, entities and what a server asks of a client.
enum SyncingCases {
    typealias R = SimperiumSessionRules

    static let all: [RuleCase] = changes + index + pages + versions + entities + remote

    /// The same cv again, half a second after the server did not know it; the bucket is opened so many
    /// seconds after the socket.
    private static func afterUnknown(_ script: inout SessionScript, opens: Double) {
        let socket = script.socket(at: 0)
        script.open(socket, at: opens)
        script.client(socket, "0:cv:old", at: opens + 0.1)
        script.server(socket, "0:cv:?", at: opens + 0.2)
        script.client(socket, "0:cv:old", at: opens + 0.7)
        script.server(socket, "0:cv:?", at: opens + 0.8)
        script.client(socket, "0:i:1:::100", at: opens + 0.9)
        script.server(socket, SessionScript.page, at: opens + 1)
    }

    /// A change, and another connection with the cv before it.
    private static func returning(_ script: inout SessionScript, at time: Double) {
        let socket = script.synced()
        script.editAndTell(socket, at: time)
        script.close(socket, at: 10)
        script.resumed(at: 12, cv: "cv0", answer: SessionScript.reported())
    }

    static let changes: [RuleCase] = [
        RuleCase(R.changeBeforeIndex, .breaks, "an edit right after auth") {
            let socket = $0.socket(at: 0)
            $0.open(socket, at: 0.1)
            $0.client(socket, "0:i:1:::100", at: 0.2)
            $0.client(
                socket,
                #"0:c:{"id":"n","o":"M","v":{"t":{"o":"+","v":"y"}},"ccid":"aa01"}"#, at: 0.25)
            $0.server(socket, SessionScript.page, at: 0.3)
            $0.server(
                socket,
                #"0:c:[{"clientid":"c-1","id":"n","o":"M","ev":1,"v":{"t":{"o":"+","v":"y"}},"cv":"cv1","ccids":["aa01"]}]"#,
                at: 0.4)
        },
        RuleCase(R.changeBeforeIndex, .behaves, "an edit after the last page") {
            let socket = $0.synced()
            $0.editAndTell(socket, at: 0.4)
        },
        RuleCase(R.changeBeforeIndex, .behaves, "an edit while the index is read again") {
            let socket = $0.synced()
            $0.client(socket, "0:i:1:::100", at: 1)
            $0.editAndTell(socket, at: 1.1)
            $0.server(socket, SessionScript.page, at: 1.3)
        },
        RuleCase(R.changeBeforeIndex, .silent, "bytes are missing where the page may have been") {
            let socket = $0.socket(at: 0)
            $0.open(socket, at: 0.1)
            $0.gap(socket, at: 0.3)
            $0.editAndTell(socket, at: 1)
        },
        RuleCase(R.resendBeforeCV, .breaks, "the queue starts before cv") {
            let socket = $0.synced()
            $0.client(socket, SessionScript.sent(), at: 1)
            $0.close(socket, at: 2)
            let again = $0.socket(at: 10)
            $0.open(again, at: 10.1)
            $0.client(again, SessionScript.sent(), at: 10.2)
            $0.client(again, "0:cv:cv0", at: 10.21)
            $0.server(again, SessionScript.reported(), at: 10.3)
            $0.server(again, SessionScript.reported(), at: 10.4)
        },
        RuleCase(R.resendBeforeCV, .behaves, "the queue starts after the answer") {
            let socket = $0.synced()
            $0.client(socket, SessionScript.sent(), at: 1)
            $0.close(socket, at: 2)
            let again = $0.resumed(at: 10)
            $0.client(again, SessionScript.sent(), at: 11)
            $0.server(again, SessionScript.reported(), at: 11.1)
        },
        RuleCase(R.resendBeforeCV, .silent, "bytes are missing") {
            let socket = $0.synced()
            $0.client(socket, SessionScript.sent(), at: 1)
            $0.close(socket, at: 2)
            let again = $0.socket(at: 10)
            $0.open(again, at: 10.1)
            $0.gap(again, at: 10.15)
            $0.client(again, SessionScript.sent(), at: 10.2)
            $0.server(again, SessionScript.reported(), at: 10.3)
        },
    ]

    static func page(_ number: Int, mark: String?) -> String {
        #"0:i:{"current":"cv0","index":[{"id":"k\#(number)","v":1,"d":{"t":"x"}}]\#(mark.map { ",\"mark\":\"\($0)\"" } ?? "")}"#
    }

    static func opened(_ script: inout SessionScript) -> ConnectionID {
        let socket = script.socket(at: 0)
        script.open(socket, at: 0.1)
        script.client(socket, "0:i:1:::1", at: 0.2)
        script.server(socket, page(1, mark: "m1"), at: 0.3)
        return socket
    }

    static let pages: [RuleCase] = [
        RuleCase(R.unknownMark, .breaks, "a mark of nobody") {
            let socket = opened(&$0)
            $0.client(socket, "0:i:1:mm::1", at: 0.4)
            $0.server(socket, "0:i:?", at: 0.5)
        },
        RuleCase(R.unknownMark, .behaves, "the mark of the page") {
            let socket = opened(&$0)
            $0.client(socket, "0:i:1:m1::1", at: 0.4)
            $0.server(socket, page(2, mark: nil), at: 0.5)
        },
        RuleCase(R.unknownMark, .silent, "bytes are missing") {
            let socket = opened(&$0)
            $0.gap(socket, at: 0.35)
            $0.client(socket, "0:i:1:mm::1", at: 0.4)
        },
        RuleCase(R.unknownMark, .silent, "a number may be an offset") {
            let socket = opened(&$0)
            $0.client(socket, "0:i:1:1::1", at: 0.4)
            $0.server(socket, page(2, mark: nil), at: 0.5)
        },
        RuleCase(R.pageAgain, .breaks, "the first mark again and again") {
            let socket = opened(&$0)
            $0.client(socket, "0:i:1:m1::1", at: 0.4)
            $0.server(socket, page(2, mark: "m2"), at: 0.5)
            $0.client(socket, "0:i:1:m1::1", at: 0.6)
            $0.server(socket, page(2, mark: "m2"), at: 0.7)
            $0.close(socket, at: 1)
        },
        RuleCase(R.pageAgain, .breaks, "the first page again and again") {
            let socket = opened(&$0)
            for number in 0..<4 {
                $0.client(socket, "0:i:1:::1", at: 0.4 + Double(number))
                $0.server(socket, page(1, mark: "m1"), at: 0.5 + Double(number))
            }
            $0.close(socket, at: 6)
        },
        RuleCase(R.pageAgain, .behaves, "each mark once") {
            let socket = opened(&$0)
            $0.client(socket, "0:i:1:m1::1", at: 0.4)
            $0.server(socket, page(2, mark: "m2"), at: 0.5)
            $0.client(socket, "0:i:1:m2::1", at: 0.6)
            $0.server(socket, page(3, mark: nil), at: 0.7)
        },
        RuleCase(R.pageAgain, .silent, "the page was lost") {
            let socket = opened(&$0)
            $0.client(socket, "0:i:1:m1::1", at: 0.4)
            $0.lose(socket, .server, page(2, mark: "m2"), at: 0.5)
            $0.client(socket, "0:i:1:m1::1", at: 0.6)
            $0.server(socket, page(2, mark: nil), at: 0.7)
        },
        RuleCase(R.unfinished, .breaks, "the mark is not looked at") {
            let socket = opened(&$0)
            $0.beats(socket, from: 15, to: 200)
        },
        RuleCase(R.unfinished, .behaves, "the next page late, after the entities of the first") {
            let socket = $0.socket(at: 0)
            $0.open(socket, at: 0.1)
            $0.client(socket, "0:i::::1", at: 0.2)
            $0.server(
                socket, #"0:i:{"current":"cv0","index":[{"id":"k1","v":1}],"mark":"m1"}"#, at: 0.3)
            $0.beats(socket, from: 15, to: 200)
            $0.client(socket, "0:e:k1.1", at: 100)
            $0.server(socket, "0:e:k1.1\n{\"data\":{\"t\":\"x\"}}", at: 100.1)
            $0.client(socket, "0:i::m1::1", at: 150)
            $0.server(socket, #"0:i:{"current":"cv0","index":[]}"#, at: 150.1)
        },
        RuleCase(R.unfinished, .silent, "the client says nothing any more") {
            _ = opened(&$0)
        } unlike: {
            let socket = opened(&$0)
            $0.beats(socket, from: 15, to: 200)
        },
        RuleCase(R.unfinished, .silent, "the page was lost") {
            let socket = $0.socket(at: 0)
            $0.open(socket, at: 0.1)
            $0.client(socket, "0:i:1:::1", at: 0.2)
            $0.lose(socket, .server, page(1, mark: "m1"), at: 0.3)
            $0.beats(socket, from: 15, to: 200)
        },
    ]

    /// `cv:?` after the first page of an index.
    private static func inTheMiddle(_ script: inout SessionScript, _ first: String) {
        let socket = script.socket(at: 0)
        script.open(socket, at: 0.1)
        script.client(socket, "0:i:1:::1", at: 0.2)
        script.server(socket, first, at: 0.25)
        script.client(socket, "0:cv:old", at: 0.3)
        script.server(socket, "0:cv:?", at: 0.35)
        if first.contains("mark") {
            script.client(socket, "0:i:1:m1::1", at: 0.4)
            script.server(socket, page(2, mark: nil), at: 0.5)
        }
        script.beats(socket, from: 15, to: 120)
    }

    static let versions: [RuleCase] = [
        RuleCase(R.unknownIgnored, .breaks, "cv:? and nothing follows") {
            let socket = $0.resumed(at: 0, cv: "old", answer: "0:cv:?")
            $0.beats(socket, from: 15, to: 120)
        },
        RuleCase(R.unknownIgnored, .breaks, "Tapedeck said cv:?, which is the same to the client") {
            let socket = $0.socket(at: 0)
            $0.open(socket, at: 0.1)
            $0.rule("command:cv => cv-unknown")
            $0.client(socket, "0:cv:old", at: 0.2)
            $0.beats(socket, from: 15, to: 120)
        },
        RuleCase(
            R.unknownIgnored, .breaks, "cv:? and a change",
            also: ["simperium.session.change-before-index"]
        ) {
            let socket = $0.resumed(at: 0, cv: "old", answer: "0:cv:?")
            $0.editAndTell(socket, at: 8)
            $0.editAndTell(socket, sv: 2, ccid: "aa02", to: "z", cv: "cv2", at: 12)
        },
        RuleCase(R.unknownIgnored, .behaves, "a change right after the index was requested") {
            let socket = $0.resumed(at: 0, cv: "cv0", answer: "0:c:[]")
            $0.client(socket, "0:cv:old", at: 1)
            $0.server(socket, "0:cv:?", at: 1.1)
            $0.client(socket, "0:i:1:::100", at: 6)
            $0.server(socket, SessionScript.page, at: 6.1)
            $0.editAndTell(socket, at: 8)
        } unlike: {
            let socket = $0.resumed(at: 0, cv: "cv0", answer: "0:c:[]")
            $0.client(socket, "0:cv:old", at: 1)
            $0.server(socket, "0:cv:?", at: 1.1)
            $0.editAndTell(socket, at: 8)
        },
        RuleCase(R.unknownIgnored, .behaves, "the index follows") {
            let socket = $0.resumed(at: 0, cv: "old", answer: "0:cv:?")
            $0.client(socket, "0:i:1:::100", at: 10)
            $0.server(socket, SessionScript.page, at: 10.1)
            $0.beats(socket, from: 15, to: 120)
        },
        RuleCase(R.unknownIgnored, .behaves, "the index was being read") {
            inTheMiddle(&$0, page(1, mark: "m1"))
        } unlike: {
            inTheMiddle(&$0, page(1, mark: nil))
        },
        RuleCase(R.unknownIgnored, .silent, "the client falls silent") {
            $0.resumed(at: 0, cv: "old", answer: "0:cv:?")
        } unlike: {
            let socket = $0.resumed(at: 0, cv: "old", answer: "0:cv:?")
            $0.beats(socket, from: 15, to: 120)
        },
        RuleCase(R.unknownIgnored, .silent, "the answer was lost") {
            let socket = $0.socket(at: 0)
            $0.open(socket, at: 0.1)
            $0.client(socket, "0:cv:old", at: 0.2)
            $0.lose(socket, .server, "0:cv:?", at: 0.3)
            $0.beats(socket, from: 15, to: 120)
        },
        RuleCase(R.unknownRepeated, .breaks, "the same cv again") {
            let socket = $0.resumed(at: 0, cv: "old", answer: "0:cv:?")
            $0.client(socket, "0:cv:old", at: 10)
            $0.server(socket, "0:cv:?", at: 10.1)
        },
        RuleCase(R.unknownRepeated, .breaks, "the same cv on the next connection") {
            let socket = $0.resumed(at: 0, cv: "old", answer: "0:cv:?")
            $0.beat(socket, at: 9)
            $0.close(socket, at: 10)
            $0.resumed(at: 12, cv: "old", answer: "0:cv:?")
        },
        RuleCase(
            R.unknownRepeated, .silent, "the client sent nothing more after the answer",
            also: ["websocket.no-close-frame"]
        ) {
            let socket = $0.resumed(at: 0, cv: "old", answer: "0:cv:?")
            $0.close(socket, at: 10, detail: "reset")
            $0.resumed(at: 12, cv: "old", answer: "0:cv:?")
        } unlike: {
            let socket = $0.resumed(at: 0, cv: "old", answer: "0:cv:?")
            $0.beat(socket, at: 9)
            $0.close(socket, at: 10, detail: "reset")
            $0.resumed(at: 12, cv: "old", answer: "0:cv:?")
        },
        RuleCase(R.unknownRepeated, .behaves, "on the next connection, since the index was cut") {
            let socket = $0.resumed(at: 0, cv: "old", answer: "0:cv:?")
            $0.client(socket, "0:i:1:::100", at: 9)
            $0.close(socket, at: 10)
            $0.resumed(at: 12, cv: "old", answer: "0:cv:?")
        },
        RuleCase(R.unknownRepeated, .behaves, "the index between") {
            let socket = $0.resumed(at: 0, cv: "old", answer: "0:cv:?")
            $0.client(socket, "0:i:1:::100", at: 1)
            $0.server(socket, SessionScript.page.replacing("cv0", with: "old"), at: 1.1)
            $0.client(socket, "0:cv:old", at: 10)
            $0.server(socket, "0:c:[]", at: 10.1)
        },
        RuleCase(R.unknownRepeated, .silent, "the second crossed the first's answer") {
            let socket = $0.resumed(at: 0, cv: "old", answer: "0:cv:?")
            $0.client(socket, "0:cv:old", at: 0.45)
            $0.server(socket, "0:cv:?", at: 0.5)
            $0.client(socket, "0:i:1:::100", at: 2)
            $0.server(socket, SessionScript.page, at: 2.1)
        },
        RuleCase(R.unknownRepeated, .breaks, "half a second after the answer") {
            let socket = $0.resumed(at: 0, cv: "old", answer: "0:cv:?")
            $0.client(socket, "0:cv:old", at: 0.8)
            $0.server(socket, "0:c:[]", at: 0.9)
        },
        RuleCase(R.unknownRepeated, .silent, "half a second, of a client that is slow to begin") {
            afterUnknown(&$0, opens: 2)
        } unlike: {
            afterUnknown(&$0, opens: 0.1)
        },
        RuleCase(R.notAdvanced, .breaks, "the cv of the index a few seconds later") {
            returning(&$0, at: 3)
        },
        RuleCase(R.notAdvanced, .silent, "the change came a moment before the end") {
            returning(&$0, at: 9.5)
        } unlike: {
            returning(&$0, at: 3)
        },
        RuleCase(R.notAdvanced, .breaks, "the cv of the index after many changes") {
            let socket = $0.synced()
            $0.editAndTell(socket, at: 1)
            $0.editAndTell(socket, sv: 2, ccid: "aa02", to: "z", cv: "cv2", at: 2)
            $0.beats(socket, from: 15, to: 60)
            $0.close(socket, at: 60)
            $0.resumed(
                at: 70, cv: "cv0",
                answer: SessionScript.reported())
        },
        RuleCase(R.notAdvanced, .behaves, "the cv of the last change") {
            let socket = $0.synced()
            $0.editAndTell(socket, at: 1)
            $0.editAndTell(socket, sv: 2, ccid: "aa02", to: "z", cv: "cv2", at: 2)
            $0.beats(socket, from: 15, to: 60)
            $0.close(socket, at: 60)
            $0.resumed(at: 70, cv: "cv2")
        },
        RuleCase(R.notAdvanced, .silent, "the change came as the connection ended") {
            let socket = $0.synced()
            $0.beats(socket, from: 15, to: 60)
            $0.editAndTell(socket, at: 59.5)
            $0.close(socket, at: 60)
            $0.resumed(at: 70, cv: "cv0", answer: SessionScript.reported())
        },
        RuleCase(R.neverIssued, .breaks, "a ccid for a cv") {
            let socket = $0.synced()
            $0.editAndTell(socket, at: 1)
            $0.close(socket, at: 5)
            $0.resumed(at: 10, cv: "aa01", answer: "0:cv:?")
        },
        RuleCase(R.neverIssued, .behaves, "the cv of the change") {
            let socket = $0.synced()
            $0.editAndTell(socket, at: 1)
            $0.close(socket, at: 5)
            $0.resumed(at: 10, cv: "cv1")
        },
        RuleCase(R.neverIssued, .silent, "bytes are missing that may have held it") {
            let socket = $0.synced()
            $0.editAndTell(socket, at: 1)
            $0.gap(socket, at: 3)
            $0.close(socket, at: 5)
            $0.resumed(at: 10, cv: "cvX")
        },
        RuleCase(R.neverIssued, .silent, "the client is older than the session") {
            $0.resumed(at: 0, cv: "cvX")
        } unlike: {
            let socket = $0.synced()
            $0.close(socket, at: 5)
            $0.resumed(at: 10, cv: "cvX")
        },
    ]

    /// A client that reads an index without data.
    static func bare(
        _ script: inout SessionScript, _ entries: String, limit: Int = 100
    ) -> ConnectionID {
        let socket = script.socket(at: 0)
        script.open(socket, at: 0.1)
        script.client(socket, "0:i::::\(limit)", at: 0.2)
        script.server(socket, #"0:i:{"current":"cv0","index":[\#(entries)]}"#, at: 0.3)
        return socket
    }

    static func fetch(
        _ script: inout SessionScript, _ socket: ConnectionID, _ name: String, at: Double,
        data: String = #"{"data":{"t":"x"}}"#
    ) {
        script.client(socket, "0:e:\(name)", at: at)
        script.server(socket, "0:e:\(name)\n\(data)", at: at + 0.01)
    }
}
