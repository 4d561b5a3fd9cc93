import Notation
import Testing
import TraceWorld
import Wire

@testable import Formats

@Suite struct ByteTextTests {
    static func json(_ bytes: [UInt8]) -> String {
        var output: [UInt8] = []
        ByteText.write(bytes, to: &output)
        return String(decoding: output, as: UTF8.self)
    }

    static func read(_ json: String) throws -> [UInt8] {
        try ByteText.read(JSONDocument.scan(Array(json.utf8)).root)
    }

    @Test(
        arguments: [
            ("", #""""#),
            ("one line", #""one line""#),
            (
                "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
                #"["GET / HTTP/1.1\r\n","Host: a\r\n","\r\n"]"#
            ),
            ("a\n\nb", #"["a\n","\n","b"]"#),
            ("tab\t\"quoted\" \\ é 🎈\u{2028}", #""tab\t\"quoted\" \\ é 🎈"# + "\u{2028}\""),
            ("\u{FEFF}mark", "\"\u{FEFF}mark\""),
            ("\u{0}", #"{"base64":"AA=="}"#),
        ] as [(String, String)])
    func `text is lines`(text: String, expected: String) throws {
        #expect(Self.json(Array(text.utf8)) == expected)
        #expect(try Self.read(expected) == Array(text.utf8))
    }

    @Test(
        arguments: [
            ([0xFF, 0xFE], #"{"base64":"//4="}"#),
            (
                Array("HTTP/1.1 200\r\n\r\n".utf8) + [0x1F, 0x8B, 0],
                #"["HTTP/1.1 200\r\n","\r\n",{"base64":"H4sA"}]"#
            ),
            // A character that the end of a chunk cuts in two.
            (Array("abcdefghijklmnop".utf8) + [0xC3], #"["abcdefghijklmnop",{"base64":"ww=="}]"#),
            ([0xA9] + Array("abcdefghijklmnop".utf8), #"[{"base64":"qQ=="},"abcdefghijklmnop"]"#),
            (Conversation.frame(Array("hi".utf8), mask: nil), #"{"frame":"text","payload":"hi"}"#),
            (
                Conversation.frame(Array("hi".utf8), mask: [1, 2, 3, 0xAB]),
                #"{"frame":"text","mask":"010203ab","payload":"hi"}"#
            ),
            (
                Conversation.frame([], first: 0x89, mask: nil)
                    + Conversation.frame([3, 0xE8], first: 0x88, mask: nil) + [0x81],
                #"[{"frame":"ping","payload":""},{"frame":"close","payload":{"base64":"A+g="}},{"base64":"gQ=="}]"#
            ),
            (
                Array(
                    Conversation.frame(Array(repeating: 0x61, count: 70_000), mask: nil).prefix(26)),
                #"{"frame":"text","size":70000,"payload":"aaaaaaaaaaaaaaaa"}"#
            ),
            (
                Conversation.frame([1], first: 0xC1, mask: nil),
                #"{"frame":"c1","payload":{"base64":"AQ=="}}"#
            ),
            (
                Array("HTTP/1.1 101\r\n\r\n".utf8) + Conversation.frame(Array("o".utf8), mask: nil),
                #"["HTTP/1.1 101\r\n","\r\n",{"frame":"text","payload":"o"}]"#
            ),
        ] as [([UInt8], String)])
    func `what is not text is frames or base64`(bytes: [UInt8], expected: String) throws {
        #expect(Self.json(bytes) == expected)
        #expect(try Self.read(expected) == bytes)
    }

    /// Bytes of the kind that a trace has, and of every other kind.
    private static func bytes(_ random: inout SplitMix64) -> [UInt8] {
        var bytes: [UInt8] = []
        for _ in 0..<Int.random(in: 0...6, using: &random) {
            let count = Int.random(in: 0...300, using: &random)
            switch Int.random(in: 0...7, using: &random) {
            case 0: bytes += (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            case 1: bytes += (0..<count).map { _ in UInt8.random(in: 9...13, using: &random) }
            case 2:
                bytes += (0..<count).map { _ in UInt8.random(in: 0x20...0x7E, using: &random) }
            case 3: bytes += Array("Grüße, 世界 🎈\r\nX: \u{7F}\r\n\r\n".utf8)
            case 4:
                let text = Array("Grüße, 世界 🎈".utf8)
                bytes += text.dropFirst(Int.random(in: 0...3, using: &random))
                    .dropLast(Int.random(in: 0...3, using: &random))
            case 5:
                bytes += Conversation.frame(
                    (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) },
                    first: UInt8.random(in: 0...255, using: &random),
                    mask: Bool.random(using: &random) ? [9, 8, 7, 6] : nil)
            case 6: bytes += (0..<count).map { _ in UInt8.random(in: 0x80...0x8F, using: &random) }
            default:
                let frame = Conversation.frame(
                    Array(String(repeating: "text ", count: count).utf8),
                    mask: Bool.random(using: &random) ? [9, 8, 7, 6] : nil)
                bytes += frame.prefix(Int.random(in: 0...frame.count, using: &random))
            }
        }
        return bytes
    }

    @Test(arguments: 0..<40) func `gives random bytes back`(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        for _ in 0..<100 {
            let bytes = Self.bytes(&random)
            let json = Self.json(bytes)
            #expect(try Self.read(json) == bytes)
            #expect(!json.utf8.contains { $0 < 0x20 })
        }
    }

    @Test func `gives all strings of up to two bytes back`() throws {
        for first in UInt8.min...UInt8.max {
            #expect(try Self.read(Self.json([first])) == [first])
            for second in UInt8.min...UInt8.max {
                let bytes = [first, second]
                #expect(try Self.read(Self.json(bytes)) == bytes)
            }
        }
    }

    @Test func `is bounded by a small factor`() throws {
        for bytes in [
            [UInt8](repeating: 0x0A, count: 200_000),
            [UInt8](repeating: 0x22, count: 200_000),
            (0..<100_000).flatMap { _ in [0x81, 0] as [UInt8] },
        ] {
            let json = Self.json(bytes)
            #expect(json.utf8.count < 2 * bytes.count + 100_000)
            #expect(try Self.read(json) == bytes)
        }
    }

    @Test(arguments: [
        "1", "null", "{}", #"["a",["b"]]"#, #"{"base64":"a"}"#, #"{"base64":"AA==","more":1}"#,
        #"{"base64":1}"#, #""\ud800""#, #"{"frame":"other","payload":""}"#, #"{"frame":"text"}"#,
        #"{"frame":"text","payload":{"frame":"text","payload":""}}"#,
        #"{"frame":"text","mask":"0102","payload":""}"#,
        #"{"frame":"text","size":1,"payload":"ab"}"#, #"{"frame":"text","size":-1,"payload":""}"#,
        #"{"frame":"text","frame":"text","payload":""}"#, #"{"payload":""}"#,
    ])
    func `refuses`(json: String) {
        #expect(throws: RowMistake.self) { try Self.read(json) }
    }
}
