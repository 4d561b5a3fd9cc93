/// Finds tags and text in XML or HTML, with their places.
///
/// Forgiving: it finds something in everything, in linear time and constant memory apart from the
/// attributes of one tag.
struct MarkupScanner {
    /// An attribute.
    struct Attribute {
        /// Its name without prefix.
        var name: Range<Int>
        /// Its value without quotes.
        var value: Range<Int>
        /// Whether it declares a namespace.
        var isPrefixed: Bool
    }

    /// The tag that begins an element.
    struct Tag {
        /// The name without prefix.
        var name: Range<Int>
        /// The attributes; of more than 1,000 the first.
        var attributes: [Attribute]
        /// Whether the element ends with it.
        var isEmpty: Bool
    }

    /// What is found.
    enum Piece {
        case text(Range<Int>)
        /// The content of a CDATA section.
        case literal(Range<Int>)
        /// A comment, processing instruction or declaration.
        case comment(Range<Int>)
        case start(Tag)
        case end
    }

    private static let maxAttributes = 1_000
    private let bytes: [UInt8]
    private let end: Int
    private var position: Int

    /// A scanner of `range` of `bytes`.
    init(_ bytes: [UInt8], _ range: Range<Int>) {
        self.bytes = bytes
        position = range.lowerBound
        end = range.upperBound
    }

    /// The next piece, nil at the end.
    mutating func next() -> Piece? {
        guard position < end else { return nil }
        guard bytes[position] == 0x3C, position + 1 < end else { return .text(takeText()) }
        switch bytes[position + 1] {
        case UInt8(ascii: "!"):
            if begins("<![CDATA[") { return .literal(take(after: 9, before: "]]>")) }
            if begins("<!--") { return .comment(take(after: 4, before: "-->")) }
            return .comment(take(after: 2, before: ">"))
        case UInt8(ascii: "?"): return .comment(take(after: 2, before: "?>"))
        case UInt8(ascii: "/"):
            _ = take(after: 2, before: ">")
            return .end
        case let byte where Self.isName(byte): return .start(takeTag())
        default: return .text(takeText())
        }
    }

    private mutating func takeText() -> Range<Int> {
        let start = position
        position += 1
        while position < end, bytes[position] != 0x3C { position += 1 }
        return start..<position
    }

    private func begins(_ text: String) -> Bool {
        bytes[position..<end].starts(with: text.utf8)
    }

    private mutating func take(after count: Int, before mark: String) -> Range<Int> {
        let start = min(position + count, end)
        let mark = Array(mark.utf8)
        var place = start
        while place < end, !(bytes[place] == mark[0] && bytes[place..<end].starts(with: mark)) {
            place += 1
        }
        position = min(place + mark.count, end)
        return start..<place
    }

    private mutating func takeTag() -> Tag {
        position += 1
        let name = takeName()
        var attributes: [Attribute] = []
        while position < end {
            let byte = bytes[position]
            if byte == 0x3E {
                position += 1
                return Tag(name: name.local, attributes: attributes, isEmpty: false)
            }
            if byte == 0x2F, position + 1 < end, bytes[position + 1] == 0x3E {
                position += 2
                return Tag(name: name.local, attributes: attributes, isEmpty: true)
            }
            // A tag that is not closed ends where the next begins.
            if byte == 0x3C { break }
            guard Self.isName(byte) else {
                position += 1
                continue
            }
            let called = takeName()
            skipSpace()
            guard position < end, bytes[position] == 0x3D else { continue }
            position += 1
            skipSpace()
            let value = takeValue()
            guard attributes.count < Self.maxAttributes else { continue }
            attributes.append(
                Attribute(
                    name: called.local, value: value,
                    isPrefixed: bytes[called.prefix].elementsEqual("xmlns".utf8)))
        }
        return Tag(name: name.local, attributes: attributes, isEmpty: false)
    }

    private mutating func takeName() -> (prefix: Range<Int>, local: Range<Int>) {
        let start = position
        var local = start
        while position < end, Self.isName(bytes[position]) {
            if bytes[position] == 0x3A { local = position + 1 }
            position += 1
        }
        return (start..<max(start, local - 1), local..<position)
    }

    private mutating func skipSpace() {
        while position < end, bytes[position] <= 0x20 { position += 1 }
    }

    private mutating func takeValue() -> Range<Int> {
        guard position < end else { return end..<end }
        let quote = bytes[position]
        guard quote == 0x22 || quote == 0x27 else {
            let start = position
            while position < end, bytes[position] > 0x20, bytes[position] != 0x3E { position += 1 }
            return start..<position
        }
        let start = position + 1
        position = start
        while position < end, bytes[position] != quote { position += 1 }
        defer { position = min(position + 1, end) }
        return start..<position
    }

    private static func isName(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte | 0x20) || (0x30...0x3A).contains(byte)
            || [0x2D, 0x2E, 0x5F].contains(byte) || byte >= 0x80
    }
}
