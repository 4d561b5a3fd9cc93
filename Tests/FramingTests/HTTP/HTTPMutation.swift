import Framing
import Notation

/// Samples of the corpus, broken.
enum HTTPMutation {
    /// Bytes that matter to parsers of HTTP.
    private static let telling = Array("\r\n\r\n \t:;,+-0x1fF\0/?*H".utf8) + [0x7F, 0x80, 0xFF]

    /// A sample of one role, cut up and glued together with `random`.
    static func make(using random: inout SplitMix64) -> HTTPSample {
        let pool = Bool.random(using: &random) ? HTTPCorpus.requests : HTTPCorpus.responses
        var sample = pool[Int.random(in: 0..<pool.count, using: &random)]
        if Int.random(in: 0..<3, using: &random) == 0 {
            sample.bytes += pool[Int.random(in: 0..<pool.count, using: &random)].bytes
        }
        for _ in 0..<Int.random(in: 1...6, using: &random) {
            guard !sample.bytes.isEmpty else { break }
            let index = Int.random(in: 0..<sample.bytes.count, using: &random)
            let byte = telling[Int.random(in: 0..<telling.count, using: &random)]
            switch Int.random(in: 0..<5, using: &random) {
            case 0:
                sample.bytes[index] = byte
            case 1:
                sample.bytes.insert(byte, at: index)
            case 2:
                sample.bytes.remove(at: index)
            case 3:
                let end = min(
                    sample.bytes.count, index + Int.random(in: 1...20, using: &random))
                sample.bytes.insert(contentsOf: sample.bytes[index..<end], at: index)
            default:
                sample.bytes[index] = UInt8.random(in: 0...255, using: &random)
            }
        }
        return sample
    }
}
