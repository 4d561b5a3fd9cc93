import Notation
import Testing

@testable import OpenRosa

@Suite struct XMLHostileTests {
    @Test(
        arguments: [
            ("", .empty, 0), ("<!DOCTYPE a [<!ENTITY a 'x'>]><a>&a;</a>", .doctype, 0),
            (
                "\n<!DOCTYPE lolz [<!ENTITY lol 'lol'><!ENTITY l2 '&lol;&lol;'>]><lolz>&l2;</lolz>",
                .doctype, 1
            ),
            (
                "<?xml version='1.0'?><!DOCTYPE r SYSTEM 'http://127.0.0.1:1/x.dtd'><r/>", .doctype,
                21
            ),
            ("<?xml version='1.0' encoding='x-nope'?><a/>", .unknownEncoding("x-nope"), 30),
            ("<a>\u{1}</a>", .controlCharacter(1), 3), ("<a b='\u{0}'/>", .controlCharacter(0), 6),
            ("<a><b>", .truncated(inside: "b"), 6), ("<a><b", .truncated(inside: "a"), 5),
            ("<a>é", .truncated(inside: "a"), 5),
        ] as [(String, XMLError.Reason, Int64)])
    func `refuses`(text: String, reason: XMLError.Reason, offset: Int64) {
        let outcome = read(text)
        #expect(outcome.error?.reason == reason)
        #expect(outcome.error?.position.offset == offset)
    }

    @Test(arguments: [
        ("<a>&xxe;</a>", 26), ("<a>&#0;</a>", 9), ("<a></b>", 76), ("<a b='1' b='2'/>", 42),
        ("<a/><b/>", 5), ("<a>]]></a>", 62), ("<a b=c/>", 39), ("<a b='<'/>", 38),
    ]) func `malformed`(text: String, code: Int) {
        guard case .malformed(let found, let detail)? = read(text).error?.reason else {
            Issue.record("not refused: \(text)")
            return
        }
        #expect(found == code)
        #expect(!detail.isEmpty)
        #expect(!detail.contains("\n"))
    }

