import Framing
import Notation

/// Bytes of one direction, and what the framer is told about them.
struct HTTPSample: Sendable, CustomStringConvertible {
    var name: String
    var role: HTTPRole
    var bytes: [UInt8]
    /// What the responses answer.
    var expecting: [HTTPRequestKind] = []
    /// What is said at each pause.
    var resumption = HTTPResumption.http
    var limits = HTTPLimits()

    var description: String { name }

    static func request(
        _ name: String, _ text: String, then resumption: HTTPResumption = .http,
        limits: HTTPLimits = HTTPLimits()
    ) -> HTTPSample {
        HTTPSample(
            name: name, role: .request, bytes: latin1(text), resumption: resumption,
            limits: limits)
    }

    static func response(
        _ name: String, _ text: String, to expecting: [HTTPRequestKind] = [],
        then resumption: HTTPResumption = .http, limits: HTTPLimits = HTTPLimits()
    ) -> HTTPSample {
        HTTPSample(
            name: name, role: .response, bytes: latin1(text), expecting: expecting,
            resumption: resumption, limits: limits)
    }

    /// One byte per scalar, so that samples can have any byte.
    static func latin1(_ text: String) -> [UInt8] {
        text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
    }

    /// Lengths of portions that make up `total`.
    static func cuts(of total: Int, seed: UInt64) -> [Int] {
        var random = SplitMix64(seed: seed)
        let longest = Int.random(in: 1...max(1, min(total, 40)), using: &random)
        var left = total
        var result: [Int] = []
        while left > 0 {
            let next = min(left, Int.random(in: 0...longest, using: &random))
            result.append(next)
            left -= next
        }
        return result
    }
}
