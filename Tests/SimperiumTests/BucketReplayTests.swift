import Notation
import Simperium
import Testing
import Wire

struct BucketReplayTests {
    /// A replay that is fed with texts.
    private struct Session {
        var replay = BucketReplay()

        mutating func see(_ sender: Peer, _ text: String) {
            replay.see(read(text, from: sender), in: Array(text.utf8), bucket: "note")
        }

        func text(_ key: String) -> String? {
            replay.object(key, in: "note").map {
                "\($0.version) " + String(decoding: $0.json, as: UTF8.self)
            }
        }

        func base(_ sender: Peer, _ text: String) -> String? {
            guard case .changes(let changes) = read(text, from: sender).body else { return nil }
            return replay.base(of: changes[0], in: "note")?.text()
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
        #expect(session.replay.count == 1)
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
        #expect(session.replay.pending("k", in: "note")?.ccid == "mine")
        #expect(session.replay.pending("k", in: "note")?.sv == 2)
        #expect(session.replay.pending("k", in: "note")?.json == Array(#"{"t":"abcd"}"#.utf8))
        session.see(.server, Self.changed(2, 3, #"{"t":{"o":"d","v":"+z\t=3"}}"#, ccid: "other"))
        #expect(session.replay.pending("k", in: "note") != nil)
        session.see(.server, Self.changed(3, 4, #"{"t":{"o":"d","v":"=4\t+d"}}"#, ccid: "mine"))
        #expect(session.text("k") == #"4 {"t":"zabcd"}"#)
        #expect(session.replay.pending("k", in: "note") == nil)
    }

    @Test func `an error ends the pending change and leaves the object`() {
        var session = Session()
        session.see(.server, "0:e:k.2\n{\"data\":{\"t\":1}}")
        session.see(.client, #"0:c:{"id":"k","o":"-","ccid":"gone"}"#)
        #expect(session.replay.pending("k", in: "note")?.isRemoval == true)
        session.see(.server, #"0:c:[{"id":"k","clientid":"c","error":400,"ccids":["gone"]}]"#)
        #expect(session.replay.pending("k", in: "note") == nil)
        #expect(session.text("k") == #"2 {"t":1}"#)
    }

    @Test func `emptying a bucket leaves the others`() {
        var session = Session()
        let entity = "0:e:k.2\n{\"data\":{}}"
        session.see(.server, entity)
        session.replay.see(read(entity, from: .server), in: Array(entity.utf8), bucket: "tag")
        session.see(
            .server, #"0:c:[{"clientid":"c","id":"note","o":"EMPTY","cv":"a","ccids":["x"]}]"#)
        #expect(session.text("k") == nil)
        #expect(session.replay.object("k", in: "tag")?.version == 2)
    }

    @Test func `the whole object of a change counts`() {
        var session = Session()
        session.see(.client, #"0:c:{"id":"k","o":"M","d":{"a":1},"sv":9,"ccid":"m"}"#)
        #expect(session.replay.pending("k", in: "note")?.json == Array(#"{"a":1}"#.utf8))
    }

    @Test func `ends the work on one command at the limit`() {
        let limits = BucketReplay.Limits(work: 100)
        var replay = BucketReplay(limits: limits)
        func see(_ text: String) {
            replay.see(read(text, from: .server), in: Array(text.utf8), bucket: "b")
        }
        see("0:e:k.0\n{\"data\":{\"text\":\"\(String(repeating: "x", count: 40))\"}}")
        let changes = (1...9).map {
            #"{"id":"k","o":"M","v":{"n\#($0)":{"o":"+","v":1}},"sv":\#($0 - 1),"ev":\#($0)}"#
        }
        see("0:c:[\(changes.prefix(2).joined(separator: ","))]")
        #expect(replay.object("k", in: "b")?.version == 2)
        see("0:c:[\(changes.dropFirst(2).joined(separator: ","))]")
        #expect(replay.object("k", in: "b") == nil)
    }

    @Test func `stays within its limits and drops what was not touched for longest`() {
        var replay = BucketReplay(limits: BucketReplay.Limits(objects: 3, bytes: 1 << 20))
        func entity(_ key: String, _ version: Int) {
            let text = "0:e:\(key).\(version)\n{\"data\":{\"v\":\(version)}}"
            replay.see(read(text, from: .server), in: Array(text.utf8), bucket: "b")
        }
        for key in ["a", "b", "c"] { entity(key, 1) }
        entity("a", 2)
        entity("d", 1)
        #expect(replay.count == 3)
        #expect(replay.evicted == 1)
        #expect(replay.object("b", in: "b") == nil)
        #expect(replay.object("a", in: "b")?.version == 2)
        for version in 3..<10_000 { entity("a", version) }
        #expect(replay.count == 3)
        #expect(replay.object("c", in: "b") != nil)
        var small = BucketReplay(limits: BucketReplay.Limits(objects: 1_000, bytes: 10_000))
        for number in 0..<1_000 {
            let text = "0:e:key\(number).1\n{\"data\":\"\(String(repeating: "x", count: 200))\"}"
            small.see(read(text, from: .server), in: Array(text.utf8), bucket: "b")
            #expect(small.bytes <= 10_000)
        }
        #expect(small.count > 10)
        #expect(small.object("key999", in: "b") != nil)
    }
}
