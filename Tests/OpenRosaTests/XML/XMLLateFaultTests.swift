import OpenRosa
import Testing

/// Whether a fault is reported as what it is, however the document was cut and however short the text
/// around it is, with which libxml2 would rather wait.
struct XMLLateFaultTests {
    static let faults = [
        "&#x.F200;", "&#;", "&#x;", "&#xD800;", "&#99999999999;", "&;", "&unknown;", "&a b;",
    ]
    static let lengths = [0, 1, 250, 298, 299, 300, 301, 310, 700]

    @Test(arguments: faults, lengths)
    func `bad references are reported in text`(fault: String, length: Int) {
        let before = String(repeating: "=", count: length)
        for end in ["", "x", "</a>", "<?x never ends", "]]"] {
            let document = Array("<a>\(before)\(fault)\(end)".utf8)
            let whole = Self.read(document, piece: document.count)
            guard case .malformed? = whole?.reason else {
                Issue.record("\(fault) and \(end): \(String(describing: whole))")
                continue
            }
            for piece in [1, 2, 3, 17, 100, 305] {
                #expect(Self.read(document, piece: piece) == whole, "\(piece) bytes, \(end)")
            }
        }
    }

    @Test(arguments: faults) func `bad references are reported in attributes`(fault: String) {
        let document = Array("<a b=\"\(fault)\">x</a>".utf8)
        let whole = Self.read(document, piece: document.count)
        #expect(whole != nil)
        for piece in 1...8 { #expect(Self.read(document, piece: piece) == whole) }
    }

    @Test func `a document that only ends early is reported as such`() {
        for document in ["<a>", "<a>text", "<a><b/>", "<a><![CDATA[x", "<a>x<!-- y", "<a b"] {
            let bytes = Array(document.utf8)
            for piece in [1, 3, bytes.count] {
                let error = Self.read(bytes, piece: piece)
                #expect(error?.reason == .truncated(inside: "a") || document == "<a b")
                #expect(error != nil)
            }
        }
    }

    private final class Nobody: XMLEventHandler {
        func start(_ tag: borrowing XMLTag) {}
        func end(_ tag: borrowing XMLTag) {}
        func text(_ bytes: borrowing Span<UInt8>) {}
    }

    private static func read(_ bytes: [UInt8], piece: Int) -> XMLError? {
        let stream = XMLStream(handler: Nobody())
        do throws(XMLError) {
            var start = 0
            while start < bytes.count {
                let end = min(bytes.count, start + piece)
                try stream.feed(bytes.span.extracting(start..<end))
                start = end
            }
            try stream.finish()
            return nil
        } catch {
            return error
        }
    }
}
