import Notation
import Simperium
import Testing
import Wire

struct CommandFrameTests {
    @Test(
        arguments: [
            ("0:c:[]", 0, "c", 4), ("12:i::::500", 12, "i", 5), ("0:index", 0, "index", 7),
            ("0:index:{}", 0, "index", 8), ("h:1", nil, "h", 2), ("log:1", nil, "log", 4),
            ("?", nil, "?", 1), ("0:?", 0, "?", 3), ("0:cv:", 0, "cv", 5),
            ("0:auth:a:b:c", 0, "auth", 7), ("0:e:a.1\n{\"data\":{\"b\":\"c:d\"}}", 0, "e", 4),
            ("9223372036854775807:cv:x", Int.max, "cv", 23), ("0:presence:{}", 0, "presence", 11),
        ] as [(String, Int?, String, Int)])
    func `splits at the first two colons`(
        text: String, channel: Int?, name: String, payload: Int
    ) {
        let command = read(text, from: .server)
        #expect(command.channel == channel)
        #expect(command.name == name)
        #expect(command.payload == payload..<text.utf8.count)
        #expect(command.problem == nil)
    }

    @Test(arguments: [
        "", "hello", "0", "123", ":", "0:", "0::", "0::x", "a[\"0:c:[]\"]", "[\"0:c:[]\"]", "o",
        "{\"a\":1}", "-1:c:[]", " 0:c:[]", "0 :c:[]", "0:\u{1}:", "0:é:1", "0: c:[]",
        "foo:1", "c[3000,\"Go away!\"]", "\u{0}", "0x1:c:[]",
        "0:" + String(repeating: "a", count: 64) + ":", "GET / HTTP/1.1",
    ])
    func `is no command`(text: String) {
        let command = read(text, from: .client)
        #expect(command.problem == .notACommand(offset: 0))
        #expect(command.name.isEmpty)
        #expect(command.body == nil)
        #expect(command.payload == 0..<text.utf8.count)
        #expect(!SimperiumCommand.looksLikeSimperium(Array(text.utf8)))
    }

    @Test(arguments: [
        ("0:c:[]", true), ("0:init:{", true), ("0:index", true), ("3:e:a.1", true), ("h:0", true),
        ("log:1", true), ("?", true), ("0:?", true), ("0:o:{}", true), ("0:foo:1", false),
        ("h", false), ("c:[]", false), ("?x", false), ("12:30:00", false), ("0:cvx:1", false),
    ])
    func `looks like Simperium`(text: String, expected: Bool) {
        #expect(SimperiumCommand.looksLikeSimperium(Array(text.utf8)) == expected)
        #expect(SimperiumCommand.looksLikeSimperium(Array(text.utf8)[...]) == expected)
    }

    @Test(
        arguments: [
            ("c:[]", .server, ["no-channel"]), ("00:cv:x", .client, ["channel-zeros"]),
            ("0:h:1", .client, ["heartbeat-on-channel"]), ("0:log:1", .server, ["log-on-channel"]),
            ("?", .server, ["bare-question-mark"]), ("0:?", .server, ["question-mark"]),
            ("0:?", .client, ["question-mark", "wrong-direction"]),
            ("0:?:x", .server, ["question-mark", "unexpected-payload"]),
            ("0:presence:{}", .client, ["unknown-command"]),
            ("0:auth:a", .client, ["wrong-direction"]),
            ("0:i::::5", .server, ["wrong-direction"]),
            ("0:i:{\"current\":\"a\",\"index\":[]}", .client, ["wrong-direction"]),
            ("0:e:a.1", .server, ["wrong-direction"]), ("0:e:a.1\n?", .client, ["wrong-direction"]),
            ("0:c:?", .client, ["wrong-direction", "unknown-cv-as-change"]),
            ("0:o:{}", .client, ["wrong-direction", "options"]),
            ("0:index", .client, ["wrong-direction"]),
            ("log:2", .client, ["wrong-direction"]),
            ("log:{\"log\":\"\"}", .server, ["wrong-direction"]),
        ] as [(String, Peer, [String])])
    func `tells what it tolerates`(text: String, sender: Peer, notes: [String]) {
        let command = read(text, from: sender)
        #expect(command.problem == nil)
        #expect(command.reported == notes)
    }

