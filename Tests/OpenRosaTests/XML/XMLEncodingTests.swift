import Notation
import Testing

@testable import OpenRosa

@Suite struct XMLEncodingTests {
    private static func utf16(_ text: String, isBigEndian: Bool) -> [UInt8] {
        text.utf16.flatMap { unit -> [UInt8] in
            let pair = [UInt8(unit >> 8), UInt8(unit & 0xFF)]
            return isBigEndian ? pair : pair.reversed()
        }
    }

    @Test(arguments: [true, false], [true, false])
    func `UTF-16`(isBigEndian: Bool, hasMark: Bool) {
        let text =
            (hasMark ? "\u{FEFF}" : "") + "<?xml version='1.0' encoding='UTF-16'?>\n<a>é😀<b/></a>"
        let bytes = Self.utf16(text, isBigEndian: isBigEndian)
        let outcome = read([bytes])
        let mark: Int64 = hasMark ? 2 : 0
        let a = XMLName("a")
        let b = XMLName("b")
        #expect(outcome.error == nil)
        #expect(
            outcome.events == [
                .start(a, [], XMLPosition(offset: mark + 80, line: 2, column: 1)), .text("é😀"),
                .start(b, [], XMLPosition(offset: mark + 92, line: 2, column: 6)),
                .end(b, XMLPosition(offset: mark + 92, line: 2, column: 6)),
                .end(a, XMLPosition(offset: mark + 100, line: 2, column: 10)),
            ])
        #expect(read(singles(bytes)) == outcome)
        var random = SplitMix64(seed: 7)
        #expect(read(cut(bytes, &random)) == outcome)
    }

    @Test func `single-byte encodings`() {
        let head = "<?xml version='1.0' encoding='%'?><a>"
        for (name, bytes, text) in [
            ("ISO-8859-1", [0xE9, 0xFF], "éÿ"), ("windows-1252", [0x80, 0xE9], "€é"),
            ("US-ASCII", [0x41], "A"),
        ] as [(String, [UInt8], String)] {
            let start =
                String(head.split(separator: "%")[0]) + name + String(head.split(separator: "%")[1])
            let document = Array(start.utf8) + bytes + Array("<b/></a>".utf8)
            let outcome = read([document])
            #expect(outcome.error == nil)
            #expect(outcome.events.contains(.text(text)))
            #expect(
                outcome.events.contains(
                    .end(
                        XMLName("b"),
                        XMLPosition(
                            offset: Int64(start.utf8.count + bytes.count), line: 1,
                            column: start.utf8.count + bytes.count + 1))))
            #expect(read(singles(document)) == outcome)
        }
        let bad = Array("<?xml version='1.0' encoding='US-ASCII'?><a>x".utf8) + [0x80]
        #expect(
            read([bad]).error
                == XMLError(.encoding, at: XMLPosition(offset: 45, line: 1, column: 46)))
    }

    @Test(
        arguments: [[0xFF, 0xFE, 0, 0], [0, 0, 0xFE, 0xFF], [0, 0, 0, 0x3C], [0x3C, 0, 0, 0]]
            as [[UInt8]])
    func `UTF-32 is refused`(head: [UInt8]) {
        #expect(read([head + [0, 0, 0, 0]]).error?.reason == .unknownEncoding("UTF-32"))
    }

    @Test func `half a pair is refused`() {
        let bytes =
            Self.utf16("<a>", isBigEndian: true) + [0xDC, 0] + Self.utf16("</a>", isBigEndian: true)
        #expect(
            read([bytes]).error
                == XMLError(.encoding, at: XMLPosition(offset: 6, line: 1, column: 4)))
    }
}
