import Framing
import Notation
import Testing

struct SockJSFrameTests {
    private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    @Test func `reads what a server sends`() throws {
        #expect(try SockJSFrame.parse(server: bytes("o").span) == .open)
        #expect(try SockJSFrame.parse(server: bytes("h").span) == .heartbeat)
        #expect(
            try SockJSFrame.parse(server: bytes(#"a["0:c:[]","h:1"]"#).span)
                == .messages([
                    SockJSMessage(text: bytes("0:c:[]"), range: 3..<9),
                    SockJSMessage(text: bytes("h:1"), range: 12..<15),
                ]))
        #expect(try SockJSFrame.parse(server: bytes("a []\n").span) == .messages([]))
        #expect(
            try SockJSFrame.parse(server: bytes(#"m"x""#).span)
                == .messages([SockJSMessage(text: bytes("x"), range: 2..<3)]))
        #expect(
            try SockJSFrame.parse(server: bytes(#"c[3000,"Go away!"]"#).span)
                == .close(
                    code: 3000, reason: SockJSMessage(text: bytes("Go away!"), range: 8..<16)))
    }

    @Test func `reads what a client sends`() throws {
        #expect(
            try SockJSFrame.parse(client: bytes(#" ["0:init:{\"a\":1}" , "h:0" ]"#).span).map(
                \.text)
                == [bytes(#"0:init:{"a":1}"#), bytes("h:0")])
        #expect(
            try SockJSFrame.parse(client: bytes(#""h:0""#).span)
                == [SockJSMessage(text: bytes("h:0"), range: 1..<4)])
        #expect(try SockJSFrame.parse(client: bytes("").span).isEmpty)
        #expect(try SockJSFrame.parse(client: bytes("[]").span).isEmpty)
    }

    @Test(arguments: [
        (#"\"\\\/\b\f\n\r\t"#, "\"\\/\u{8}\u{C}\n\r\t", false), (#"ä\u00e4\u65E5"#, "ää日", false),
        (#"\ud83d\uDF01"#, "\u{1F701}", false), (#"\u0000"#, "\0", false),
        (#"\ud83d"#, "\u{FFFD}", true), (#"\uDF01x"#, "\u{FFFD}x", true),
        (#"\ud83dA"#, "\u{FFFD}A", true), (#"\ud83d\u0041"#, "\u{FFFD}A", true),
        (#"\ud83d\ud83d\udf01"#, "\u{FFFD}\u{1F701}", true), (#"\ud83d\n"#, "\u{FFFD}\n", true),
    ])
    func `undoes escapes`(escaped: String, text: String, isRepaired: Bool) throws {
        let frame = bytes("[\"\(escaped)\"]")
        let message = try #require(try SockJSFrame.parse(client: frame.span).first)
        #expect(message.text == bytes(text) && message.isRepaired == isRepaired)
        #expect(Array(frame[message.range]) == bytes(escaped))
    }

    @Test(
        arguments: [
            ("", .unexpectedEnd(offset: 0)), ("x", .unknownFrame(0x78)),
            ("oo", .unexpected(value: 0x6F, offset: 1)), ("a", .unexpectedEnd(offset: 1)),
            ("a{", .unexpected(value: 0x7B, offset: 1)), ("a[", .unexpectedEnd(offset: 2)),
            ("a[1]", .unexpected(value: 0x31, offset: 2)), (#"a["a"#, .unexpectedEnd(offset: 4)),
            (#"a["a""#, .unexpectedEnd(offset: 5)),
            (#"a["a" "b"]"#, .unexpected(value: 0x22, offset: 6)),
            (#"a["a",]"#, .unexpected(value: 0x5D, offset: 6)),
            (#"a["a"]x"#, .unexpected(value: 0x78, offset: 6)),
            (#"a["\x"]"#, .badEscape(offset: 3)),
            (#"a["\u00g0"]"#, .badEscape(offset: 3)), (#"a["\u00"#, .unexpectedEnd(offset: 7)),
            (#"a["\"#, .unexpectedEnd(offset: 4)), (#"a["\ud83d\u00zz"]"#, .badEscape(offset: 9)),
            ("a[\"a\nb\"]", .controlCharacter(offset: 4)), ("c[]", .badCode(offset: 2)),
            (#"c[01,"a"]"#, .badCode(offset: 2)), (#"c[99999999999,"a"]"#, .badCode(offset: 2)),
            (#"c[3000]"#, .unexpected(value: 0x5D, offset: 6)), ("c[", .unexpectedEnd(offset: 2)),
            (#"c[3000,"a"#, .unexpectedEnd(offset: 9)),
            (#"m["a"]"#, .unexpected(value: 0x5B, offset: 1)),
        ] as [(String, SockJSError)])
    func `refuses`(text: String, error: SockJSError) {
        #expect(throws: error) { try SockJSFrame.parse(server: bytes(text).span) }
    }

    @Test func `refuses what is not UTF-8, with its place`() {
        let frame = bytes("a[\"ab") + [0xC3, 0x28] + bytes("\"]")
        #expect(throws: SockJSError.notUTF8(offset: 5)) {
            try SockJSFrame.parse(server: frame.span)
        }
        // A character that an escape cuts short.
        #expect(throws: SockJSError.notUTF8(offset: 1)) {
            try SockJSFrame.parse(client: (bytes("\"") + [0xC3] + bytes(#"\n""#)).span)
        }
    }

    @Test func `refuses a frame with more messages than it may have`() {
        let frame = bytes("a[" + String(repeating: "\"\",", count: 65_536) + "\"\"]")
        #expect(throws: SockJSError.tooManyMessages(offset: 2 + 3 * 65_536)) {
            try SockJSFrame.parse(server: frame.span)
        }
    }

    @Test(arguments: 0..<100)
    func `reads what it writes`(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let alphabet = Array("ab\"\\/\u{1}\u{1F}\u{7F}\n\t\r\u{8}\u{C}ä日🜁{}[],: ")
        let texts = (0..<Int.random(in: 0...5, using: &random)).map { _ in
            bytes(
                String(
                    (0..<Int.random(in: 0...20, using: &random)).map { _ in
                        alphabet[Int(random.next() % UInt64(alphabet.count))]
                    }))
        }
        let client = SockJSFrame.encode(client: texts)
        #expect(try SockJSFrame.parse(client: client.span).map(\.text) == texts)
        let frame = SockJSFrame.messages(texts.map { SockJSMessage(text: $0, range: 0..<0) })
        #expect(frame.encoded == bytes("a") + client)
    }

    @Test(arguments: ["o", "h", #"a["x","y\n"]"#, #"c[3000,"Go away!"]"#])
    func `writes frames as servers do`(text: String) throws {
        #expect(try SockJSFrame.parse(server: bytes(text).span).encoded == bytes(text))
    }

    @Test(arguments: 0..<500)
    func `never traps on anything`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let alphabet = Array(#"a["\ud83dc1,]" m{o"#.utf8) + [0xC3, 0xA4, 0x0A]
        let frame = (0..<Int.random(in: 0...30, using: &random)).map { _ in
            alphabet[Int(random.next() % UInt64(alphabet.count))]
        }
        for parse in [
            { try _ = SockJSFrame.parse(server: frame.span) },
            { try _ = SockJSFrame.parse(client: frame.span) },
        ] {
            do {
                try parse()
            } catch {
                #expect(error is SockJSError)
                #expect(
                    (error as? SockJSError).map { (0...frame.count).contains($0.offset) } == true)
            }
        }
    }
}
