import Dissection
import Notation
import Simperium
import Testing
import Wire

@testable import Diagnosis

/// Sessions of clients that behave, words of findings, and what nobody should send.
@Suite struct ChangePlaybookTests {
    private static func number(_ value: Int) -> String { #"{"n":{"o":"r","v":\#(value)}}"# }

    /// Clients that do what the specification asks for.
    private static let good: [@Sendable (inout SessionScript) -> Void] = [
        // An edit and its answer, and the next.
        { script in
            let c = script.ready()
            script.edit(c, "a1", at: 1)
            script.made(c, "a1", at: 1.1)
            let v = SessionScript.delta(
                SessionScript.text + " more", SessionScript.text + " more 😀")
            script.edit(c, "a2", v, sv: 4, at: 2)
            script.made(c, "a2", v, sv: 4, ev: 5, at: 2.1)
        },
        // The server rebases an edit over another client's.
        { script in
            let c = script.ready()
            script.edit(c, "a1", at: 1)
            let remote = SessionScript.delta(SessionScript.text, "!" + SessionScript.text)
            script.made(c, "f1", remote, sv: 3, ev: 4, by: "c-2", at: 1.05)
            let now = "!" + SessionScript.text
            script.made(
                c, "a1", SessionScript.delta(now, now + " more"), sv: 4, ev: 5, at: 1.1)
            script.edit(
                c, "a2", SessionScript.delta(now + " more", now + " more?"), sv: 5, at: 2)
            script.made(
                c, "a2", SessionScript.delta(now + " more", now + " more?"), sv: 5, ev: 6, at: 2.1)
        },
        // The server merges the changes of two clients in its answer to cv.
        { script in
            let c = script.ready()
            script.edit(c, "a1", number(2), at: 1)
            script.close(c, at: 1.1)
            let merged =
                #"{"clientid":"c-1","id":"k","o":"M","v":{"n":{"o":"r","v":7}},"sv":3,"ev":6,"cv":"cv6","ccids":["a1","f1","f2"]}"#
            let again = script.again(at: 2, answer: "[\(merged)]")
            script.edit(again, "a2", number(8), sv: 6, at: 3)
            script.made(again, "a2", number(8), sv: 6, ev: 7, at: 3.1)
        },
        // Removed by one, made anew by another, edited by both.
        { script in
            let c = script.ready()
            script.edit(c, "a1", nil, sv: nil, o: "-", at: 1)
            script.made(c, "a1", nil, sv: 3, ev: 4, o: "-", at: 1.1)
            script.made(
                c, "f1", #"{"n":{"o":"+","v":1}}"#, sv: nil, ev: 5, by: "c-2", at: 2)
            script.edit(c, "a2", number(2), sv: 5, at: 3)
            script.made(c, "a2", number(2), sv: 5, ev: 6, at: 3.1)
        },
        // A lost acknowledgement, the same change once more, and 409.
        { script in
            let c = script.ready()
            script.edit(c, "a1", number(2), at: 1)
            script.lose(
                c, .server,
                "0:c:[" + SessionScript.acknowledgement("a1", number(2), sv: 3, ev: 4) + "]",
                at: 1.1)
            script.close(c, at: 61)
            let again = script.again(at: 63)
            script.edit(again, "a1", number(2), at: 64)
            script.refused(again, "a1", 409, at: 64.1)
            script.client(again, "0:cv:cv1", at: 64.2)
            script.server(
                again,
                "0:c:[" + SessionScript.acknowledgement("a1", number(2), sv: 3, ev: 4) + "]",
                at: 64.3)
            script.edit(again, "a2", number(3), sv: 4, at: 65)
            script.made(again, "a2", number(3), sv: 4, ev: 5, at: 65.1)
            script.beat(again, from: 85, through: 205)
        },
        // A change that Tapedeck took away is sent again on the next connection.
        { script in
            let c = script.ready()
            script.lose(
                c, .client, SessionScript.change("a1", number(2), sv: 3), at: 1)
            script.close(c, at: 61)
            let again = script.again(at: 63)
            script.edit(again, "a1", number(2), at: 64)
            script.made(again, "a1", number(2), at: 64.1)
        },
        // Errors that Tapedeck made, recovered from.
        { script in
            let c = script.ready()
            let whole = SessionScript.object.replacing(#""n":1"#, with: #""n":2"#)
            script.edit(c, "a1", number(2), at: 1)
            script.refused(c, "a1", 440, at: 1.1, made: true)
            script.edit(c, "a1", number(2), d: whole, at: 1.2)
            script.made(c, "a1", number(2), at: 1.3)
            script.edit(c, "a2", number(3), sv: 4, at: 2)
            script.refused(c, "a2", 503, at: 2.1, made: true)
            script.edit(c, "a2", number(3), sv: 4, at: 4)
            script.made(c, "a2", number(3), sv: 4, ev: 5, at: 4.1)
        },
        // The session begins in the middle of the client's life.
        { script in
            let c = script.again(at: 0)
            script.edit(c, "a1", number(2), sv: 17, at: 1)
            script.made(c, "a1", number(2), sv: 17, ev: 18, at: 1.1)
            script.edit(c, "a2", number(3), sv: 18, at: 2)
            script.made(c, "a2", number(3), sv: 18, ev: 19, at: 2.1)
        },
    ]

    @Test(arguments: good.indices) func `a client that behaves is blamed for nothing`(_ place: Int)
    {
        var script = SessionScript()
        Self.good[place](&script)
        let ids = SimperiumChangeRules.all.map(\.id) + SimperiumFindingGroups.rules.map(\.id)
        #expect(script.findings().filter { ids.contains($0.rule.id) }.map(\.detail) == [])
    }

    private func detail(_ write: (inout SessionScript) -> Void) -> [String] {
        var script = SessionScript()
        write(&script)
        return script.findings().map(\.detail)
    }

    @Test func `a delta that counts otherwise is told by what the client counts`() {
        let found = detail { script in
            let c = script.ready(object: #"{"text":"Hello 😀 world"}"#)
            script.edit(c, "a1", #"{"text":{"o":"d","v":"=13\t+x"}}"#, at: 1)
        }
        #expect(
            found == [
                "The delta of text of k at version 3 is for 13 UTF-16 code units, and the text has "
                    + "14: `Hello 😀 world`. It has 13 code points: the client counts those."
            ])
        let bytes = detail { script in
            let c = script.ready(object: #"{"text":"Hello 😀 world"}"#)
            script.edit(c, "a1", #"{"text":{"o":"d","v":"=16\t+x"}}"#, at: 1)
        }
        #expect(bytes.first?.hasSuffix("It has 16 UTF-8 bytes: the client counts those.") == true)
    }

    @Test func `a stale version is told with what the client was shown`() {
        let found = detail { script in
            let c = script.ready()
            script.edit(c, "a1", Self.number(2), at: 1)
            script.made(c, "a1", Self.number(2), at: 1.1)
            script.edit(c, "a2", Self.number(3), sv: 3, at: 2)
        }
        #expect(
            found == [
                "A change of k is for version 3, though the client was informed by the answer to its "
                    + "own change that it is at 4."
            ])
    }

    @Test func `steps lead to the breach in order of time`() throws {
        var script = SessionScript()
        let c = script.ready()
        script.edit(c, "a1", Self.number(2), at: 1)
        script.refused(c, "a1", 409, at: 1.1)
        script.edit(c, "a1", Self.number(2), at: 2)
        let finding = try #require(script.findings().first)
        #expect(finding.topic == "note/k" && finding.client == "c-1")
        #expect(
            finding.steps.prefix(3).map(\.at.nanoseconds) == [
                1_000_000_000, 1_100_000_000, 2_000_000_000,
            ])
        #expect(finding.steps[1].quote.contains(#""error":409"#))
    }

    // MARK: Anything at all

    @Test(arguments: 0..<40) func `anything may come in any order`(_ seed: UInt64) {
        var random = Steps(state: seed)
        var script = SessionScript()
        let sockets = [script.ready(), script.again(at: 0, clientID: "c-1"), script.socket(at: 0)]
        let values = [
            "{}", "[]", "null", SessionScript.append(), #"{"n":{"o":"I","v":1}}"#,
            #"{"text":{"o":"d","v":"=9999999999999999999"}}"#,
            #"{"list":{"o":"L","v":{"0":{"o":"-"}}}}"#,
            #"{"text":{"o":"-"}}"#, #"{"on":{"o":"O","v":{}}}"#, #"{"":{"o":"+","v":{}}}"#,
        ]
        for step in 0..<300 {
            let at = 1 + Double(step) / 3
            let socket = sockets[random.below(3)]
            let ccid = "a\(random.below(6))"
            let v = values[random.below(values.count)]
            let sv = [nil, 3, 4, 5, Int.max, -1][random.below(6)]
            let key = ["k", "l", "", "a b"][random.below(4)]
            let o = ["M", "-", "EMPTY", "x"][random.below(4)]
            switch random.below(9) {
            case 0:
                script.made(socket, ccid, v, sv: sv, ev: random.below(9), key: key, o: o, at: at)
            case 1:
                script.made(
                    socket, "f\(step)", v, sv: sv, ev: random.below(9), key: key, o: o, by: "c-2",
                    at: at)
            case 2:
                let code = [400, 401, 404, 405, 409, 412, 413, 440, 503, 0, -1][random.below(11)]
                script.refused(socket, ccid, code, key: key, at: at, made: random.below(2) == 0)
            case 3: script.server(socket, "0:e:\(key).4\n?", at: at)
            case 4: script.client(socket, "h:\(random.below(4))", at: at)
            case 5: script.server(socket, "h:\(random.below(4))", at: at)
            case 6:
                let bytes = (0..<random.below(40)).map { _ in UInt8(random.below(128)) }
                script.frame(
                    socket, Peer.allCases[random.below(2)], Array("0:c:".utf8) + bytes, at: at)
            default:
                script.edit(
                    socket, ccid, v, sv: sv, key: key, o: o, d: random.below(3) == 0 ? v : nil,
                    at: at)
            }
        }
        for finding in script.findings() {
            #expect(!finding.detail.isEmpty && !finding.steps.isEmpty)
        }
    }

    /// A generator with a seed.
    private struct Steps {
        var state: UInt64

        mutating func below(_ count: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((state >> 33) % UInt64(count))
        }
    }

    @Test func `what is kept is bounded`() {
        var recent = SimperiumChangeRecent<[UInt8]>(most: 1000)
        let names = (0..<10_000).map { SimperiumChangePlace(owner: 0, key: ExactText("\($0)")) }
        for name in names { recent.set(name, [], cost: 1) }
        let known = names.indices.filter { recent.peek(names[$0]) != nil }
        #expect((500...1002).contains(known.count) && known.last == 9999)
        var truth = SimperiumChangeTruth()
        let place = SimperiumChangePlace(owner: 0, key: ExactText("k"))
        for number in 1...10 { truth.store(place, Int64(number), text: Array("{}".utf8)[...]) }
        #expect(!truth.knows(place, 6) && truth.knows(place, 7) && truth.knows(place, 10))
        #expect(truth.value(place, 10) == .object(JSONObject()))
    }
}
