internal import Crypto
internal import Foundation

/// Replaces each character by one that depends on a key and on the character alone.
///
/// Weaker than a stand-in: a reader of enough text can count letters. It is for strings that string
/// deltas edit, since it is the same whether it is done before the delta is applied or after. An
/// `@` becomes `*`, so that an address no longer looks like one.
struct CharacterSubstitution {
    private let digits: [Int]
    private let letters: [Int]
    private let others: UInt8

    /// A substitution under `key`.
    init(key: [UInt8]) {
        let code = Array(
            HMAC<SHA256>.authenticationCode(
                for: Array("substitution".utf8), using: SymmetricKey(data: key)))
        var stream = Array(
            HMAC<SHA512>.authenticationCode(for: code, using: SymmetricKey(data: key)))[...]
        func permutation(_ count: Int) -> [Int] {
            var order = Array(0..<count)
            for index in (1..<count).reversed() {
                order.swapAt(index, Int(stream.popFirst() ?? 0) % (index + 1))
            }
            // One that leaves everything where it is would hide nothing.
            return order == Array(0..<count) ? Array(1..<count) + [0] : order
        }
        digits = permutation(10)
        letters = permutation(26)
        others = stream.popFirst() ?? 1
    }

    /// `text` with each character replaced.
    func replace(_ text: [UInt8]) -> [UInt8] {
        // Hexadecimal text is recognised by the whole string, which a delta does not have.
        var result: [UInt8] = []
        result.reserveCapacity(text.count)
        var rest = text[...]
        while let byte = rest.first {
            switch byte {
            case 0x30...0x39:
                result.append(0x30 + UInt8(truncatingIfNeeded: digits[Int(byte - 0x30)]))
            case 0x41...0x5A:
                result.append(0x41 + UInt8(truncatingIfNeeded: letters[Int(byte - 0x41)]))
            case 0x61...0x7A:
                result.append(0x61 + UInt8(truncatingIfNeeded: letters[Int(byte - 0x61)]))
            case 0x40: result.append(0x2A)
            case ..<0x80: result.append(byte)
            default:
                let wide = rest.prefix { $0 >= 0x80 }
                result += CharacterShape.replace(Array(wide)) { _, choice in
                    choice.index ^ (Int(others | 1) & (choice.count - 1))
                }
                rest = rest.dropFirst(wide.count)
                continue
            }
            rest = rest.dropFirst()
        }
        return result
    }
}
