import Framing
import Testing

@testable import Redaction

@Suite("Content stored in a coding") struct StoredCodingTests {
    static func decode(
        _ bytes: [UInt8], _ coding: String
    ) throws -> (content: [UInt8], isWhole: Bool) {
        let decoder = try ContentDecoder(codings: coding)
        var content: [UInt8] = []
        try decoder.decode(bytes.span) { (part) throws(ContentCodingError) in
            part.withUnsafeBufferPointer { content.append(contentsOf: $0) }
        }
        return (content, (try? decoder.finish()) != nil)
    }

    @Test(
        arguments: ["gzip", "deflate", "br", "zstd", "deflate, gzip", "br, zstd"],
        [0, 1, 65_535, 65_536, 200_000])
    func `is what a decoder reads`(coding: String, size: Int) throws {
        let content = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let codings = try ContentCoding.parse(coding)
        let whole = try Self.decode(StoredCoding.encode(content, codings, isWhole: true), coding)
        #expect(whole.content == content)
        #expect(whole.isWhole)
        // A decoder of brotli keeps back what is in its window until the end comes.
        guard size > 0, size < 65_536 || !coding.contains("br") else { return }
        let cut = try Self.decode(StoredCoding.encode(content, codings, isWhole: false), coding)
        #expect(cut.content == content)
        #expect(!cut.isWhole)
    }
}
