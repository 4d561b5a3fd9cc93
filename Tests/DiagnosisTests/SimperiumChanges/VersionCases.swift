import Wire

@testable import Diagnosis

/// Rules about identifiers and versions.
enum VersionCases {
    typealias R = SimperiumChangeRules

    static let all: [RuleCase] =
        source + behind + inFlight + identifiers + repetition + removal + remote + removed

    /// Changes only in the number, so that several versions are easily made.
    static func number(_ value: Int) -> String { #"{"n":{"o":"r","v":\#(value)}}"# }

    private static let source: [RuleCase] = [
        RuleCase(R.noSource, .breaks, "an edit of an object it has made") { script in
            let c = script.ready()
            script.edit(c, "a1", at: 1)
            script.made(c, "a1", at: 1.1)
            script.edit(c, "a2", #"{"m":{"o":"+","v":1}}"#, sv: nil, at: 2)
        },
        RuleCase(R.noSource, .breaks, "a delta of nothing") { script in
            let c = script.ready()
            script.edit(c, "a1", sv: nil, key: "new", at: 1)
        },
        RuleCase(R.noSource, .behaves, "made anew after a removal") { script in
            let c = script.ready()
            script.edit(c, "a1", nil, sv: nil, o: "-", at: 1)
            script.made(c, "a1", nil, sv: 3, ev: 4, o: "-", at: 1.1)
            script.edit(c, "a2", #"{"m":{"o":"+","v":1}}"#, sv: nil, at: 2)
        },
        RuleCase(R.noSource, .behaves, "made anew after a removal of what is not there") { script in
            let c = script.ready()
            script.edit(c, "a1", nil, sv: nil, o: "-", at: 1)
            script.refused(c, "a1", 404, at: 1.1)
            script.edit(c, "a2", #"{"m":{"o":"+","v":1}}"#, sv: nil, at: 2)
        },
        RuleCase(R.noSource, .behaves, "made anew after an edit of what is not there") { script in
            let c = script.ready()
            script.edit(c, "a1", number(2), at: 1)
            script.refused(c, "a1", 404, at: 1.1)
            script.edit(c, "a2", #"{"m":{"o":"+","v":1}}"#, sv: nil, at: 2)
        },
        RuleCase(R.noSource, .behaves, "made anew after an index without it") { script in
            let c = script.ready()
            script.client(c, "0:i:1:::100", at: 1)
            script.server(c, #"0:i:{"current":"cv9","index":[]}"#, at: 1.1)
            script.edit(c, "a2", #"{"m":{"o":"+","v":1}}"#, sv: nil, at: 3)
        },
        RuleCase(R.noSource, .silent, "another has just made it") { script in
            let c = script.ready()
            let v = #"{"m":{"o":"+","v":1}}"#
            script.made(c, "f1", v, sv: nil, ev: 1, key: "new", by: "c-2", at: 1)
            script.edit(c, "a1", #"{"m":{"o":"+","v":2}}"#, sv: nil, key: "new", at: 1.01)
        },
        RuleCase(R.sourceAhead, .breaks, "counts itself") { script in
            let c = script.ready()
            script.edit(c, "a1", number(2), sv: 4, at: 1)
        },
        RuleCase(R.sourceAhead, .behaves, "the last version") { script in
            let c = script.ready()
            script.edit(c, "a1", number(2), at: 1)
        },
        RuleCase(R.sourceAhead, .silent, "may have known it before") { script in
            let c = script.again(at: 0)
            script.edit(c, "a1", number(2), sv: 9, at: 1)
        },
        RuleCase(
            R.sourceAhead, .silent, "Tapedeck sent it", also: ["simperium.remote.not-reloaded"]
        ) { script in
            let c = script.ready()
            let said =
                "0:c:["
                + SessionScript.acknowledgement("f1", number(7), sv: 3, ev: 4, by: "c-2") + "]"
            script.rule("command:c sender:server => version-gap by=2", at: 1)
            script.server(c, said, at: 1)
            script.edit(c, "a1", number(2), sv: 6, at: 2)
        },
    ]

    /// Edits of the number, each for `sv`, that are made one after the other.
    private static func stale(_ script: inout SessionScript, _ versions: [Int]) {
        let c = script.ready()
        for (index, sv) in versions.enumerated() {
            let at = Double(index + 1)
            let v = number(10 + index)
            script.edit(c, "a\(index)", v, sv: sv, at: at)
            script.made(c, "a\(index)", v, sv: 3 + index, ev: 4 + index, at: at + 0.1)
        }
    }

    private static func foreign(
        _ script: inout SessionScript, wait: Double, isSlow: Bool = false, opens: Double = 0.1
    ) {
        let c = script.socket(at: 0.1 - opens)
        script.open(c, at: 0.1)
        script.client(c, "0:i:1:::100", at: 0.2)
        script.server(
            c, #"0:i:{"current":"cv1","index":[{"id":"k","v":3,"d":\#(SessionScript.object)}]}"#,
            at: 0.3)
        script.made(c, "f1", number(5), ev: 4, by: "c-2", at: 1)
        if isSlow { script.act(c, "latency 60s sender=server", at: 0.5) }
        script.beat(c, from: 5, through: 45)
        script.edit(c, "a1", number(6), sv: 3, at: 1 + wait)
        script.made(c, "a1", number(6), sv: 4, ev: 5, at: 1.1 + wait)
    }

    private static func late(_ script: inout SessionScript, sv: Int, isLost: Bool = false) {
        let c = script.ready()
        script.client(c, "0:e:k.3", at: 1)
        script.edit(c, "a1", number(5), at: 1.1)
        script.made(c, "a1", number(5), ev: 4, at: 1.2)
        let entity = "0:e:k.3\n" + #"{"data":\#(SessionScript.object)}"#
        if isLost {
            script.lose(c, .server, entity, at: 1.3)
        } else {
            script.server(c, entity, at: 1.3)
        }
        script.edit(c, "a2", number(6), sv: sv, at: 2)
    }

    /// A change is not answered, and the client reads the index anew, where the object is further on.
    private static func overtaken(
        _ script: inout SessionScript, isPending: Bool
    ) -> ConnectionID {
        let before = script.ready()
        if isPending { script.edit(before, "a1", number(5), at: 1) }
        script.close(before, at: 2)
        let c = script.socket(at: 3)
        script.open(c, at: 3.1)
        script.client(c, "0:i:1:::100", at: 3.2)
        script.server(
            c, #"0:i:{"current":"cv4","index":[{"id":"k","v":4,"d":\#(SessionScript.object)}]}"#,
            at: 3.3)
        script.beat(c, from: 5, through: 45)
        return c
    }

    private static let behind: [RuleCase] = [
        RuleCase(R.sourceBehind, .breaks, "after its own acknowledgement") { stale(&$0, [3, 3]) },
        RuleCase(R.sourceBehind, .breaks, "long after a remote change") { foreign(&$0, wait: 50) },
        RuleCase(R.sourceBehind, .breaks, "two seconds after a remote change") {
            foreign(&$0, wait: 2)
        },
        RuleCase(R.sourceBehind, .silent, "two seconds, of a client that is slow to begin") {
            foreign(&$0, wait: 2, opens: 1)
        } unlike: {
            foreign(&$0, wait: 2)
        },
        RuleCase(R.sourceBehind, .behaves, "follows") { stale(&$0, [3, 4, 5]) },
        RuleCase(R.sourceBehind, .behaves, "sends an old change again") { script in
            let c = overtaken(&script, isPending: true)
            script.edit(c, "a1", number(5), at: 60)
            script.made(c, "a1", number(5), sv: 4, ev: 5, at: 60.1)
        } unlike: { script in
            let c = overtaken(&script, isPending: false)
            script.edit(c, "a1", number(5), at: 60)
            script.made(c, "a1", number(5), sv: 4, ev: 5, at: 60.1)
        },
        RuleCase(R.sourceBehind, .silent, "may not have got it") { foreign(&$0, wait: 0.5) },
        RuleCase(R.sourceBehind, .silent, "Tapedeck holds bytes back") {
            foreign(&$0, wait: 50, isSlow: true)
        },
        RuleCase(R.stuckSource, .breaks, "four times") { stale(&$0, [3, 3, 3, 3]) },
        RuleCase(
            R.stuckSource, .behaves, "once and then right", also: ["simperium.change.sv-behind"]
        ) { stale(&$0, [3, 3, 5, 6]) },
        RuleCase(R.stuckSource, .silent, "bytes are missing") { script in
            let c = script.ready()
            script.gap(c, at: 0.5)
            for index in 0..<4 {
                let at = Double(index + 1)
                script.edit(c, "a\(index)", number(10 + index), at: at)
                script.made(
                    c, "a\(index)", number(10 + index), sv: 3 + index, ev: 4 + index, at: at + 0.1)
            }
        },
        RuleCase(R.lateEntity, .breaks, "goes on from the old version") { late(&$0, sv: 3) },
        RuleCase(R.lateEntity, .behaves, "keeps the newer") { late(&$0, sv: 4) },
        RuleCase(R.lateEntity, .silent, "the answer was lost", also: ["simperium.change.sv-behind"])
        {
            late(&$0, sv: 3, isLost: true)
        },
    ]

    private static let inFlight: [RuleCase] = [
        RuleCase(R.secondInFlight, .breaks, "does not wait") { script in
            let c = script.ready()
            script.edit(c, "a1", number(2), at: 1)
            script.edit(c, "a2", number(3), at: 2)
        },
        RuleCase(R.secondInFlight, .behaves, "another object") { script in
            let c = script.ready()
            script.edit(c, "a1", number(2), at: 1)
            script.edit(c, "a2", #"{"n":{"o":"+","v":1}}"#, sv: nil, key: "l", at: 2)
        },
        RuleCase(R.secondInFlight, .behaves, "the first was refused") { script in
            let c = script.ready()
            script.edit(c, "a1", number(2), at: 1)
            script.refused(c, "a1", 400, at: 1.1)
            script.edit(c, "a2", number(3), at: 2)
        },
        RuleCase(R.secondInFlight, .silent, "bytes are missing") { script in
            let c = script.ready()
            script.edit(c, "a1", number(2), at: 1)
            script.gap(c, at: 1.5)
            script.edit(c, "a2", number(3), at: 2)
        },
        RuleCase(R.secondInFlight, .silent, "Tapedeck lost the answer") { script in
            let c = script.ready()
            script.edit(c, "a1", number(2), at: 1)
            script.lose(
                c, .server,
                "0:c:[" + SessionScript.acknowledgement("a1", number(2), sv: 3, ev: 4) + "]",
                at: 1.1)
            script.edit(c, "a2", number(3), at: 70)
        } unlike: { script in
            let c = script.ready()
            script.edit(c, "a1", number(2), at: 1)
            script.edit(c, "a2", number(3), at: 70)
        },
        RuleCase(R.foreignAnswer, .breaks, "right after another's") { script in
            let c = script.ready()
            script.edit(c, "a1", number(2), at: 1)
            script.made(c, "f1", number(7), sv: nil, ev: 1, key: "l", by: "c-2", at: 1.5)
            script.edit(c, "a2", number(3), at: 1.51)
        },
        RuleCase(R.foreignAnswer, .behaves, "after its own") { script in
            let c = script.ready()
            script.edit(c, "a1", number(2), at: 1)
            script.made(c, "f1", number(7), sv: nil, ev: 1, key: "l", by: "c-2", at: 1.5)
            script.made(c, "a1", number(2), at: 1.505)
            script.edit(c, "a2", number(3), sv: 4, at: 1.51)
        },
        RuleCase(R.foreignAnswer, .silent, "bytes are missing") { script in
            let c = script.ready()
            script.edit(c, "a1", number(2), at: 1)
            script.gap(c, at: 1.2)
            script.made(c, "f1", number(7), sv: nil, ev: 1, key: "l", by: "c-2", at: 1.5)
            script.edit(c, "a2", number(3), at: 1.51)
        },
        RuleCase(R.removeWhilePending, .breaks, "does not wait") { script in
            let c = script.ready()
            script.edit(c, "a1", number(2), at: 1)
            script.edit(c, "a2", nil, sv: nil, o: "-", at: 2)
        },
        RuleCase(R.removeWhilePending, .behaves, "waits") { script in
            let c = script.ready()
            script.edit(c, "a1", number(2), at: 1)
            script.made(c, "a1", number(2), at: 1.1)
            script.edit(c, "a2", nil, sv: nil, o: "-", at: 2)
        },
        RuleCase(R.removeWhilePending, .silent, "bytes are missing") { script in
            let c = script.ready()
            script.edit(c, "a1", number(2), at: 1)
            script.gap(c, at: 1.2)
            script.edit(c, "a2", nil, sv: nil, o: "-", at: 2)
        },
        RuleCase(R.removeRefused, .breaks, "the schema") { script in
            let c = script.ready()
            script.edit(c, "a1", nil, sv: nil, o: "-", at: 1)
            script.refused(c, "a1", 400, at: 1.1)
        },
        RuleCase(R.removeRefused, .behaves, "it is removed") { script in
            let c = script.ready()
            script.edit(c, "a1", nil, sv: nil, o: "-", at: 1)
            script.made(c, "a1", nil, sv: 3, ev: 4, o: "-", at: 1.1)
        },
        RuleCase(R.removeRefused, .silent, "the removal was not seen") { script in
            let c = script.ready()
            script.refused(c, "a1", 400, at: 1.1)
        },
    ]

    /// A change is not answered, and the client connects again.
    private static func cut(
        _ script: inout SessionScript, hasGap: Bool = false, isReported: Bool = false
    ) -> ConnectionID {
        let c = script.ready()
        script.edit(c, "a1", number(2), at: 1)
        if hasGap { script.gap(c, at: 1.5) }
        script.close(c, at: 2)
        let change = SessionScript.acknowledgement("a1", number(2), sv: 3, ev: 4)
        return script.again(at: 3, answer: isReported ? "[\(change)]" : "[]")
    }

    /// An acknowledgement is lost, and the change is sent again.
    private static func sendTwice(_ script: inout SessionScript, _ ccid: String) {
        let c = script.ready()
        script.edit(c, "a1", number(2), at: 1)
        script.rule("command:c sender:server => drop", at: 1.1)
        script.made(c, "a1", number(2), at: 1.1)
        script.edit(c, ccid, number(2), at: 8)
    }

    private static let identifiers: [RuleCase] = [
        RuleCase(R.resentUnderNewCCID, .breaks, "another ccid") { script in
            let c = cut(&script)
            script.edit(c, "a2", number(2), at: 4)
            script.made(c, "a2", number(2), at: 4.1)
        },
        RuleCase(R.resentUnderNewCCID, .breaks, "on the same connection") {
            sendTwice(&$0, "a2")
        },
        RuleCase(R.resentUnderNewCCID, .behaves, "the same ccid on the same connection") {
            sendTwice(&$0, "a1")
        },
        RuleCase(R.resentUnderNewCCID, .behaves, "the same ccid") { script in
            let c = cut(&script)
            script.edit(c, "a1", number(2), at: 4)
            script.made(c, "a1", number(2), at: 4.1)
        },
        RuleCase(R.resentUnderNewCCID, .behaves, "it was told that it was made") { script in
            let c = cut(&script, isReported: true)
            script.edit(c, "a2", number(5), sv: 4, at: 4)
        },
        RuleCase(R.resentUnderNewCCID, .silent, "bytes are missing") { script in
            let c = cut(&script, hasGap: true)
            script.edit(c, "a2", number(2), at: 4)
        },
        RuleCase(R.ccidWithOtherContent, .breaks, "made anew") { script in
            let c = cut(&script)
            script.edit(c, "a1", number(9), at: 4)
        },
        RuleCase(R.ccidWithOtherContent, .behaves, "other spaces") { script in
            let c = cut(&script)
            script.edit(c, "a1", #"{"n": {"v": 2, "o": "r"}}"#, at: 4)
        },
        RuleCase(R.ccidWithOtherContent, .behaves, "the whole object after 440") { script in
            let c = script.ready()
            script.edit(c, "a1", number(2), at: 1)
            script.refused(c, "a1", 440, at: 1.1)
            let d = SessionScript.object.replacing(#""n":1"#, with: #""n":2"#)
            script.edit(c, "a1", number(2), d: d, at: 1.2)
        },
        RuleCase(R.ccidWithOtherContent, .silent, "the first was not captured") { script in
            let c = script.again(at: 3)
            script.edit(c, "a1", number(9), at: 4)
        } unlike: { script in
            let c = cut(&script)
            script.edit(c, "a1", number(9), at: 4)
        },
        RuleCase(R.ccidOfAnotherObject, .breaks, "two objects") { script in
            let c = script.ready()
            script.edit(c, "a1", number(2), at: 1)
            script.made(c, "a1", number(2), at: 1.1)
            script.edit(c, "a1", #"{"n":{"o":"+","v":1}}"#, sv: nil, key: "l", at: 2)
        },
        RuleCase(R.ccidOfAnotherObject, .behaves, "two clients") { script in
            let c = script.ready()
            script.edit(c, "a1", number(2), at: 1)
            script.made(c, "a1", number(2), at: 1.1)
            let other = script.ready(at: 2, clientID: "c-2", hasData: false)
            script.edit(other, "a1", #"{"n":{"o":"+","v":1}}"#, sv: nil, key: "l", at: 3)
        },
        RuleCase(R.ccidOfAnotherObject, .silent, "Tapedeck sent the other") { script in
            let c = script.ready()
            script.edit(c, "a1", number(2), at: 1)
            script.made(c, "a1", number(2), at: 1.1)
            script.inject(
                c, .client,
                SessionScript.change("a1", #"{"n":{"o":"+","v":1}}"#, sv: nil, key: "l"), at: 2)
        },
        RuleCase(R.ccidReused, .breaks, "another edit") { script in
            let c = script.ready()
            script.edit(c, "a1", number(2), at: 1)
            script.made(c, "a1", number(2), at: 1.1)
            script.edit(c, "a1", number(3), sv: 4, at: 2)
        },
        RuleCase(R.ccidReused, .behaves, "did not wait long enough") { script in
            let c = script.ready()
            script.edit(c, "a1", number(2), at: 1)
            script.made(c, "a1", number(2), at: 6)
            script.edit(c, "a1", number(2), at: 6.01)
        },
        RuleCase(R.ccidReused, .silent, "the connection ended") { script in
            let c = script.ready()
            script.edit(c, "a1", number(2), at: 1)
            script.made(c, "a1", number(2), at: 1.1)
            script.close(c, at: 1.2)
            let again = script.again(at: 3)
            script.edit(again, "a1", number(2), at: 4)
        } unlike: { script in
            let c = script.ready()
            script.edit(c, "a1", number(2), at: 1)
            script.made(c, "a1", number(2), at: 1.1)
            script.edit(c, "a1", number(2), at: 4)
        },
    ]
}
