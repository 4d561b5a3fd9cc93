import Framing

/// A body that ends in its middle, in a message whose length is right.
struct CutBody {
    /// The content, decoded.
    let whole: [UInt8]
    /// What is left of it.
    let rest: [UInt8]

    /// Whether the content can be XML: its first character opens a tag.
    var isXML: Bool {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let text = whole.starts(with: mark) ? whole.dropFirst(mark.count) : whole[...]
        return text.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } == UInt8(ascii: "<")
    }

    /// The maximum number of bytes that are decoded.
    static let limit = 16 << 20

    /// Cuts a body.
    ///
    /// Nil where there is nothing to cut or the content cannot be decoded.
    ///
    /// - Parameters:
    ///   - content: The content as sent, without transfer coding.
    ///   - head: The head of the message.
    ///   - at: Bytes that stay; nil for half of them.
    init?(_ content: [UInt8], _ head: HTTPHead, at: Int64?) {
        var decoded: [UInt8] = []
        if head.first("content-encoding") == nil {
            decoded = content
        } else {
            let codings = head.values(of: "content-encoding").joined(separator: ", ")
            guard
                let decoder = try? ContentDecoder(
                    codings: codings, limits: ContentDecodingLimits(maxWindowLog: 23)),
                (try? Self.decode(content, decoder, into: &decoded)) != nil,
                decoded.count <= Self.limit
            else { return nil }
        }
        guard !decoded.isEmpty else { return nil }
        whole = decoded
        let count = at.map { Int(clamping: $0) } ?? decoded.count / 2
        guard count < decoded.count else { return nil }
        rest = Array(decoded.prefix(max(0, count)))
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

    /// The head that goes with what is left.
    func reframe(_ head: inout EditableHead) {
        for name in ["transfer-encoding", "content-encoding", "trailer"] { _ = head.remove(name) }
        head.set("Content-Length", String(rest.count))
    }
}
