/// A multipart body that is there as a whole, cut into its parts.
struct MultipartBody {
    /// One part.
    struct Part {
        /// Header fields, names in lower case.
        var fields: [(name: String, value: String)]
        /// The range of its content in the body.
        var content: Range<Int>

        func value(_ name: String) -> String? { fields.first { $0.name == name }?.value }
    }

    private(set) var parts: [Part] = []

    /// The maximum number of parts that are separated.
    static let maxParts = 10_000

    /// Nil where the closing delimiter is missing or there are too many parts.
    ///
    /// Source: RFC 2046, 5.1.1; a line may end in a line feed alone.
    init?(_ body: [UInt8], boundary: String) {
        let mark = Array("--\(boundary)".utf8)
        var open: Int?
        var line = 0
        while line < body.count {
            let next = body[line...].firstIndex(of: 0x0A).map { $0 + 1 } ?? body.count
            defer { line = next }
            guard body[line..<next].starts(with: mark) else { continue }
            var tail = body[(line + mark.count)..<next]
            let isClosing = tail.starts(with: [0x2D, 0x2D])
            if isClosing { tail = tail.dropFirst(2) }
            guard tail.allSatisfy({ $0 <= 0x20 }) else { continue }
            if let open {
                guard parts.count < Self.maxParts else { return nil }
                var end = line
                if end > open, body[end - 1] == 0x0A { end -= 1 }
                if end > open, body[end - 1] == 0x0D { end -= 1 }
                parts.append(Self.part(body, open..<end))
            }
            if isClosing { return }
            open = next
        }
        return nil
    }

    private static func part(_ body: [UInt8], _ range: Range<Int>) -> Part {
        var fields: [(name: String, value: String)] = []
        var line = range.lowerBound
        while line < range.upperBound {
            let next = body[line..<range.upperBound].firstIndex(of: 0x0A).map { $0 + 1 }
            let end = next ?? range.upperBound
            let text = String(
                decoding: body[line..<end].filter { $0 != 0x0D && $0 != 0x0A }, as: UTF8.self)
            line = end
            if text.isEmpty { break }
            guard let colon = text.utf8.firstIndex(of: 0x3A) else { continue }
            fields.append(
                (text[..<colon].lowercased(), HeaderText.trimmed(text[text.index(after: colon)...]))
            )
        }
        return Part(fields: fields, content: line..<range.upperBound)
    }
}
