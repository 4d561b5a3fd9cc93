import Simperium
import Testing
import Wire

struct IndexCommandTests {
    @Test(
        arguments: [
            (":::500", false, "", "", 500, []), ("1:::500", true, "", "", 500, []),
            (":5119450b37a401031d3bfdb9::100", false, "5119450b37a401031d3bfdb9", "", 100, []),
            ("1:MARK::10", true, "MARK", "", 10, []),
            ("::MARK:10", false, "", "MARK", 10, ["index-mark-in-third-slot"]),
            (":20::10", false, "20", "", 10, ["index-offset-or-mark"]),
            ("0:::10", false, "", "", 10, ["index-data-slot"]),
            (":::", false, "", "", nil, ["index-limit"]),
            (":::x", false, "", "", nil, ["index-limit"]),
            ("", false, "", "", nil, ["index-slots", "index-limit"]),
            ("1", true, "", "", nil, ["index-slots", "index-limit"]),
            (":a:b:5:6", false, "a", "b", nil, ["index-slots", "index-limit"]),
        ] as [(String, Bool, String, String, Int?, [String])])
    func `request`(
        payload: String, data: Bool, second: String, third: String, limit: Int?, notes: [String]
    ) {
        let command = read("0:i:\(payload)", from: .client)
        #expect(
            command.body
                == .indexRequest(
                    IndexRequest(wantsData: data, second: second, third: third, limit: limit)))
        #expect(command.told == notes)
    }

    @Test func `the mark of a request is in either slot`() {
        #expect(IndexRequest(wantsData: false, second: "a", limit: 1).mark == "a")
        #expect(IndexRequest(wantsData: false, third: "b", limit: 1).mark == "b")
        #expect(IndexRequest(wantsData: false, limit: 1).mark == nil)
        #expect(
            read("0:i", from: .client).told == ["missing-payload", "index-slots", "index-limit"])
    }

    @Test func `page with data`() throws {
        let text =
            #"0:i:{"current": "5119dafb37a401031d47c0f7", "index": [{"id": "one", "v": 2, "#
            + #""d": {"your": "data"}}, {"id": "a.b", "v": 3}], "mark": "m"}"#
        let command = read(text, from: .server)
        guard case .indexPage(let page) = command.body else { throw Unexpected() }
        #expect(page.current == "5119dafb37a401031d47c0f7")
        #expect(command.cv == page.current)
        #expect(page.mark == "m")
        #expect(page.entries.map(\.key) == ["one", "a.b"])
        #expect(page.entries.map(\.version) == [2, 3])
        #expect(slice(text, page.entries[0].data) == #"{"your": "data"}"#)
        #expect(page.entries[1].data == nil)
        #expect(command.notes == [])
    }

    @Test(
        arguments: [
            (#"{"index":[]}"#, nil, ["no-current"]),
            (#"{"current":"","index":[]}"#, "", ["empty-current"]),
            (#"{"current":null,"index":[]}"#, nil, ["no-current"]),
            (#"{"current":17,"index":[]}"#, "17", ["number-as-text/current"]),
            (#"{"current":"a"}"#, "a", ["no-index"]),
            (#"{"current":"a","index":{}}"#, "a", ["no-index"]),
            (#"{"current":"a","index":[{"id":"k"}]}"#, "a", ["index-entry"]),
            (#"{"current":"a","index":[1]}"#, "a", ["index-entry"]),
            (#"{"current":"a","index":[{"id":"k","v":"4"}]}"#, "a", ["version-as-string/v"]),
            (#"{"current":"a","index":[],"count":3}"#, "a", []),
            (#"{"current":"a","current":"b","index":[]}"#, "b", ["duplicate-key/current"]),
        ] as [(String, String?, [String])])
    func `page`(payload: String, current: String?, notes: [String]) throws {
        let command = read("0:i:\(payload)", from: .server)
        guard case .indexPage(let page) = command.body else { throw Unexpected() }
        #expect(page.current == current)
        #expect(command.told == notes)
    }

    @Test func `unknown mark`() {
        let command = read("0:i:?", from: .server)
        #expect(command.body == .unknownMark)
        #expect(command.told == ["index-unknown-mark"])
    }

    @Test(
        arguments: [
            ("keyname.1", "keyname", 1, []), ("a.b.c.3", "a.b.c", 3, ["dotted-key"]),
            ("a..0", "a.", 0, ["dotted-key"]), ("k%40x@y.12", "k%40x@y", 12, []),
            ("a:b.2", "a:b", 2, ["key-characters"]),
        ] as [(String, String, Int64, [String])])
    func `entity`(name: String, key: String, version: Int64, notes: [String]) {
        let request = read("0:e:\(name)", from: .client)
        #expect(request.body == .entityRequest(key: key, version: version))
        #expect(request.told == notes)
        #expect(request.key == key)
        let missing = read("0:e:\(name)\n?", from: .server)
        #expect(
            missing.body
                == .entity(EntityReply<Range<Int>>(key: key, version: version, content: .missing)))
        #expect(missing.told == notes)
    }

    @Test func `entity with data, with and without space`() throws {
        for space in ["", " "] {
            let text = "0:e:q.1\n{\"data\":\(space){\"message\":\"hello\\nworld\"}}"
            let command = read(text, from: .server)
            guard case .entity(let reply) = command.body else { throw Unexpected() }
            #expect(reply.key == "q")
            #expect(slice(text, reply.data) == #"{"message":"hello\nworld"}"#)
            #expect(command.notes == [])
        }
        let other = read("0:e:q.1\n{\"a\":1}", from: .server)
        #expect(
            other.body
                == .entity(EntityReply<Range<Int>>(key: "q", version: 1, content: .other(8..<15))))
        #expect(other.told == ["unknown-field", "entity-without-data"])
    }

    @Test(
        arguments: [
            ("0:cv:abc123", Peer.client, SimperiumBody<Range<Int>>.changesSince(cv: "abc123"), []),
            ("0:cv:", .client, .changesSince(cv: ""), ["cv-empty"]),
            ("0:cv", .client, .changesSince(cv: ""), ["missing-payload"]),
            ("0:cv:0", .client, .changesSince(cv: "0"), ["cv-placeholder"]),
            ("0:cv:?", .server, .unknownChangeVersion(isLegacy: false), []),
            ("0:cv:abc", .server, .unknownChangeVersion(isLegacy: false), ["cv-reply"]),
            ("0:c:?", .server, .unknownChangeVersion(isLegacy: true), ["unknown-cv-as-change"]),
        ] as [(String, Peer, SimperiumBody<Range<Int>>, [String])])
    func `change versions`(
        text: String, sender: Peer, body: SimperiumBody<Range<Int>>, notes: [String]
    ) {
        let command = read(text, from: sender)
        #expect(command.body == body)
        #expect(command.told == notes)
    }

    @Test func `state of Android, of iOS and of the specification`() throws {
        #expect(read("0:index", from: .server).body == .indexStateRequest)
        #expect(read("0:index:", from: .server).told == ["unexpected-payload"])
        let text =
            #"1:index:{"current":"cv","index":[{"id":"a","v":1}],"pending":"#
            + #"[{"id":"a","sv":1,"ccid":"c"}],"extra":{"x":1}}"#
        let command = read(text, from: .client)
        guard case .indexState(let state) = command.body else { throw Unexpected() }
        #expect(state.current == "cv")
        #expect(state.entries == [IndexPage<Range<Int>>.Entry(key: "a", version: 1)])
        #expect(state.pending == [PendingChange(key: "a", sv: 1, ccid: "c")])
        #expect(slice(text, state.extra) == #"{"x":1}"#)
        #expect(command.notes == [])
        let ios = read(
            #"0:index:{"current":"c","index":[{"k.1":4}],"pendings":[{"id":"b"}]}"#, from: .client)
        guard case .indexState(let odd) = ios.body else { throw Unexpected() }
        #expect(odd.entries == [IndexPage<Range<Int>>.Entry(key: "k.1", version: 4)])
        #expect(odd.pending == [PendingChange(key: "b", sv: nil, ccid: nil)])
        #expect(
            ios.told == [
                "pendings-spelling", "index-entry-as-member", "pending-incomplete/sv",
                "pending-incomplete/ccid",
            ])
    }
}

/// A command of another kind than the test is about.
struct Unexpected: Error {}
