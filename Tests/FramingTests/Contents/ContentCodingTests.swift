import Framing
import Notation
import Testing

@Suite struct ContentCodingTests {
    /// Decodes in portions, and says what came out and how it ended.
    private func decode(
        _ sample: ContentCodingSample, cuts: [Int],
        limits: ContentDecodingLimits = ContentDecodingLimits()
    ) throws -> (bytes: [UInt8], error: ContentCodingError?, largest: Int) {
        let decoder = try ContentDecoder(codings: sample.codings, limits: limits)
        var bytes: [UInt8] = []
        var largest = 0
        var start = 0
        do throws(ContentCodingError) {
            for length in cuts {
                try decoder.decode(sample.bytes.span.extracting(start..<start + length)) { block in
                    largest = max(largest, block.count)
                    for index in 0..<block.count { bytes.append(block[index]) }
                }
                start += length
            }
            try decoder.finish()
        } catch {
            return (bytes, error, largest)
        }
        #expect(decoder.inputBytes == sample.bytes.count)
        #expect(decoder.outputBytes == bytes.count)
        return (bytes, nil, largest)
    }

    @Test(arguments: ContentCodingVectors.wellFormed)
    func `decodes what other implementations made`(sample: ContentCodingSample) throws {
        let whole = try decode(sample, cuts: [sample.bytes.count])
        #expect(whole.error == nil)
        #expect(whole.bytes == ContentCodingVectors.text)
        let single = try decode(sample, cuts: sample.bytes.map { _ in 1 })
        #expect(single.error == nil)
        #expect(single.bytes == ContentCodingVectors.text)
        for seed in 0..<50 {
            let cuts = HTTPSample.cuts(of: sample.bytes.count, seed: UInt64(seed))
            let result = try decode(sample, cuts: cuts)
            #expect(result.error == nil, "seed \(seed)")
            #expect(result.bytes == ContentCodingVectors.text, "seed \(seed)")
        }
    }

