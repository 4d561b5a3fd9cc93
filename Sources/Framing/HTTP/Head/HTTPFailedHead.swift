/// What was read of a head that cannot be framed, or that ended before its empty line.
public struct HTTPFailedHead: Hashable, Sendable {
    /// Offset in bytes of its first byte in the direction.
    public let start: Int64
    /// Its bytes as far as they were read; what is not a start line may continue after them.
    public let bytes: [UInt8]
    /// Start line and the fields that are complete; nil where there is no start line.
    public let head: HTTPHead?

    /// A head of which `bytes` were read, which begin with `line` if that is not nil.
    init(
        _ role: HTTPRole, start: Int64, bytes: [UInt8], line: HTTPStartLine?, linesEnd: Int,
        startLineEnd: Int
    ) {
        self.start = start
        self.bytes = bytes
        guard let line else {
            head = nil
            return
        }
        var reader = HTTPFieldReader()
        var notes = HTTPNoteList()
        reader.read(
            bytes.span.extracting(0..<linesEnd), from: startLineEnd, lines: 0, notes: &notes)
        head = HTTPHead(
            HTTPHeadParts(role: role, bytes: bytes, line: line, fields: reader.fields),
            start: start)
    }
}
