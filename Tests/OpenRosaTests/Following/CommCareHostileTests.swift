import Testing

@testable import OpenRosa

@Suite struct CommCareHostileTests {
    @Test(
        arguments: [
            (
                "<!DOCTYPE lolz [<!ENTITY lol 'lol'><!ENTITY l2 '&lol;&lol;&lol;'>]><lolz>&l2;</lolz>",
                .doctype
            ),
            (
                "<!DOCTYPE r [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><OpenRosaResponse><message>&x;</message></OpenRosaResponse>",
                .doctype
            ),
            (
                "<?xml version='1.0'?><!DOCTYPE r SYSTEM 'http://127.0.0.1:1/x.dtd'><OpenRosaResponse/>",
                .doctype
            ),
            ("", .empty), ("<a>\u{0}</a>", .controlCharacter(0)),
        ] as [(String, XMLError.Reason)])
    func `refused`(text: String, reason: XMLError.Reason) {
        let reading = Reading(text)
        #expect(reading.error?.reason == reason)
        #expect(reading.end == nil)
        #expect(Reading(singles(Array(text.utf8))) == reading)
    }

    @Test(arguments: [
        "&#xD800;", "&#xDFFF;", "&#55296;", "&#x110000;", "&#0;", "&#x1;", "&lol;", "&#xFFFE;", "&",
    ]) func `references to what is no character`(reference: String) {
        for text in [
            restore(block("<update><a>\(reference)</a></update>")),
            restore("<case case_id='\(reference)'/>"),
        ] {
            let reading = Reading(text)
            guard case .malformed? = reading.error?.reason else {
                Issue.record("not refused: \(text)")
                continue
            }
            #expect(Reading(singles(Array(text.utf8))) == reading)
        }
    }

    @Test(
        arguments: [
            [0xC0, 0xAF], [0xE0, 0x80, 0xAF], [0xF0, 0x80, 0x80, 0xAF], [0xED, 0xA0, 0x80], [0xFF],
            [0xF5, 0x80, 0x80, 0x80], [0xC3],
        ] as [[UInt8]]) func `overlong UTF-8 and other bytes that are none`(bad: [UInt8])
    {
        let open = restore("").replacing("</OpenRosaResponse>", with: "<fixture id='a'>")
        let bytes = Array(open.utf8) + bad + Array("</fixture></OpenRosaResponse>".utf8)
        let reading = Reading([bytes])
        #expect(reading.error?.reason == .encoding)
        #expect(reading.error?.position.offset == Int64(open.utf8.count))
        #expect(Reading(singles(bytes)) == reading)
    }

    @Test(arguments: [
        "<a>", "<case>", "<case case_id='x'>", "<update>", "<index>", "<create>", "<meta>",
        "<OpenRosaResponse>", "<fixture id='a'>",
        "<balance xmlns='http://commcarehq.org/ledger/v1'>",
    ]) func `50,000 elements within each other`(tag: String) {
        for root in ["", "<OpenRosaResponse>", "<data xmlns='urn:f'>"] {
            let text = root + String(repeating: tag, count: 50_000)
            let limit = tag.contains("xmlns") ? XMLError.Reason.tooManyNamespaces(limit: 1000) : nil
            let reason = Reading(text).error?.reason
            #expect(reason == .tooDeep(limit: 1000) || reason == limit)
        }
    }

    @Test func `an attribute of 2 MiB`() {
        let long = String(repeating: "x", count: 2 << 20)
        #expect(
            Reading("<OpenRosaResponse items='\(long)'/>").error?.reason
                == .tooLong(limit: 1 << 20))
    }

    @Test func `a namespace of 1 MB for 20,000 different names`() {
        // A copy of it for each name would be 20 GB.
        let space = String(repeating: "x", count: 1_000_000)
        let names = (0..<20_000).map { "<n\($0)/>" }.joined()
        for root in ["OpenRosaResponse", "data"] {
            let reading = Reading("<\(root) xmlns='\(space)'>\(names)</\(root)>")
            #expect(reading.error == nil)
            #expect(reading.end?.children == 20_000)
        }
    }

    /// Feeds 64 MiB of one letter between `open` and `close`.
    private static func flood(
        _ open: String, _ close: String, letter: UInt8 = 0x61
    ) -> (Reading) {
        let piece = Array(repeating: letter, count: 1 << 16)
        var pieces = [Array(open.utf8)]
        for _ in 0..<1024 { pieces.append(piece) }
        pieces.append(Array(close.utf8))
        return Reading(pieces)
    }

    @Test(arguments: [
        ("", ""), ("<", "/>"), ("<a ", "/>"), ("<a b='", "'/>"), ("<!--", "--><a/>"),
        ("<?p ", "?><a/>"),
        ("<a>&", ";</a>"), ("<a></a>", ""),
    ]) func `64 MiB of one letter are refused where no text is`(open: String, close: String) {
        #expect(Self.flood(open, close).error != nil)
    }

    @Test func `64 MiB of one letter in a property`() {
        let open = restore(block("<update><a>")).components(before: "</case>")
        let reading = Self.flood(open, "</a><b>2</b></update></case></OpenRosaResponse>")
        #expect(reading.error == nil)
        #expect(reading.codes == ["openrosa.cut"])
        let bounds = CommCareBounds()
        #expect(reading.blocks.first?.isCut == true)
        #expect(
            reading.blocks.first?.update?.map(\.value.utf8.count) == [bounds.text, 1])
    }
}

extension String {
    /// What stands before `part`.
    fileprivate func components(before part: String) -> String {
        firstRange(of: part).map { String(self[..<$0.lowerBound]) } ?? self
    }
}
