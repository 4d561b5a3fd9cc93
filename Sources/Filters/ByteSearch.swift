/// Finds text in bytes without regard to the case of ASCII letters.
public enum ByteSearch {
    /// Whether `haystack` contains `needle`, upper and lower case ASCII letters being the same.
    ///
    /// Inspects eight places at once for the first and the last byte of the needle, so that bodies
    /// are searched at the speed of memory. Other scalars than ASCII are compared exactly.
    ///
    /// - Parameters:
    ///   - haystack: Any bytes, of any length.
    ///   - needle: What to look for, without upper-case ASCII letters; an empty one is found in
    ///     everything.
    /// - Returns: Whether it is there.
    public static func contains(
        _ haystack: UnsafeRawBufferPointer, lowercasedNeedle needle: UnsafeRawBufferPointer
    ) -> Bool {
        guard let first = needle.first, let last = needle.last else { return true }
        let reach = needle.count - 1
        guard haystack.count > reach else { return false }
        let starts = haystack.count - reach
        let ones: UInt64 = 0x0101_0101_0101_0101
        let highs: UInt64 = 0x8080_8080_8080_8080
        let firsts = ones &* UInt64(first)
        let lasts = ones &* UInt64(last)
        // Setting bit 5 folds a letter; for anything else it must not be set.
        let foldFirst = isLetter(first) ? ones &* 0x20 : 0
        let foldLast = isLetter(last) ? ones &* 0x20 : 0
        var position = 0
        while position + 8 <= starts {
            let heads = haystack.loadUnaligned(fromByteOffset: position, as: UInt64.self)
            let tails = haystack.loadUnaligned(fromByteOffset: position + reach, as: UInt64.self)
            // A byte is zero where both ends fit.
            let differences = ((heads | foldFirst) ^ firsts) | ((tails | foldLast) ^ lasts)
            if (differences &- ones) & ~differences & highs != 0 {
                for start in position..<position + 8 where fits(haystack, at: start, needle) {
                    return true
                }
            }
            position += 8
        }
        while position < starts {
            if fits(haystack, at: position, needle) { return true }
            position += 1
        }
        return false
    }

    /// Whether `haystack` contains `lowercasedNeedle`, as in ``contains(_:lowercasedNeedle:)``.
    public static func contains(
        _ haystack: UnsafeRawBufferPointer, lowercasedNeedle: [UInt8]
    ) -> Bool {
        lowercasedNeedle.withUnsafeBytes { contains(haystack, lowercasedNeedle: $0) }
    }

    /// `text` as UTF-8 with its ASCII letters in lower case.
    public static func lowercased(_ text: String) -> [UInt8] {
        text.utf8.map { $0 >= 0x41 && $0 <= 0x5A ? $0 | 0x20 : $0 }
    }

    /// Whether the needle is at `start`, which leaves room for it.
    private static func fits(
        _ haystack: UnsafeRawBufferPointer, at start: Int, _ needle: UnsafeRawBufferPointer
    ) -> Bool {
        for index in 0..<needle.count {
            let byte = haystack[start + index]
            let folded = byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte
            if folded != needle[index] { return false }
        }
        return true
    }

    private static func isLetter(_ byte: UInt8) -> Bool { byte >= 0x61 && byte <= 0x7A }
}
