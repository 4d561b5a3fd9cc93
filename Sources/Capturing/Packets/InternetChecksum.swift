/// The checksum of IP and TCP headers: the ones' complement of the sum of all 16-bit words.
///
/// Source: RFC 1071. An odd last byte counts as if a zero followed it.
struct InternetChecksum {
    private var sum: UInt64 = 0

    /// Adds bytes that begin at an even place of what is summed up.
    mutating func add(_ bytes: some Collection<UInt8>) {
        var high: UInt8?
        for byte in bytes {
            guard let before = high else {
                high = byte
                continue
            }
            sum += UInt64(before) << 8 | UInt64(byte)
            high = nil
        }
        if let high { sum += UInt64(high) << 8 }
    }

    /// Adds one 16-bit word.
    mutating func add(word: UInt16) { sum += UInt64(word) }

    /// The checksum as written in a header; 0 for a header whose checksum was included in the sum
    /// and is correct.
    var value: UInt16 {
        var folded = sum
        while folded > 0xFFFF { folded = (folded & 0xFFFF) + folded >> 16 }
        return ~UInt16(folded)
    }
}
