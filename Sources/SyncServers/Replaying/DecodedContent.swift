internal import Framing

/// Content after its content codings.
enum DecodedContent {
    /// `body` after `codings`, the value of Content-Encoding; as it is where they cannot be undone.
    static func of(_ body: [UInt8], codings: String?) -> [UInt8] {
        guard !body.isEmpty, let codings else { return body }
        var plain: [UInt8] = []
        let limits = ContentDecodingLimits(maxDecodedBytes: Int64(ReplayConnection.maxBody))
        do {
            let decoder = try ContentDecoder(codings: codings, limits: limits)
            try decoder.decode(body.span) { (block) throws(ContentCodingError) in
                block.withUnsafeBufferPointer { plain.append(contentsOf: $0) }
            }
            try decoder.finish()
            return plain
        } catch {
            return body
        }
    }
}
