/// Finds text in bytes without regard to the case of ASCII letters.
public enum ByteSearch {
    /// Whether `haystack` contains `needle`, upper and lower case ASCII letters being the same.
    ///
    /// Inspects sixteen places at once for the first and the last byte of the needle, so that bodies
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
        let places = Lanes.scalarCount
        guard starts >= places else { return fits(haystack, from: 0, to: starts, needle) }
        let firsts = Lanes(repeating: first)
        let lasts = Lanes(repeating: last)
        // Setting bit 5 folds a letter; for anything else it must not be set.
        let foldFirst = Lanes(repeating: isLetter(first) ? 0x20 : 0)
        let foldLast = Lanes(repeating: isLetter(last) ? 0x20 : 0)
        var position = 0
        while position < starts {
            // The last places are seen together with some before them.
            position = min(position, starts - places)
            let heads = haystack.loadUnaligned(fromByteOffset: position, as: Lanes.self)
            let tails = haystack.loadUnaligned(fromByteOffset: position + reach, as: Lanes.self)
            // A byte is zero where both ends fit.
            let differences = ((heads | foldFirst) ^ firsts) | ((tails | foldLast) ^ lasts)
            let fitting = unsafeBitCast(differences .== Lanes.zero, to: SIMD2<UInt64>.self)
            if fitting[0] | fitting[1] != 0,
                fits(haystack, from: position, to: position + places, needle)
            {
                return true
            }
            position += places
        }
        return false
    }

    /// As many places as one comparison looks at on any processor of the kind.
    private typealias Lanes = SIMD16<UInt8>

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

    /// Whether the needle begins at a place from `start` to before `end`, each of which leaves room for it.
    private static func fits(
        _ haystack: UnsafeRawBufferPointer, from start: Int, to end: Int,
        _ needle: UnsafeRawBufferPointer
    ) -> Bool {
        (start..<end).contains { place in
            needle.indices.allSatisfy { index in
                let byte = haystack[place + index]
                let folded = byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte
                return folded == needle[index]
            }
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool { byte >= 0x61 && byte <= 0x7A }
}
