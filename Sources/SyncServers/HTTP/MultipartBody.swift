/// A `multipart/form-data` body that is there as a whole, cut into its parts.
struct MultipartBody {
    /// One part.
    struct Part: Hashable {
        /// The `name` of its `Content-Disposition`; nil where it has none.
        var name: String?
        /// The `filename` of its `Content-Disposition`; nil where it has none.
        var fileName: String?
        /// Where its content is in the body.
        var content: Range<Int>
    }

    /// The parts in their order.
    var parts: [Part] = []

    /// The boundary in a `Content-Type`; nil where that is not multipart or names none.
    static func boundary(_ contentType: String?) -> [UInt8]? {
        guard let contentType,
            contentType.lowercased().hasPrefix("multipart/form-data")
        else { return nil }
        return parameter("boundary", of: contentType).map { Array($0.utf8) }
    }

    /// Cuts `body`; nil where it does not end in a closing boundary or a part has no head.
    ///
    /// - Parameters:
    ///   - body: The whole body; hostile.
    ///   - boundary: Without the hyphens.
    ///   - limit: Largest number of parts.
    init?(_ body: [UInt8], boundary: [UInt8], limit: Int = 1000) {
        guard !boundary.isEmpty, boundary.count <= 200 else { return nil }
        let mark = [UInt8(ascii: "-"), UInt8(ascii: "-")] + boundary
        var position = 0
        // A boundary stands at the start of a line; the line break before it belongs to it.
        guard let first = Self.find(mark, in: body, from: 0),
            first == 0 || body[first - 1] == UInt8(ascii: "\n")
        else { return nil }
        position = first + mark.count
        while true {
            if Self.has([UInt8(ascii: "-"), UInt8(ascii: "-")], body, at: position) { return }
            guard let line = body[position...].firstIndex(of: UInt8(ascii: "\n")),
                let head = Self.find([13, 10, 13, 10], in: body, from: max(position, line - 1)),
                let end = Self.find([13, 10] + mark, in: body, from: head + 2),
                parts.count < limit
            else { return nil }
            let start = min(head + 4, end)
            let fields = head > line ? String(decoding: body[line..<head], as: UTF8.self) : ""
            let disposition = fields.split(whereSeparator: \.isNewline).first {
                $0.lowercased().hasPrefix("content-disposition:")
            }
            parts.append(
                Part(
                    name: disposition.flatMap { Self.parameter("name", of: String($0)) },
                    fileName: disposition.flatMap { Self.parameter("filename", of: String($0)) },
                    content: start..<end))
            position = end + 2 + mark.count
        }
    }

    /// A parameter of a header field, without quotes.
    private static func parameter(_ name: String, of field: String) -> String? {
        for part in field.split(separator: ";").dropFirst() {
            let pair = part.split(separator: "=", maxSplits: 1)
            guard pair.count == 2, trimmed(pair[0]).lowercased() == name else { continue }
            let value = trimmed(pair[1])
            return value.count >= 2 && value.hasPrefix("\"") && value.hasSuffix("\"")
                ? String(value.dropFirst().dropLast()) : String(value)
        }
        return nil
    }

    /// Without space at the ends.
    private static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop(while: \.isWhitespace)
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }

    /// Whether `mark` stands at `position`.
    private static func has(_ mark: [UInt8], _ body: [UInt8], at position: Int) -> Bool {
        position >= 0 && position + mark.count <= body.count
            && body[position..<position + mark.count].elementsEqual(mark)
    }

    /// Where `mark` stands first, from `start` on.
    private static func find(_ mark: [UInt8], in body: [UInt8], from start: Int) -> Int? {
        guard let first = mark.first, start >= 0 else { return nil }
        var position = start
        while position + mark.count <= body.count {
            guard let next = body[position...].firstIndex(of: first) else { return nil }
            if has(mark, body, at: next) { return next }
            position = next + 1
        }
        return nil
    }
}