    @Test(
        arguments: [
            [0x80], [0xC3], [0xC0, 0x80], [0xC1, 0x81], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80],
            [0xF4, 0x90, 0x80, 0x80], [0xF0, 0x80, 0x80, 0x80], [0xFF], [0xFE],
        ] as [[UInt8]]) func `bytes that are not UTF-8`(bad: [UInt8])
    {
        for (before, after) in [
            ("<a>x", "</a>"), ("<a b='", "'/>"), ("<a><![CDATA[", "]]></a>"), ("<!--", "--><a/>"),
        ] {
            let bytes = Array(before.utf8) + bad + Array(after.utf8)
            let whole = read([bytes])
            #expect(whole.error?.reason == .encoding)
            #expect(whole.error?.position.offset == Int64(before.utf8.count))
            #expect(read(singles(bytes)) == whole)
        }
    }

    @Test func `a character cut by the end`() {
        let outcome = read([Array("<a>".utf8) + [0xE2, 0x82]])
        #expect(outcome.error?.reason == .encoding)
        #expect(outcome.error?.position.offset == 3)
    }

    @Test func `50,000 elements within each other`() {
        let outcome = read(String(repeating: "<a>", count: 50_000))
        #expect(outcome.error?.reason == .tooDeep(limit: 1000))
        #expect(outcome.error?.position.offset == 3000)
        #expect(outcome.events.count == 1000)
    }

    @Test func `an attribute of 10 MB`() {
        let stream = XMLStream(handler: Gathering())
        let piece = Array(repeating: UInt8(0x78), count: 1 << 16)
        #expect(
            throws: XMLError(
                .tooLong(limit: 1 << 20), at: XMLPosition(offset: 3, line: 1, column: 4))
        ) {
            try stream.feed(Array("<a><b c='".utf8).span)
            for _ in 0..<160 { try stream.feed(piece.span) }
        }
    }

    @Test func `10 MB of text, of CDATA, and their pieces`() throws {
        for (open, close) in [("<a>", "</a>"), ("<a><![CDATA[", "]]></a>")] {
            let gathering = Gathering()
            let stream = XMLStream(handler: gathering)
            try stream.feed(Array(open.utf8).span)
            let piece = Array(String(repeating: "word é ]] ", count: 1000).utf8)
            for _ in 0..<900 { try stream.feed(piece.span) }
            try stream.feed(Array(close.utf8).span)
            try stream.finish()
            var count = 0
            for case .text(let text) in gathering.events {
                count += text.utf8.count
                #expect(text.utf8.count <= 1 << 14)
                #expect(text.utf8.count > (1 << 14) - 4 || count == 900 * piece.count)
            }
            #expect(count == 900 * piece.count)
        }
    }

    @Test func `too many attributes and namespaces`() {
        let attributes = (0..<300).map { " a\($0)='1'" }.joined()
        #expect(read("<x\(attributes)/>").error?.reason == .tooManyAttributes(limit: 256))
        let nested = (0..<10).map { level in
            "<x" + (0..<200).map { " xmlns:p\(level)x\($0)='u'" }.joined() + ">"
        }.joined()
        #expect(read(nested).error?.reason == .tooManyNamespaces(limit: 1000))
    }

    @Test func `many different names stay bounded`() {
        let names = (0..<20_000).map { "<n\($0)/>" }.joined()
        let outcome = read("<a>\(names)</a>")
        #expect(outcome.error == nil)
        #expect(outcome.events.count == 40_002)
        #expect(
            outcome.events.last.map { if case .end(let name, _) = $0 { name.local } else { "" } }
                == "a")
    }

    @Test func `more names than are told apart at a constant price`() {
        let names = (0..<40_000).map { "<n\($0)/>" }.joined()
        let outcome = read("<a>\(names)</a>")
        #expect(outcome.error?.reason == .tooManyNames(limit: 1 << 15))
        // The root and all but one of the others have begun.
        #expect(outcome.events.count == 1 + 2 * ((1 << 15) - 1))
    }

    @Test(arguments: [
        ("<a><b/><c/><d/></a>", XMLError.Reason.tooManyNames(limit: 3), Int64(11)),
        ("<a><b c='1'/><d/></a>", .tooManyNames(limit: 3), 13),
        ("<a><b/><?c?><?d?></a>", .tooManyNames(limit: 3), 17),
        ("<a xmlns='u'><b xmlns='v'/></a>", .tooManyNames(limit: 3), 13),
        ("<a><a/><a/><a/><a/></a>", .tooManyElements(limit: 4), 15),
        ("<a><!--b--><?a?><!----><a/></a>", .tooManyElements(limit: 4), 23),
        ("<a><a/><?a?><a/><!--b--></a>", .tooManyElements(limit: 4), 24),
        ("<a b='1'><a b='1' c='2'/><a c=''/></a>", .tooManyAttributesInAll(limit: 3), 25),
    ])
    func `work is counted, however the document is cut`(
        text: String, reason: XMLError.Reason, offset: Int64
    ) {
        let limits =
            switch reason {
            case .tooManyNames(let limit): XMLLimits(names: limit)
            case .tooManyElements(let limit): XMLLimits(elements: limit)
            default: XMLLimits(allAttributes: 3)
            }
        let whole = read(text, limits: limits)
        #expect(whole.error?.reason == reason)
        #expect(whole.error?.position.offset == offset)
        #expect(reason.isBudget)
        #expect(read(singles(Array(text.utf8)), limits: limits) == whole)
    }

    @Test func `work goes on from document to document`() throws {
        var work = XMLWork()
        for _ in 0..<3 {
            let stream = XMLStream(
                handler: Gathering(), limits: XMLLimits(elements: 9), work: work)
            try stream.feed(Array("<a><b/><b/></a>".utf8).span)
            try stream.finish()
            work = stream.work
        }
        let stream = XMLStream(handler: Gathering(), limits: XMLLimits(elements: 9), work: work)
        #expect(throws: XMLError.self) { try stream.feed(Array("<a></a>".utf8).span) }
        #expect(stream.error?.reason == .tooManyElements(limit: 9))
    }

    @Test func `a failure stays`() {
        let stream = XMLStream(handler: Gathering())
        let first = #expect(throws: XMLError.self) { try stream.feed(Array("<a></b>".utf8).span) }
        let second = #expect(throws: XMLError.self) { try stream.feed(Array("<c/>".utf8).span) }
        let third = #expect(throws: XMLError.self) { try stream.finish() }
        #expect(first == second)
        #expect(first == third)
    }

    @Test(arguments: 0..<400)
    func `damaged documents give an error or a result, however they are cut`(seed: Int) {
        var random = SplitMix64(seed: UInt64(seed))
        let documents = XMLStreamTests.documents
        var bytes = Array(
            (documents[Int(random.next() % UInt64(documents.count))]
                + documents[Int(random.next() % UInt64(documents.count))]).utf8)
        for _ in 0..<Int(random.next() % 4) where !bytes.isEmpty {
            let place = Int(random.next() % UInt64(bytes.count))
            switch random.next() % 3 {
            case 0: bytes[place] = UInt8(truncatingIfNeeded: random.next())
            case 1: bytes.remove(at: place)
            default: bytes.insert(Array("<>&'\"]-!?/; é".utf8)[Int(random.next() % 14)], at: place)
            }
        }
        let limits = XMLLimits(depth: 20, markup: 400, text: 33)
        let whole = read([bytes], limits: limits)
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(read(singles(bytes), limits: limits) == whole, "\(text)")
        #expect(read(cut(bytes, &random), limits: limits) == whole, "\(text)")
    }
}
