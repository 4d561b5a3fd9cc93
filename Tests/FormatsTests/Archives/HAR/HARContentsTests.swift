import Notation
import Testing
import Trace

@testable import Formats

@Suite("Contents that are taken out of an entry") struct HARContentsTests {
    private static func read(
        _ bytes: [UInt8], block: Int, keepsContents: Bool = true
    ) throws -> HARContents {
        var contents = HARContents(keepsContents: keepsContents)
        while contents.offset < bytes.count {
            let end = min(bytes.count, contents.offset + block)
            let part = Array(bytes[contents.offset..<end])
            try contents.consume(part.span, isLast: end == bytes.count)
        }
        return contents
    }

    private static let filler = String(repeating: "x", count: HARContents.smallest)

    /// What JSON means by `content`, and what is taken out of an entry with it.
    private static func both(
        _ content: String, block: Int
    ) throws -> (expected: String?, found: [UInt8]?, text: String) {
        let bytes = Array(#"{"a":"text","text" : "\#(content)","z":"data"}"#.utf8)
        let contents = try read(bytes, block: block)
        let expected = try JSONDocument.scan(bytes).root["text"]?.string
        return (
            expected, contents.contents.first?.value, String(decoding: contents.text, as: UTF8.self)
        )
    }

    @Test("are unescaped as JSON has it, in blocks of any size", arguments: 12..<30)
    func blocks(size: Int) throws {
        let escapes = #"\"\\\/\b\f\n\r\t\u0041größe\u20ac\ud83d\ude00😀\ud83dx\ude00\ud83d\u0041"#
        for lead in 0..<13 {
            let content = Self.filler + String(repeating: "y", count: lead) + escapes
            let (expected, found, text) = try Self.both(content, block: size)
            #expect(found.map { String(decoding: $0, as: UTF8.self) } == expected)
            #expect(text == #"{"a":"text","text" : "","z":"data"}"#)
        }
    }

    @Test("are only those that are large, and values of the names that contents have")
    func others() throws {
        let entry = #"{"text":"a\n","texts":"\#(Self.filler)","x":["text","\#(Self.filler)"]}"#
        let kept = try Self.read(Array(entry.utf8), block: 100)
        #expect(kept.contents.isEmpty && kept.text == Array(entry.utf8))
        let message = #"{"data":"\#(Self.filler)\n"}"#
        let taken = try Self.read(Array(message.utf8), block: 1_000)
        #expect(taken.contents.count == 1 && taken.text == Array(#"{"data":""}"#.utf8))
        let checked = try Self.read(Array(message.utf8), block: 1_000, keepsContents: false)
        #expect(checked.contents.first?.value == [])
    }

    @Test("have mistakes at their places in the archive") func mistakes() throws {
        let start = #"{"log":{"entries":[{"request":{"url":"http://h/"},"text":"\#(Self.filler)"#
        for (bad, words) in [
            (#"\x""#, "unknown escape"), (#"\u12g4""#, "unknown escape"), ("\u{1}\"", "0x01"),
            (#"","z":x"#, "not a JSON value"),
        ] {
            let error = #expect(throws: FileError.self) {
                _ = try HARReader(bytes: Array((start + bad + "}]}}").utf8), name: "a.har")
            }
            let place = start.utf8.count + (bad.hasPrefix("\",") ? 6 : 0)
            #expect(error?.reason.contains("at byte \(place): ") == true, "\(error?.reason ?? "")")
            #expect(error?.reason.contains(words) == true, "\(error?.reason ?? "")")
        }
    }

    @Test("become bodies, with bytes replaced that are not UTF-8") func bodies() throws {
        let response = #""status":200,"headers":[],"content":{"text":"\#(Self.filler)\n?"}"#
        let text = HARs.archive(HARs.entry(response: response))
        let exchange = try HARs.exchanges(text)[0]
        #expect(exchange.response?.body == Array((Self.filler + "\n?").utf8))
        #expect(exchange.oddities.isEmpty)
        let bytes = text.utf8.map { $0 == UInt8(ascii: "?") ? 0xFF : $0 }
        let odd = try HARs.exchanges(of: HARReader(bytes: bytes, name: "a.har"))[0]
        #expect(odd.response?.body == Array((Self.filler + "\n\u{FFFD}").utf8))
        #expect(odd.oddities == ["bytes of this entry that are not UTF-8 were replaced"])
    }
}
