/// An input from which choices are taken before the rest is parsed.
struct Input {
    /// What was not taken yet.
    private(set) var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    /// The next byte as a choice; 0 where there is none.
    mutating func choice() -> UInt8 { rest.popFirst() ?? 0 }

    /// The next bytes; fewer where not as many are left.
    mutating func take(_ count: Int) -> ArraySlice<UInt8> {
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    /// What is left, as an array of its own.
    var bytes: [UInt8] { Array(rest) }

    /// The lines of the input; no more than `most`, the last with all that is left.
    static func lines(_ bytes: [UInt8], most: Int) -> [[UInt8]] {
        bytes.split(separator: 0x0A, maxSplits: most - 1, omittingEmptySubsequences: false)
            .map(Array.init)
    }

    /// The lines of the input, each with a vertical tab for every line feed that is meant.
    static func messages(_ bytes: [UInt8], most: Int) -> [[UInt8]] {
        lines(bytes, most: most).map { line in line.map { $0 == 0x0B ? 0x0A : $0 } }
    }
}
