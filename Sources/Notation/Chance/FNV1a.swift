/// A checksum of bytes that is the same on every run, and no protection against intent.
///
/// Source: Fowler, Noll and Vo; 64 bits, the variant that multiplies last (RFC 9923).
package struct FNV1a: Hashable, Sendable {
    /// The checksum of all bytes so far.
    package private(set) var value: UInt64
    private let prime: UInt64

    /// The checksum of no bytes.
    ///
    /// - Parameters:
    ///   - offset: What it begins with; another one gives a second, different checksum.
    ///   - prime: What it is multiplied with.
    package init(
        offset: UInt64 = 0xCBF2_9CE4_8422_2325, prime: UInt64 = 0x100_0000_01B3
    ) {
        value = offset
        self.prime = prime
    }

    /// What a second checksum begins with.
    package static let otherOffset: UInt64 = 0x8422_2325_CBF2_9CE4

    /// Takes these bytes in.
    package mutating func add(_ bytes: some Sequence<UInt8>) {
        // Names are taken in for every command, and bytes in a row are read much faster.
        let isDone: Void? = bytes.withContiguousStorageIfAvailable { bytes in
            value = Self.hash(value, bytes, prime)
        }
        if isDone == nil { value = Self.hash(value, bytes, prime) }
    }

    private static func hash(
        _ start: UInt64, _ bytes: some Sequence<UInt8>, _ prime: UInt64
    ) -> UInt64 {
        var hash = start
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* prime }
        return hash
    }

    /// The checksum of `bytes`.
    package static func hash(
        _ bytes: some Sequence<UInt8>, offset: UInt64 = 0xCBF2_9CE4_8422_2325
    ) -> UInt64 {
        var sum = FNV1a(offset: offset)
        sum.add(bytes)
        return sum.value
    }
}
