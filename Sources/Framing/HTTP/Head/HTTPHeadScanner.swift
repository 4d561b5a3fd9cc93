/// Finds the end of a head, however it is cut, looking at each byte once.
struct HTTPHeadScanner: Sendable {
    /// The result of a call.
    enum Progress {
        /// The head continues after the span.
        case more
        /// The head ends before the index.
        case complete(end: Int)
        /// The first line, which ends before the index, is not a start line.
        case noStartLine(end: Int)
    }

    /// The first line; empty ranges until it is complete.
    private(set) var startLine = HTTPStartLine(first: 0..<0, second: 0..<0, third: 0..<0)
    /// Index after the first line, relative to the head.
    private(set) var startLineEnd = 0
    /// Number of lines after the first one.
    private(set) var lines = 0
    /// What is odd in the first line, with offsets relative to the head.
    private(set) var notes = HTTPNoteList()
    /// The bytes of the head from earlier calls.
    private(set) var held: [UInt8] = []
    /// Index of the first byte of the line that is being read, relative to the head.
    private var lineStart = 0

    /// Inspects bytes from `position` to `end`.
    ///
    /// Where the answer is ``Progress/more``, the bytes have been copied to ``held``.
    mutating func scan(
        _ role: HTTPRole, _ span: borrowing Span<UInt8>, from position: Int, to end: Int
    ) -> Progress {
        // Index in the span of the head's first byte; negative where that came earlier.
        let origin = position - held.count
        var index = position
        while true {
            let lineFeed = span.firstIndex(of: 0x0A, in: index..<end)
            guard lineFeed < end else { break }
            let place = lineFeed - origin
            var length = place - lineStart
            let hasCR =
                length > 0
                && (lineFeed > position ? span[lineFeed - 1] == 0x0D : held.last == 0x0D)
            if hasCR { length -= 1 }
            if startLineEnd == 0 {
                startLineEnd = place + 1
                if !hasCR { notes.add(.bareLineFeed, place) }
                let line: HTTPStartLine?
                if held.isEmpty {
                    line = HTTPStartLine.read(
                        role, in: span, position..<position + length, notes: &notes)
                } else {
                    held.append(span, position..<lineFeed + 1)
                    var found = notes
                    line = HTTPStartLine.read(role, in: held.span, 0..<length, notes: &found)
                    notes = found
                    held.removeLast(lineFeed + 1 - position)
                }
                guard let line else { return .noStartLine(end: lineFeed + 1) }
                startLine = line
            } else if length == 0 {
                return .complete(end: lineFeed + 1)
            } else {
                lines += 1
            }
            lineStart = place + 1
            index = lineFeed + 1
        }
        held.append(span, position..<end)
        return .more
    }

    /// What was read of a head that fails; the last bytes of it, if they were not buffered, are
    /// those of `range`.
    func failed(
        _ role: HTTPRole, start: Int64, _ span: borrowing Span<UInt8>, _ range: Range<Int>
    ) -> HTTPFailedHead {
        var bytes = held
        bytes.append(span, range)
        let hasStartLine = !startLine.second.isEmpty
        return HTTPFailedHead(
            role, start: start, bytes: bytes, line: hasStartLine ? startLine : nil,
            linesEnd: min(lineStart, bytes.count), startLineEnd: startLineEnd)
    }

    /// The whole head, of which the last bytes are those of `range`.
    mutating func takeBytes(_ span: borrowing Span<UInt8>, _ range: Range<Int>) -> [UInt8] {
        guard !held.isEmpty else { return span.copied(range) }
        held.append(span, range)
        return held
    }
}
