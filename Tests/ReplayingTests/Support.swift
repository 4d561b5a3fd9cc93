import Replaying
import Wire

/// Chance that is the same for the same seed.
struct SplitMix64: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<max(1, limit), using: &self) }

    mutating func chance(_ percent: Int) -> Bool { below(100) < percent }

    /// A name of 32 hexadecimal digits.
    mutating func name() -> String {
        [next(), next()].map { word in
            let digits = String(word, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}

func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

func string(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

func second(_ number: Double) -> Instant { Instant(nanoseconds: Int64(number * 1e9)) }
