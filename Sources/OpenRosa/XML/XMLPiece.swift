/// A piece of a well-formed document: a tag, or what is between two of them.
struct XMLPiece {
    /// What it is.
    enum Kind {
        case start
        case end
        /// A tag that closes itself.
        case empty
        case text
        /// White space alone.
        case blank
        /// A comment, an instruction or the declaration.
        case other
    }

    var kind: Kind
    /// Its place in the document.
    var bytes: Range<Int>

    /// The pieces of `source`, a document in UTF-8 or another encoding that has ASCII for markup.
    static func all(of source: [UInt8]) -> [XMLPiece] {
        var pieces: [XMLPiece] = []
        let scan = XMLPieceScan(source)
        var at = 0
        while at < source.count {
            let start = at
            if source[at] != 0x3C {
                while at < source.count, source[at] != 0x3C { at += 1 }
                let isBlank = source[start..<at].allSatisfy {
                    [0x20, 0x09, 0x0A, 0x0D].contains($0)
                }
                pieces.append(XMLPiece(kind: isBlank ? .blank : .text, bytes: start..<at))
            } else if scan.begins("<!--", at) {
                at = scan.place(after: "-->", from: at + 4)
                pieces.append(XMLPiece(kind: .other, bytes: start..<at))
            } else if scan.begins("<?", at) {
                at = scan.place(after: "?>", from: at + 2)
                pieces.append(XMLPiece(kind: .other, bytes: start..<at))
            } else if scan.begins("<![CDATA[", at) {
                at = scan.place(after: "]]>", from: at + 9)
                pieces.append(XMLPiece(kind: .text, bytes: start..<at))
            } else {
                at = scan.placeAfterTag(from: at)
                let kind: Kind =
                    scan.begins("</", start)
                    ? .end : source[max(start, at - 2)] == 0x2F ? .empty : .start
                pieces.append(XMLPiece(kind: kind, bytes: start..<at))
            }
        }
        return pieces
    }
}

/// Finds ends of markup in a document.
private struct XMLPieceScan {
    private let source: [UInt8]

    init(_ source: [UInt8]) { self.source = source }

    func begins(_ text: StaticString, _ at: Int) -> Bool {
        text.withUTF8Buffer { source[at...].starts(with: $0) }
    }

    func place(after text: StaticString, from start: Int) -> Int {
        var at = min(start, source.count)
        while at < source.count, !begins(text, at) { at += 1 }
        return min(source.count, at + text.utf8CodeUnitCount)
    }

    func placeAfterTag(from start: Int) -> Int {
        var at = start
        var quote: UInt8?
        while at < source.count {
            let byte = source[at]
            at += 1
            if let open = quote {
                if byte == open { quote = nil }
            } else if byte == 0x22 || byte == 0x27 {
                quote = byte
            } else if byte == 0x3E {
                break
            }
        }
        return at
    }
}