    @Test(arguments: ContentCodingVectors.wellFormed)
    func `says where it was cut off`(sample: ContentCodingSample) throws {
        var short = sample
        short.bytes.removeLast()
        let result = try decode(short, cuts: [short.bytes.count])
        guard case .truncated(_, let offset) = result.error else {
            Issue.record("\(String(describing: result.error))")
            return
        }
        #expect(offset <= Int64(short.bytes.count))
        if !sample.codings.contains(",") { #expect(offset == Int64(short.bytes.count)) }
    }

    @Test(arguments: ContentCodingVectors.wellFormed)
    func `refuses what is appended`(sample: ContentCodingSample) throws {
        var long = sample
        long.bytes += Array("<html>".utf8)
        for cuts in [[long.bytes.count], long.bytes.map { _ in 1 }] {
            let result = try decode(long, cuts: cuts)
            #expect(result.bytes == ContentCodingVectors.text)
            guard case .trailing(_, let offset) = result.error else {
                Issue.record("\(String(describing: result.error))")
                continue
            }
            #expect(offset == Int64(sample.bytes.count))
        }
    }

    @Test(arguments: ["gzip", "deflate", "br", "zstd", "gzip, br", "", "identity"])
    func `takes an empty body for well-formed`(codings: String) throws {
        let sample = ContentCodingSample(name: "", codings: codings, bytes: [])
        let result = try decode(sample, cuts: [0, 0])
        #expect(result.error == nil)
        #expect(result.bytes == [])
    }

    @Test func `passes content without codings on as it is`() throws {
        let text = ContentCodingVectors.text
        let sample = ContentCodingSample(name: "", codings: " identity ,, ", bytes: text)
        #expect(try ContentDecoder(codings: sample.codings).isIdentity)
        #expect(try decode(sample, cuts: [text.count]).bytes == text)
    }

    @Test(
        arguments: [
            ("compress", .unknown(coding: "compress")),
            ("gzip, aws-chunked", .unknown(coding: "aws-chunked")),
            ("g zip", .unknown(coding: "g zip")),
            ("gzip,gzip,gzip,gzip,gzip", .tooMany(limit: 4)),
        ] as [(String, ContentCodingError)])
    func `refuses codings`(codings: String, expected: ContentCodingError) {
        #expect(throws: expected) { try ContentDecoder(codings: codings) }
    }

    @Test(arguments: ["gzip", "deflate", "br", "zstd"])
    func `says where data is broken`(codings: String) throws {
        for text in ["<html>not coded at all</html>", "{\"a\":1,\"bcdef\":\"ghijklmnopqrstuv\"}"] {
            let sample = ContentCodingSample(
                name: "", codings: codings, bytes: Array(text.utf8))
            for cuts in [[sample.bytes.count], sample.bytes.map { _ in 1 }] {
                guard
                    case .malformed(_, let offset, let reason) = try decode(sample, cuts: cuts)
                        .error
                else {
                    Issue.record("\(codings) \(cuts)")
                    continue
                }
                #expect(offset <= Int64(sample.bytes.count))
                #expect(!reason.isEmpty)
            }
        }
    }

    @Test func `throws the same again after a failure`() throws {
        let decoder = try ContentDecoder(codings: "gzip")
        let bytes = Array("nonsense".utf8)
        func attempt() -> ContentCodingError? {
            do throws(ContentCodingError) {
                try decoder.decode(bytes.span) { _ in }
                return nil
            } catch {
                return error
            }
        }
        let first = try #require(attempt())
        #expect(attempt() == first)
        #expect(throws: first) { try decoder.finish() }
    }

    @Test(arguments: ContentCodingVectors.zeros)
    func `hands on blocks of bounded size`(sample: ContentCodingSample) throws {
        for cuts in [[sample.bytes.count], sample.bytes.map { _ in 1 }] {
            let result = try decode(sample, cuts: cuts)
            #expect(result.error == nil)
            #expect(result.bytes == [UInt8](repeating: 0, count: 300_000))
            #expect(result.largest <= 256 * 1024)
        }
    }

    @Test(arguments: ContentCodingVectors.zeros)
    func `stops a bomb`(sample: ContentCodingSample) throws {
        let bySize = ContentDecodingLimits(maxDecodedBytes: 100_000)
        let byRatio = ContentDecodingLimits(ratioFromBytes: 100_000, maxRatio: 50)
        for limits in [bySize, byRatio] {
            let result = try decode(sample, cuts: [sample.bytes.count], limits: limits)
            #expect(result.error == .bomb(offset: Int64(sample.bytes.count)))
            #expect(result.bytes.count <= 100_000)
        }
    }

    @Test func `counts what grows between two codings`() throws {
        // The outcome is tiny: gzip members of nothing, many of them, coded again.
        let member = ContentCodingSample.bytes("1f8b080000000000020303000000000000000000")
        let inner = (0..<20_000).flatMap { _ in member }
        let sample = ContentCodingSample(name: "", codings: "gzip", bytes: inner)
        #expect(try decode(sample, cuts: [inner.count]).bytes == [])
        let limits = ContentDecodingLimits(maxDecodedBytes: 100_000)
        let doubled = ContentCodingSample(
            name: "", codings: "gzip, deflate", bytes: Self.stored(inner))
        #expect(try decode(doubled, cuts: [doubled.bytes.count]).error == nil)
        let result = try decode(doubled, cuts: [doubled.bytes.count], limits: limits)
        #expect(result.error == .bomb(offset: Int64(doubled.bytes.count)))
    }

    @Test func `refuses a zstd window that takes too much memory`() throws {
        let sample = ContentCodingSample(
            name: "", codings: "zstd", bytes: ContentCodingVectors.hugeWindow)
        guard case .malformed(.zstandard, _, let reason) = try decode(sample, cuts: [9]).error
        else {
            Issue.record("accepted")
            return
        }
        #expect(reason.contains("memory"))
    }

    @Test(arguments: 0..<300)
    func `ends in a result or an error, whatever the bytes`(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let samples = ContentCodingVectors.wellFormed + ContentCodingVectors.zeros
        var sample = samples[Int.random(in: 0..<samples.count, using: &random)]
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let index = Int.random(in: 0..<sample.bytes.count, using: &random)
            sample.bytes[index] = UInt8.random(in: 0...255, using: &random)
        }
        let whole = try decode(sample, cuts: [sample.bytes.count])
        let cut = try decode(sample, cuts: HTTPSample.cuts(of: sample.bytes.count, seed: seed))
        #expect((whole.error == nil) == (cut.error == nil))
        if whole.error == nil { #expect(whole.bytes == cut.bytes) }
    }

    /// Bare deflate of blocks that are not compressed (RFC 1951, 3.2.4).
    private static func stored(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var start = 0
        while start < bytes.count {
            let end = min(bytes.count, start + 65535)
            let size = UInt16(end - start)
            result.append(end == bytes.count ? 1 : 0)
            for value in [size, ~size] {
                result.append(UInt8(truncatingIfNeeded: value))
                result.append(UInt8(truncatingIfNeeded: value >> 8))
            }
            result += bytes[start..<end]
            start = end
        }
        return result
    }
}
