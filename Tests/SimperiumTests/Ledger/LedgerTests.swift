import Notation
import Simperium
import Testing
import Wire

struct LedgerTests {
    /// Ledgers that take messages as text.
    private struct Session {
        var ledgers = Ledgers()

        var ledger: Ledger { ledgers["note"] ?? Ledger() }

        mutating func see(_ sender: Peer, _ text: String) {
            ledgers.see(read(text, from: sender), in: Array(text.utf8), bucket: "note")
        }

        func text(_ key: String) -> String? {
            ledger.object(key).map {
                "\($0.version) " + String(decoding: $0.json ?? [], as: UTF8.self)
            }
        }

        func base(_ sender: Peer, _ text: String) -> String? {
            guard case .changes(let changes) = read(text, from: sender).body else { return nil }
            return ledger.base(of: changes[0])?.text()
        }
    }

    private static func changed(
        _ sv: Int?, _ ev: Int, _ value: String, ccid: String = "x"
    ) -> String {
        let source = sv.map { "\"sv\":\($0)," } ?? ""
        return #"0:c:[{"clientid":"c","id":"k","o":"M","v":\#(value),\#(source)"ev":\#(ev),"#
            + #""cv":"cv\#(ev)","ccids":["\#(ccid)"]}]"#
    }

    @Test func `knows objects from pages, entities and changes`() {
        var session = Session()
        session.see(
            .server,
            #"0:i:{"current":"a","index":[{"id":"k","v":2,"d":{"t":"abc"}},{"id":"l","v":1}]}"#)
        #expect(session.text("k") == #"2 {"t":"abc"}"#)
        #expect(session.text("l") == nil)
        session.see(.server, "0:e:l.1\n{\"data\": {\"n\": 1.0}}")
        #expect(session.text("l") == #"1 {"n": 1.0}"#)
        let change = Self.changed(2, 3, #"{"t":{"o":"d","v":"=2\t-1\t+d"}}"#)
        #expect(session.base(.server, change) == #"{"t":"abc"}"#)
        session.see(.server, change)
        #expect(session.text("k") == #"3 {"t":"abd"}"#)
        session.see(.server, "0:e:k.1\n{\"data\":{}}")
        #expect(session.text("k") == #"3 {"t":"abd"}"#)
        session.see(.server, change)
        #expect(session.text("k") == #"3 {"t":"abd"}"#)
        session.see(.server, Self.changed(3, 6, #"{"u":{"o":"+","v":1}}"#))
        #expect(session.text("k") == #"6 {"t":"abd","u":1}"#)
        session.see(
            .server, #"0:c:[{"clientid":"c","id":"k","o":"-","ev":7,"cv":"d","ccids":["z"]}]"#)
        #expect(session.text("k") == nil)
        #expect(session.ledger.count == 1)
    }

    @Test func `a new object begins empty`() {
        var session = Session()
        let change = Self.changed(nil, 1, #"{"t":{"o":"+","v":"new"}}"#)
        #expect(session.base(.server, change) == "{}")
        session.see(.server, change)
        #expect(session.text("k") == #"1 {"t":"new"}"#)
    }

    @Test func `what cannot be computed is not known any more`() {
        var session = Session()
        session.see(.server, "0:e:k.2\n{\"data\":{\"t\":\"abc\"}}")
        let gap = Self.changed(5, 6, #"{"t":{"o":"d","v":"=3\t+d"}}"#)
        #expect(session.base(.server, gap) == nil)
        session.see(.server, gap)
        #expect(session.text("k") == nil)
        session.see(.server, "0:e:k.6\n{\"data\":{\"t\":\"abcd\"}}")
        session.see(.server, Self.changed(6, 7, #"{"t":{"o":"d","v":"=9"}}"#))
        #expect(session.text("k") == nil)
    }

    @Test func `a client's change is pending until it is answered`() {
        var session = Session()
        session.see(.server, "0:e:k.2\n{\"data\":{\"t\":\"abc\"}}")
        let sent = #"0:c:{"id":"k","o":"M","v":{"t":{"o":"d","v":"=3\t+d"}},"sv":2,"ccid":"mine"}"#
        #expect(session.base(.client, sent) == #"{"t":"abc"}"#)
        session.see(.client, sent)
        #expect(session.text("k") == #"2 {"t":"abc"}"#)
        #expect(session.ledger.proposal("k")?.ccid == "mine")
        #expect(session.ledger.proposal("k")?.sv == 2)
        #expect(session.ledger.proposal("k")?.json == Array(#"{"t":"abcd"}"#.utf8))
        session.see(.server, Self.changed(2, 3, #"{"t":{"o":"d","v":"+z\t=3"}}"#, ccid: "other"))
        #expect(session.ledger.proposal("k") != nil)
        session.see(.server, Self.changed(3, 4, #"{"t":{"o":"d","v":"=4\t+d"}}"#, ccid: "mine"))
        #expect(session.text("k") == #"4 {"t":"zabcd"}"#)
        #expect(session.ledger.proposal("k") == nil)
    }

    @Test func `an error ends the pending change and leaves the object`() {
        var session = Session()
        session.see(.server, "0:e:k.2\n{\"data\":{\"t\":1}}")
        session.see(.client, #"0:c:{"id":"k","o":"-","ccid":"gone"}"#)
        #expect(session.ledger.proposal("k")?.isRemoval == true)
        session.see(.server, #"0:c:[{"id":"k","clientid":"c","error":400,"ccids":["gone"]}]"#)
        #expect(session.ledger.proposal("k") == nil)
        #expect(session.text("k") == #"2 {"t":1}"#)
    }

    @Test func `emptying a bucket leaves the others`() {
        var session = Session()
        let entity = "0:e:k.2\n{\"data\":{}}"
        session.see(.server, entity)
        session.ledgers.see(read(entity, from: .server), in: Array(entity.utf8), bucket: "tag")
        session.see(
            .server, #"0:c:[{"clientid":"c","id":"note","o":"EMPTY","cv":"a","ccids":["x"]}]"#)
        #expect(session.text("k") == nil)
        #expect(session.ledgers["tag"]?.object("k")?.version == 2)
    }

    @Test func `the whole object of a change counts`() {
        var session = Session()
        session.see(.client, #"0:c:{"id":"k","o":"M","d":{"a":1},"sv":9,"ccid":"m"}"#)
        #expect(session.ledger.proposal("k")?.json == Array(#"{"a":1}"#.utf8))
    }

    @Test func `ends the work on one command at the limit`() {
        let limits = Ledger.Limits(work: 100)
        var ledger = Ledger(limits: limits)
        func see(_ text: String) {
            ledger.see(read(text, from: .server), in: Array(text.utf8))
        }
        see("0:e:k.0\n{\"data\":{\"text\":\"\(String(repeating: "x", count: 40))\"}}")
        let changes = (1...9).map {
            #"{"id":"k","o":"M","v":{"n\#($0)":{"o":"+","v":1}},"sv":\#($0 - 1),"ev":\#($0)}"#
        }
        see("0:c:[\(changes.prefix(2).joined(separator: ","))]")
        #expect(ledger.object("k")?.version == 2)
        see("0:c:[\(changes.dropFirst(2).joined(separator: ","))]")
        #expect(ledger.object("k") == nil)
    }

    @Test func `stays within its limits and drops what was not touched for longest`() {
        var ledger = Ledger(limits: Ledger.Limits(objects: 3, bytes: 1 << 20))
        func entity(_ key: String, _ version: Int) {
            let text = "0:e:\(key).\(version)\n{\"data\":{\"v\":\(version)}}"
            ledger.see(read(text, from: .server), in: Array(text.utf8))
        }
        for key in ["a", "b", "c"] { entity(key, 1) }
        entity("a", 2)
        entity("d", 1)
        #expect(ledger.count == 3)
        #expect(ledger.evicted == 1)
        #expect(ledger.object("b") == nil)
        #expect(ledger.object("a")?.version == 2)
        for version in 3..<10_000 { entity("a", version) }
        #expect(ledger.count == 3)
        #expect(ledger.object("c") != nil)
        var small = Ledger(limits: Ledger.Limits(objects: 1_000, bytes: 10_000))
        for number in 0..<1_000 {
            let text = "0:e:key\(number).1\n{\"data\":\"\(String(repeating: "x", count: 200))\"}"
            small.see(read(text, from: .server), in: Array(text.utf8))
            #expect(small.bytes <= 10_000)
        }
        #expect(small.count > 10)
        #expect(small.object("key999") != nil)
    }

    @Test func `an old removal is no removal of what came since`() {
        var session = Session()
        session.see(.server, "0:e:k.4\n{\"data\":{\"t\":1}}")
        func removal(_ ev: String) -> String {
            #"0:c:[{"clientid":"c","id":"k","o":"-"\#(ev),"cv":"d","ccids":["z"]}]"#
        }
        session.see(.server, removal(",\"ev\":3"))
        #expect(session.text("k") == #"4 {"t":1}"#)
        session.see(.server, removal(""))
        #expect(session.text("k") == nil)
    }

    @Test func `reports the outcome of each change`() {
        var ledger = Ledger(limits: nil)
        var computed = ComputedChanges(limit: 4)
        func take(_ text: String) -> [Ledger.Outcome] {
            guard case .changes(let changes) = read(text, from: .server).body else { return [] }
            return changes.map { ledger.take($0, in: Array(text.utf8), &computed) }
        }
        let adds = #"{"n":{"o":"+","v":1}}"#
        #expect(take(Self.changed(nil, 1, adds)) == [.applied])
        #expect(take(Self.changed(nil, 1, adds)) == [.alreadyHad])
        #expect(take(Self.changed(3, 4, adds)) == [.baseUnknown])
        #expect(take(Self.changed(1, 2, #"{"t":{"o":"-"}}"#)) == [.inapplicable])
        #expect(take(#"0:c:[{"id":"k","ev":2,"error":440,"ccids":["x"]}]"#) == [.nothing])
        #expect(ledger.object("k")?.version == 1)
        ledger.take(ExactText("k"), 5, json: nil)
        #expect(take(Self.changed(5, 6, adds)) == [.dataUnknown])
        #expect(ledger.object("k")?.version == 5 && ledger.object("k")?.json == nil)
        #expect(take(#"0:c:[{"id":"k","o":"M","d":{"a":1},"sv":9,"ev":10}]"#) == [.applied])
        #expect(ledger.object("k")?.json == Array(#"{"a":1}"#.utf8))
        #expect(take(#"0:c:[{"id":"k","o":"-","ev":11}]"#) == [.applied])
        #expect(!ledger.isComplete)
        #expect(take(#"0:c:[{"id":"note","o":"EMPTY","cv":"a"}]"#) == [.emptied])
        #expect(ledger.isComplete && ledger.count == 0)
    }

    @Test func `a listing takes away what it does not name, unless that is younger`() {
        var ledger = Ledger()
        for (order, key) in ["old", "named", "kept", "young"].enumerated() {
            ledger.take(ExactText(key), 1, json: [], from: Ledger.Source(order: order))
        }
        var listing = Ledger.Listing(since: 3)
        listing.keys = [ExactText("named")]
        #expect(ledger.end(listing) { $0 == ExactText("kept") } == [ExactText("old")])
        #expect(ledger.isComplete && ledger.count == 3)
        ledger.restate([ExactText("named"): Ledger.Object(version: 2, json: nil)])
        #expect(ledger.count == 1 && ledger.object("named")?.version == 2)
    }

    @Test func `a change computed before is not taken for another with its change version`() {
        var ledger = Ledger(limits: nil)
        var computed = ComputedChanges(limit: 1)
        for (key, value) in [("a", 1), ("b", 2), ("a", 3)] {
            let text =
                #"0:c:[{"id":"\#(key)","o":"M","v":{"n":{"o":"+","v":\#(value)}},"#
                + #""ev":\#(value),"cv":"x"}]"#
            guard case .changes(let changes) = read(text, from: .server).body else { return }
            #expect(ledger.take(changes[0], in: Array(text.utf8), &computed) == .applied)
            #expect(ledger.object(key)?.json == Array(#"{"n":\#(value)}"#.utf8))
        }
    }

    @Test func `several buckets keep to the limits of one`() {
        var ledgers = Ledgers(limits: Ledger.Limits(objects: 3, bytes: 10_000))
        func entity(_ key: String, _ bucket: String) {
            let text = "0:e:\(key).1\n{\"data\":{}}"
            ledgers.see(read(text, from: .server), in: Array(text.utf8), bucket: bucket)
        }
        for (key, bucket) in [("k", "a"), ("k", "b"), ("l", "a"), ("k", "c")] {
            entity(key, bucket)
        }
        #expect(ledgers["a"]?.count == 2 && ledgers["b"] == nil && ledgers["c"]?.count == 1)
        for number in 0...Ledgers.maxBuckets {
            ledgers.see(read("0:c:[]", from: .server), in: [], bucket: "bucket \(number)")
        }
        #expect(ledgers["a"] == nil && ledgers["bucket 0"] == nil && ledgers["bucket 1"] != nil)
    }
}
