import Notation
import Wire

/// The key of an object or the identifier of a change, for many look-ups.
///
/// Equals another only if both have the same code points, as ``ExactText``; hashed once.
struct SimperiumName: Hashable, Sendable, CustomStringConvertible {
    let string: String
    private let print: Int

    init(_ string: String) {
        self.string = string
        print = Self.print(of: string)
    }

    /// A keyed hash of a text, and of a number beside it.
    ///
    /// Each command needs a dozen. The key is another one in each process, so that no peer can choose
    /// names that collide.
    static func print(of string: String, _ number: Int32 = 0) -> Int {
        var string = string
        return string.withUTF8 { bytes in
            let bytes = UnsafeRawBufferPointer(bytes)
            var hash = mixed(key ^ UInt64(UInt32(bitPattern: number)))
            var place = 0
            while place + 8 <= bytes.count {
                hash = mixed(hash ^ bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self))
                place += 8
            }
            // With the number of bytes, so that zeros at the end count.
            var rest = UInt64(truncatingIfNeeded: bytes.count) << 56
            while place < bytes.count {
                rest = rest ^ UInt64(bytes[place]) << UInt64(8 * (place & 7))
                place += 1
            }
            return Int(truncatingIfNeeded: mixed(hash ^ rest))
        }
    }

    private static let key = UInt64.random(in: .min ... .max)
    private static let factor = UInt64.random(in: .min ... .max) | 1

    private static func mixed(_ value: UInt64) -> UInt64 {
        let product = value.multipliedFullWidth(by: factor)
        return product.high ^ product.low
    }

    static func == (a: Self, b: Self) -> Bool {
        a.print == b.print && isSame(a.string, b.string)
    }

    func hash(into hasher: inout Hasher) { hasher.combine(print) }

    var description: String { string }

    /// Whether two texts have the same code points.
    static func isSame(_ a: String, _ b: String) -> Bool {
        guard a.utf8.count == b.utf8.count else { return false }
        let isEqual = a.utf8.withContiguousStorageIfAvailable { one in
            b.utf8.withContiguousStorageIfAvailable { two in
                isSame(UnsafeRawBufferPointer(one), UnsafeRawBufferPointer(two))
            }
        }
        return (isEqual ?? nil) ?? (ExactText(a) == ExactText(b))
    }

    /// Compares as many bytes of both, eight at a time: names are compared for every command.
    private static func isSame(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Bool {
        var place = 0
        while place + 8 <= a.count {
            guard
                a.loadUnaligned(fromByteOffset: place, as: UInt64.self)
                    == b.loadUnaligned(fromByteOffset: place, as: UInt64.self)
            else { return false }
            place += 8
        }
        while place < a.count {
            guard a[place] == b[place] else { return false }
            place += 1
        }
        return true
    }
}
