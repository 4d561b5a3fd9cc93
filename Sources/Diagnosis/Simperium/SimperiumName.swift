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
        var hasher = Hasher()
        hasher.combine(ExactText(string))
        print = hasher.finalize()
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
