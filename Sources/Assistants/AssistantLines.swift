/// Splits what a client writes into lines, one message each.
///
/// A line that is too long is not kept: it is given as ``Line/tooLong`` when it ends.
public struct AssistantLines {
    /// What a line is.
    public enum Line: Hashable, Sendable {
        /// Its bytes, without the line end.
        case message([UInt8])
        /// It has more bytes than are kept.
        case tooLong
    }

    /// Bytes of the longest message that is read: 1 MiB.
    public static let maxBytes = 1 << 20

    private var bytes: [UInt8] = []
    private var isTooLong = false
    private let limit: Int

    /// Lines of at most ``maxBytes``, or of fewer.
    public init(limit: Int = Self.maxBytes) { self.limit = limit }

    /// Takes the next bytes.
    ///
    /// - Returns: The lines that end in them; empty lines are left out.
    public mutating func consume(_ input: some Sequence<UInt8>) -> [Line] {
        var lines: [Line] = []
        for byte in input {
            if byte == 0x0A {
                if let line = takeLine() { lines.append(line) }
            } else if bytes.count < limit {
                bytes.append(byte)
            } else {
                isTooLong = true
            }
        }
        return lines
    }

    /// The line that the end of the input ends; nil where there is none.
    public mutating func finish() -> Line? { takeLine() }

    private mutating func takeLine() -> Line? {
        defer {
            bytes.removeAll(keepingCapacity: bytes.capacity <= 1 << 16)
            isTooLong = false
        }
        if isTooLong { return .tooLong }
        if bytes.last == 0x0D { bytes.removeLast() }
        return bytes.isEmpty ? nil : .message(bytes)
    }
}
