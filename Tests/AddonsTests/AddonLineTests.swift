import Notation
import Testing
import Wire

@testable import Addons

@Suite struct AddonLineTests {
    @Test(
        arguments: [
            (#"{"id":7,"verdict":"pass"}"#, .verdict(.pass)),
            (#"{"verdict":"drop","id":7}"#, .verdict(.drop)),
            (
                #"{"id":7,"verdict":"delay","milliseconds":250}"#,
                .verdict(.delay(nanoseconds: 250_000_000))
            ),
            (
                #"{"id":7,"verdict":"edit","text":"né"}"#,
                .verdict(.edit(AddonEdit(content: Array("né".utf8))))
            ),
            (
                #"{"id":7,"verdict":"edit","bytes":"AP8="}"#,
                .verdict(.edit(AddonEdit(content: [0, 255])))
            ),
            (
                #"{"id":7,"verdict":"edit","status":503,"headers":{"Retry-After":"9","ETag":null}}"#,
                .verdict(
                    .edit(
                        AddonEdit(
                            status: 503,
                            fields: [
                                AddonField(name: "Retry-After", value: "9"),
                                AddonField(name: "ETag", value: nil),
                            ])))
            ),
            (
                #"{"id":7,"verdict":"edit","path":"/b?c=1"}"#,
                .verdict(.edit(AddonEdit(path: "/b?c=1")))
            ),
            (
                #"{"id":7,"verdict":"answer","status":404,"text":""}"#,
                .verdict(.answer(AddonEdit(content: [], status: 404)))
            ),
            (
                #"{"id":7,"verdict":"send","to":"server","text":"h:1"}"#,
                .aside(.send(Array("h:1".utf8), to: .server))
            ),
            (#"{"id":7,"verdict":"mark","text":"here"}"#, .aside(.mark("here"))),
            (#" {"id" : 7, "verdict" : "note", "text" : "\u00e9" } "#, .aside(.note("é"))),
        ] as [(String, AddonLine.Content)])
    func reads(text: String, content: AddonLine.Content) throws {
        let line = try AddonLine(Array(text.utf8))
        #expect(line.id == 7 && line.content == content)
    }

    @Test func `reads marks and notes about the session`() throws {
        #expect(try AddonLine(Array(#"{"verdict":"note","text":"all"}"#.utf8)).id == nil)
    }

    @Test(
        arguments: [
            ("", .notJSON(.endedEarly(offset: 0)), 0),
            ("nonsense", .notJSON(.invalidLiteral(offset: 0)), 0),
            (#"{"id":7,"verdict":"pass""#, .notJSON(.endedEarly(offset: 24)), 24),
            ("[7]", .notAnObject, 0),
            (#"{"id":7}"#, .missing("verdict"), 7),
            (#"{"verdict":"pass"}"#, .missing("id"), 17),
            (#"{"id":7,"verdict":"fly"}"#, .unknownVerdict("fly"), 18),
            (#"{"id":0,"verdict":"pass"}"#, .invalid("id", expected: "the id of an event"), 6),
            (#"{"id":"7","verdict":"pass"}"#, .invalid("id", expected: "the id of an event"), 6),
            (#"{"id":7,"id":8,"verdict":"pass"}"#, .unexpected("id"), 8),
            (#"{"id":7,"verdict":"pass","txt":""}"#, .unexpected("txt"), 31),
            (#"{"id":7,"verdict":"edit","text":"a","bytes":""}"#, .unexpected("bytes"), 44),
            (#"{"id":7,"verdict":"edit","text":7}"#, .invalid("text", expected: "a text"), 32),
            (
                #"{"id":7,"verdict":"edit","text":"\ud800"}"#, .invalid("text", expected: "a text"),
                32
            ),
            (#"{"id":7,"verdict":"edit","bytes":"A"}"#, .invalid("bytes", expected: "Base64"), 33),
            (
                #"{"id":7,"verdict":"edit","headers":{"a b":"c"}}"#,
                .invalid("a b", expected: "the name of a header field"), 36
            ),
            (
                #"{"id":7,"verdict":"answer","headers":{"a":"b\r\nc: d"}}"#,
                .invalid("a", expected: "a value without control characters"), 38
            ),
            (
                #"{"id":7,"verdict":"answer","headers":{"a":null}}"#,
                .invalid("a", expected: "a text"), 42
            ),
            (
                #"{"id":7,"verdict":"edit","status":100}"#,
                .invalid("status", expected: "a whole number from 200 to 599"), 34
            ),
            (
                #"{"id":7,"verdict":"edit","path":"b c"}"#,
                .invalid("path", expected: "a path that begins with / and is ASCII"), 32
            ),
            (#"{"id":7,"verdict":"delay"}"#, .missing("milliseconds"), 18),
            (
                #"{"id":7,"verdict":"delay","milliseconds":-1}"#,
                .invalid("milliseconds", expected: "a whole number from 0 to 3600000"), 41
            ),
            (#"{"id":7,"verdict":"send","text":"a"}"#, .missing("to"), 35),
            (#"{"id":7,"verdict":"send","to":"client"}"#, .missing("text"), 18),
            (
                #"{"id":7,"verdict":"send","to":"all","text":"a"}"#,
                .invalid("to", expected: "client or server"), 30
            ),
            (
                #"{"id":7,"verdict":"mark","text":""}"#,
                .invalid("text", expected: "a text of 1 to 4096 bytes"), 32
            ),
        ] as [(String, AddonError.Problem, Int)])
    func refuses(text: String, problem: AddonError.Problem, offset: Int) {
        #expect(throws: AddonError(problem, at: offset)) { try AddonLine(Array(text.utf8)) }
    }

    @Test func `refuses bytes that are not UTF-8 at their place`() {
        let line = Array(#"{"id":7,"verdict":"note","text":"a"#.utf8) + [0xC3, 0x28, 0x22, 0x7D]
        #expect(throws: AddonError(.notJSON(.invalidUTF8(offset: 34)), at: 34)) {
            try AddonLine(line)
        }
    }

    @Test func `survives anything, and reads alike however it is cut`() {
        var random = SplitMix64(seed: 11)
        let seeds = [
            #"{"id":7,"verdict":"edit","headers":{"a":"b"},"bytes":"AAAA"}"#,
            #"{"hello":1,"on":[{"filter":"api:commcare.submit","kinds":["request"]}]}"#,
            #"{"id":1,"verdict":"note","text":"é\ud83d\ude00"}"#,
        ]
        for turn in 0..<20_000 {
            var bytes = Array(seeds[turn % seeds.count].utf8) + [0x0A]
            for _ in 0..<Int(random.next() % 4) {
                let place = Int(random.next() % UInt64(bytes.count))
                switch random.next() % 3 {
                case 0: bytes[place] = UInt8(truncatingIfNeeded: random.next())
                case 1: bytes.remove(at: place)
                default: bytes.insert(UInt8(truncatingIfNeeded: random.next() >> 8), at: place)
                }
                if bytes.isEmpty { bytes = [0x0A] }
            }
            var whole = AddonLines(longest: 1_000)
            var pieces = AddonLines(longest: 1_000)
            let found = whole.feed(bytes).lines
            let apart = bytes.flatMap { pieces.feed([$0]).lines }
            #expect(found == apart && whole.pendingBytes == pieces.pendingBytes)
            for line in found {
                for failure in Self.failures(line) {
                    #expect(failure.offset >= 0 && failure.offset <= line.count)
                }
            }
        }
    }

    /// Why a line is neither a verdict nor a hello.
    private static func failures(_ line: [UInt8]) -> [AddonError] {
        var found: [AddonError] = []
        do throws(AddonError) { _ = try AddonLine(line) } catch { found.append(error) }
        do throws(AddonError) { _ = try AddonHello(line: line) } catch { found.append(error) }
        return found
    }

    @Test func `keeps no more than a line`() {
        var lines = AddonLines(longest: 10)
        #expect(lines.feed(Array("0123456789".utf8)).failure == nil)
        #expect(lines.pendingBytes == 10)
        let (found, failure) = lines.feed(Array("\r\n".utf8))
        #expect(found.isEmpty && failure == AddonError(.tooLong(limit: 10), at: 10))
        #expect(lines.pendingBytes == 0)
        var others = AddonLines(longest: 10)
        #expect(
            others.feed(Array("a\r\nb\n\nc".utf8)).lines.map { String(decoding: $0, as: UTF8.self) }
                == ["a", "b", ""])
        #expect(others.pendingBytes == 1)
    }
}
