import Framing

/// The content of a message, decoded, to be changed and framed again.
struct EditedBody {
    /// The content as it is now.
    private(set) var content: [UInt8]
    /// The codings in which it is sent, in the order in which they are applied.
    private var codings: [ContentCoding]
    /// Its Content-Type.
    private let type: String?
    /// Whether a part of it was cut off.
    private(set) var isCut = false

    /// The maximum number of bytes that are decoded.
    static let limit = 16 << 20

    /// The content of a message; nil where it cannot be decoded, or is too large then.
    ///
    /// - Parameters:
    ///   - content: The content as sent, without transfer coding.
    ///   - head: The head of the message.
    init?(_ content: [UInt8], _ head: HTTPHead) {
        type = head.value(of: "content-type")
        guard head.first("content-encoding") != nil else {
            self.content = content
            codings = []
            return
        }
        let names = head.values(of: "content-encoding").joined(separator: ", ")
        var decoded: [UInt8] = []
        guard
            let decoder = try? ContentDecoder(
                codings: names, limits: ContentDecodingLimits(maxWindowLog: 23)),
            (try? Self.decode(content, decoder, into: &decoded)) != nil,
            decoded.count <= Self.limit
        else { return nil }
        self.content = decoded
        codings = decoder.codings
    }

    private static func decode(
        _ content: [UInt8], _ decoder: ContentDecoder, into decoded: inout [UInt8]
    ) throws(ContentCodingError) {
        var result: [UInt8] = []
        try decoder.decode(content.span) { part in
            // One block above the limit shows that there is more.
            guard result.count <= limit else { return }
            part.withUnsafeBufferPointer { result.append(contentsOf: $0) }
        }
        try decoder.finish()
        decoded = result
    }

    /// Whether the content can be XML: its first character opens a tag.
    var isXML: Bool {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let text = content.starts(with: mark) ? content.dropFirst(mark.count) : content[...]
        return text.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } == UInt8(ascii: "<")
    }

    /// Keeps the first `count` bytes, half of them for nil, and sends them in no coding.
    ///
    /// - Returns: Whether there are more than that.
    mutating func cut(at count: Int64?) -> Bool {
        let count = count.map { Int(clamping: $0) } ?? content.count / 2
        guard count < content.count else { return false }
        content = Array(content.prefix(max(0, count)))
        codings = []
        isCut = true
        return true
    }

    /// Carries out an edit of content.
    ///
    /// - Throws: ``EditProblem`` where it cannot be done, or changes nothing.
    mutating func edit(_ edit: ContentEdit) throws(EditProblem) {
        let changed = try edit.apply(to: content, type: type)
        guard changed != content else { throw EditProblem("the body is the same with it") }
        content = changed
    }

    /// The content in its codings, with a head that goes with it.
    ///
    /// The codings are those of before, in blocks that store bytes as they are.
    func framed(_ head: inout EditableHead) -> [UInt8] {
        for name in ["transfer-encoding", "trailer"] { _ = head.remove(name) }
        if codings.isEmpty { _ = head.remove("content-encoding") }
        let body =
            codings.isEmpty ? content : StoredCoding.encode(content, codings, isWhole: true)
        head.set("Content-Length", String(body.count))
        return body
    }
}
