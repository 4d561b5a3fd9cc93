/// Walks over the elements of a comma-separated value; empty ones are left out.
///
/// Source: RFC 9110, 5.6.1. Commas within quoted strings separate as well, since the lists that
/// decide on framing have no quoted strings.
struct HTTPListElements {
    /// One element of a list.
    struct Element {
        /// The whole element.
        var whole: Range<Int>
        /// The element up to its first semicolon.
        var token: Range<Int>
    }

    private var rest: Range<Int>

    init(_ value: Range<Int>) { rest = value }

    /// The next element, with offsets relative to `span`.
    mutating func next(in span: borrowing Span<UInt8>) -> Element? {
        while !rest.isEmpty {
            let comma = span.firstIndex(of: 0x2C, in: rest)
            let whole = span.trimmed(rest.lowerBound..<comma)
            rest = min(comma + 1, rest.upperBound)..<rest.upperBound
            guard !whole.isEmpty else { continue }
            let semicolon = span.firstIndex(of: 0x3B, in: whole)
            return Element(whole: whole, token: span.trimmed(whole.lowerBound..<semicolon))
        }
        return nil
    }
}
