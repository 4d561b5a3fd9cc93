import Notation
import Replaying
import Wire

extension SplitMix64 {
    mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<max(1, limit), using: &self) }

    mutating func chance(_ percent: Int) -> Bool { below(100) < percent }

    /// A name of 32 hexadecimal digits.
    mutating func name() -> String {
        Hexadecimal.text(next(), digits: 16) + Hexadecimal.text(next(), digits: 16)
    }
}

func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

func string(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

func second(_ number: Double) -> Instant { Instant(nanoseconds: Int64(number * 1e9)) }