    @Test(
        arguments: [
            ("9223372036854775808:c:[]", .channelTooLarge(offset: 0)),
            ("0:init", .noPayload(offset: 6)), ("0:init:", .noPayload(offset: 7)),
            ("0:init:[]", .wrongKind(expected: .object, offset: 7)),
            ("0:init:{name}", .json(.unexpectedByte(0x6E, offset: 8))),
            ("0:auth:{\"code\":401", .json(.endedEarly(offset: 18))),
            ("0:c", .noPayload(offset: 3)), ("0:c:", .noPayload(offset: 4)),
            ("0:c:1", .wrongKind(expected: .object, offset: 4)),
            ("0:c:[{}", .json(.endedEarly(offset: 7))),
            ("0:c:[] x", .json(.trailingBytes(offset: 7))),
            ("0:c:{\"v\":NaN}", .json(.invalidLiteral(offset: 9))),
            ("0:i:{\"index\":[}", .json(.unexpectedByte(0x7D, offset: 14))),
            ("0:e", .noPayload(offset: 3)), ("0:e:", .noPayload(offset: 4)),
            ("0:e:key", .entityKey(offset: 4)), ("0:e:.1", .entityKey(offset: 4)),
            ("0:e:key.", .entityVersion(offset: 8)),
            ("0:e:a.b.undefined", .entityVersion(offset: 8)),
            ("0:e:a.NaN", .entityVersion(offset: 6)), ("0:e:a.-1", .entityVersion(offset: 6)),
            ("0:e:a.9223372036854775808", .entityVersion(offset: 6)),
            ("0:e:a.1\n", .noPayload(offset: 8)),
            ("0:e:a.1\n??", .json(.unexpectedByte(0x3F, offset: 8))),
            ("0:e:a.1\n[]", .wrongKind(expected: .object, offset: 8)),
            ("0:e:\n{}", .noPayload(offset: 4)),
            ("0:o:", .noPayload(offset: 4)), ("0:o:x", .json(.invalidLiteral(offset: 4))),
            ("h", .noPayload(offset: 1)), ("h:", .heartbeat(offset: 2)),
            ("h:x", .heartbeat(offset: 2)),
            ("h:-1", .heartbeat(offset: 2)), ("h:1.0", .heartbeat(offset: 2)),
            ("log", .noPayload(offset: 3)), ("log:x", .logLevel(offset: 4)),
            ("log:{", .json(.endedEarly(offset: 5))),
            ("0:index:{ current: 1 }", .json(.unexpectedByte(0x63, offset: 10))),
        ] as [(String, SimperiumError)])
    func `keeps channel and name of what it cannot read`(text: String, problem: SimperiumError) {
        let command = read(text, from: .client)
        #expect(command.problem == problem)
        #expect(!command.name.isEmpty)
        #expect(!problem.description.isEmpty)
        #expect(problem.offset <= text.utf8.count)
    }

    @Test func `refuses text that is not UTF-8 outside of JSON`() {
        for start in ["0:auth:", "0:cv:", "0:i:", "0:e:"] {
            let bytes = Array(start.utf8) + [0xFF] + Array(".1".utf8)
            let command = SimperiumCommand.parse(bytes, from: .client)
            #expect(command.problem == .notUTF8(offset: start.utf8.count))
        }
    }

    @Test func `every note has words of its own`() {
        let words = SimperiumNote.Code.allCases.map(\.detail)
        #expect(Set(words).count == words.count)
        #expect(SimperiumNote.Code.allCases.allSatisfy { $0.rawValue.hasPrefix("simperium.") })
        #expect(
            SimperiumNote(.initMissing, field: "token", offset: 7).detail
                == "init lacks a field: token")
    }
}
