import Notation
import Testing

@testable import OpenRosa

/// What a reading gave, in full.
private struct ScannedReading: Hashable {
    var events: [Event]
    var error: XMLError?
    var namespaceError: XMLError?
    var work: XMLWork
    /// How far the scanner came by itself: to the end, where this is nil.
    var handedOverAt: Int?

    init(_ pieces: [[UInt8]], limits: XMLLimits, isScanning: Bool) {
        let gathering = Gathering()
        let stream = XMLStream(handler: gathering, limits: limits, isScanning: isScanning)
        var fed = 0
        do {
            for piece in pieces {
                try stream.feed(piece.span)
                if stream.scanner == nil, handedOverAt == nil { handedOverAt = fed }
                fed += piece.count
            }
            try stream.finish()
        } catch {
            self.error = error
        }
        if stream.scanner == nil, handedOverAt == nil { handedOverAt = fed }
        events = gathering.events
        namespaceError = stream.namespaceError
        work = stream.work
    }
}

/// The scanner against libxml2: whatever a document is, both say the same.
@Suite struct XMLScannerTests {
    private static let names = [
        "a", "b", "case", "p:item", "q:item", "œuvre", "データ", "x-1.y_z", "xml:a", "xmlns:b", "1a",
        "a:b:c",
        "a:", ":", "-x", "case_id_that_is_long", "case_id_that_is_lung", "\u{300}",
    ]
    private static let texts = [
        "", " ", "plain", "a &amp; b", "&lt;&gt;", "&#65;", "&#x1F680;", "&#38;", "&#x26;lt;",
        "&#13;", "&#0;",
        "&#xD800;", "&#xFFFE;", "&nope;", "&amp", "&#;", "&#x;", "&", "]]", "]]>", "]", "]]&gt;",
        "\r\n", "\r",
        "\n", "\t", "é日本😀", "\u{FFFD}", "\u{FFFF}", "\u{1}", "\u{7F}", "\u{EFFF}", ">", "'", "\"",
        "<", "a\u{301}",
        "&apos;&quot;", "&#0000000000065;", "&lt", "x\ry\r\nz\n",
    ]
    private static let attributes = [
        "a='1'", "a=\"1\"", "b='&lt;&amp;&#10;'", "c='x\ty\nz\r\nw\r'", "d = '1'", "e='<'", "f=1",
        "g", "p:a='1'",
        "q:a='1'", "xml:space='preserve'", "xml:lang='en'", "xmlns='urn:x'", "xmlns=''",
        "xmlns:p='urn:p'",
        "xmlns:q='urn:p'", "xmlns:p=''", "xmlns:p='relative'", "xmlns:p='a b'", "xmlns:xml='urn:x'",
        "xmlns:q='http://www.w3.org/XML/1998/namespace'", "xmlns='http://www.w3.org/2000/xmlns/'",
        "xmlns:p='urn:&amp;'", "xmlns:q='urn:\"'", "a='é>'", "a='\u{FFFE}'", "a='",
        "long='\(String(repeating: "v", count: 90))'",
    ]
    private static let others = [
        "<!-- c -->", "<!---->", "<!-- a -- b -->", "<!--->", "<!-- é\r\n -->", "<!-- \u{1} -->",
        "<![CDATA[<raw> & ]]>", "<![CDATA[]]>", "<![CDATA[]]]]>", "<![CDATA[a\r\nb]]>",
        "<![CDATA[\u{2}]]>", "<?pi data?>",
        "<?pi?>", "<?pi ?>", "<?pi  d ??>", "<?xml version='1.0'?>", "<?XML a?>",
        "<?xml-stylesheet a?>", "<?p:i d?>",
        "<?pi\nd\r\n?>", "<!DOCTYPE a>", "<!x>", "<>", "< a>", "</", "<?", "<!", "<!-", "<!--",
        "<![CDATA[",
        "<!-- \(String(repeating: "long ", count: 60))-->",
    ]
    private static let starts = [
        "", "", "<?xml version='1.0'?>", "<?xml version=\"1.0\" encoding=\"utf-8\" ?>\n", " ",
        "\n<?xml version='1.0'?>",
        "<?xml version='1.1'?>", "<?xml version='1.0' encoding='x' standalone='maybe'?>", "<?xml?>",
        "\u{FEFF}", "x",
        "<?xml version='1.0' standalone='yes'?>", "<!-- c -->\n", "<?pi d?>",
    ]

