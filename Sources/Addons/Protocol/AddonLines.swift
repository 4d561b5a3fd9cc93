import Platform

/// Puts the lines of an add-on together from what each read brings.
///
/// Bounded by the longest line: what is longer is reported before its end was read.
public struct AddonLines: Sendable {
    private let longest: Int
    private var started: [UInt8] = []

    /// Lines of at most `longest` bytes.
    public init(longest: Int) { self.longest = longest }

    /// Bytes of a line whose end was not read.
    public var pendingBytes: Int { started.count }

    /// Takes what was read.
    ///
    /// A carriage return before the end of a line is part of the end.
    ///
    /// - Returns: The lines that are complete, without their ends, and why there are no more; nothing
    ///   may be fed after a failure.
    public mutating func feed(_ bytes: [UInt8]) -> (lines: [[UInt8]], failure: AddonError?) {
        var lines: [[UInt8]] = []
        var rest = bytes[...]
        let tooLong = AddonError(.tooLong(limit: longest), at: longest)
        while let end = Self.end(of: rest) {
            guard started.count + end - rest.startIndex <= longest else {
                started = []
                return (lines, tooLong)
            }
            var line = started + rest[..<end]
            started = []
            rest = rest[(end + 1)...]
            if line.last == 0x0D { line.removeLast() }
            lines.append(line)
        }
        guard started.count + rest.count <= longest else {
            started = []
            return (lines, tooLong)
        }
        started += rest
        return (lines, nil)
    }

    /// Where the next line ends.
    private static func end(of bytes: ArraySlice<UInt8>) -> Int? {
        bytes.withUnsafeBytes { raw in
            guard let start = raw.baseAddress, let found = memchr(start, 0x0A, raw.count) else {
                return nil
            }
            return bytes.startIndex + (UnsafeRawPointer(found) - start)
        }
    }
}