    private static func pick(
        _ list: [String], _ random: inout SplitMix64, among first: Int? = nil
    ) -> String {
        list[Int(random.next() % UInt64(first ?? list.count))]
    }

    /// An element; `oddness` out of 64 pieces are anything, the others what is well formed.
    private static func element(_ random: inout SplitMix64, depth: Int, oddness: UInt64) -> String {
        func isOdd() -> Bool { random.next() % 64 < oddness }
        let name = pick(names, &random, among: isOdd() ? nil : 4)
        var tag = "<\(name)"
        for _ in 0..<random.next() % 4 {
            tag += isOdd() ? pick(["", "\n", "/", "  "], &random) : " "
            tag += pick(attributes, &random, among: isOdd() ? nil : 4)
        }
        if random.next() % 3 == 0 { tag += " xmlns:p='urn:p'" }
        if isOdd() { tag += pick([" ", "\n", "/ ", "\""], &random) }
        if depth == 0 || random.next() % 6 == 0 { return tag + "/>" }
        tag += ">"
        for _ in 0..<random.next() % 5 {
            switch random.next() % 5 {
            case 0: tag += pick(others, &random, among: isOdd() ? nil : 2)
            case 1, 2: tag += pick(texts, &random, among: isOdd() ? nil : 8)
            default: tag += element(&random, depth: depth - 1, oddness: oddness)
            }
        }
        return tag
            + "</\(isOdd() ? pick(names, &random) : name)\(isOdd() ? pick([" ", "\r\n", "x"], &random) : "")>"
    }

    private static func document(_ random: inout SplitMix64) -> [UInt8] {
        let oddness = [0, 0, 1, 4][Int(random.next() % 4)]
        var text = pick(starts, &random, among: random.next() % 2 == 0 ? nil : 4)
        text +=
            "<root xmlns:p='urn:p'>" + element(&random, depth: 5, oddness: UInt64(oddness))
            + "</root>"
        if random.next() % 4 == 0 {
            text += pick(texts + others + ["</root>", "<x/>", "\n", "\n\n"], &random)
        }
        var bytes = Array(text.utf8)
        if random.next() % 8 == 0 { bytes.removeLast(Int(random.next() % UInt64(bytes.count))) }
        if random.next() % 8 == 0 {
            bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(
                truncatingIfNeeded: random.next())
        }
        return bytes
    }

    private static func limits(_ random: inout SplitMix64) -> XMLLimits {
        guard random.next() % 4 == 0 else { return XMLLimits() }
        func bound(_ usual: Int) -> Int {
            random.next() % 3 == 0 ? Int(random.next() % 12) + 1 : usual
        }
        return XMLLimits(
            depth: bound(1000), markup: 10 * bound(10000), attributes: bound(256),
            namespaces: bound(1000),
            text: bound(1 << 14), names: bound(1 << 15), elements: bound(1000),
            allAttributes: bound(1000))
    }

    @Test func `what the scanner reads is what libxml2 reads`() {
        var (whole, parts) = (0, 0)
        for seed in 0..<3000 {
            var random = SplitMix64(seed: UInt64(seed))
            let document = Self.document(&random)
            let limits = Self.limits(&random)
            let pieces =
                switch random.next() % 3 {
                case 0: [document]
                case 1: singles(document)
                default: cut(document, &random)
                }
            var ours = ScannedReading(pieces, limits: limits, isScanning: true)
            var theirs = ScannedReading([document], limits: limits, isScanning: false)
            switch ours.handedOverAt {
            case nil: whole += 1
            case let place? where place > 40: parts += 1
            default: break
            }
            (ours.handedOverAt, theirs.handedOverAt) = (nil, nil)
            #expect(
                ours == theirs,
                "seed \(seed): \(String(decoding: document, as: UTF8.self).debugDescription)")
        }
        // Most without oddities are read to their end, and many others far.
        #expect(whole > 700 && parts > 700, "\(whole) whole, \(parts) in part")
    }

    @Test func `the line of a tag is named that was read before libxml2`() {
        let text = "<a>\n<b>\n<c x='\n'>\r\n</c>\n<d>\n</e></b></a>"
        for pieces in [[Array(text.utf8)], singles(Array(text.utf8))] {
            let error = ScannedReading(pieces, limits: XMLLimits(), isScanning: true).error
            guard case .malformed(_, let detail) = error?.reason else {
                Issue.record("\(error.debugDescription)")
                continue
            }
            #expect(detail == "Opening and ending tag mismatch: d line 6 and e")
        }
    }
}
