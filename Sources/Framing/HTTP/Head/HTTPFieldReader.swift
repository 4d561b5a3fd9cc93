/// Reads the field lines of a head that is complete.
struct HTTPFieldReader {
    /// The fields read so far.
    private(set) var fields: [HTTPField] = []
    /// Those that decide on framing.
    private(set) var landmarks = HTTPLandmarks()

    /// Reads all lines up to the empty one.
    ///
    /// - Parameters:
    ///   - span: The whole head, of which the last line is empty.
    ///   - start: Index after the start line.
    ///   - lines: Number of field lines, to make room for.
    ///   - notes: Gains what is odd.
    mutating func read(
        _ span: borrowing Span<UInt8>, from start: Int, lines: Int,
        notes: inout HTTPNoteList
    ) {
        fields.reserveCapacity(lines)
        var index = start
        while index < span.count {
            switch span[index] {
            case 0x0A:
                notes.add(.bareLineFeed, index)
                index = span.count
            case 0x0D where index + 2 == span.count:
                index = span.count
            case 0x20, 0x09:
                index = readFold(span, from: index, notes: &notes)
            default:
                index = readField(span, from: index, notes: &notes)
            }
        }
        for index in fields.indices { landmarks.see(fields[index], at: index, in: span) }
    }

    private mutating func readField(
        _ span: borrowing Span<UInt8>, from start: Int, notes: inout HTTPNoteList
    ) -> Int {
        let colon = span.firstNonToken(in: start..<span.count)
        guard colon > start, colon < span.count, span[colon] == 0x3A else {
            return readOddField(span, from: start, notes: &notes)
        }
        let (end, next) = lineEnd(span, from: colon + 1, notes: &notes)
        fields.append(
            HTTPField(
                name: start..<colon, value: span.trimmed(colon + 1..<end), line: start..<next))
        return next
    }

    private mutating func readOddField(
        _ span: borrowing Span<UInt8>, from start: Int, notes: inout HTTPNoteList
    ) -> Int {
        let (end, next) = lineEnd(span, from: start, notes: &notes)
        let colon = span.firstIndex(of: 0x3A, in: start..<end)
        guard colon < end else {
            notes.add(.noColon, start)
            fields.append(
                HTTPField(
                    name: start..<start, value: span.trimmed(start..<end), line: start..<next))
            return next
        }
        var nameEnd = colon
        while nameEnd > start, span[nameEnd - 1].isSpace { nameEnd -= 1 }
        if nameEnd < colon { notes.add(.spaceBeforeColon, nameEnd) }
        if nameEnd == start || span.firstNonToken(in: start..<nameEnd) < nameEnd {
            notes.add(.fieldName, start)
        }
        fields.append(
            HTTPField(
                name: start..<nameEnd, value: span.trimmed(colon + 1..<end), line: start..<next))
        return next
    }

    private mutating func readFold(
        _ span: borrowing Span<UInt8>, from start: Int, notes: inout HTTPNoteList
    ) -> Int {
        let (end, next) = lineEnd(span, from: start, notes: &notes)
        guard var field = fields.popLast() else {
            notes.add(.spaceBeforeFields, start)
            fields.append(
                HTTPField(
                    name: start..<start, value: span.trimmed(start..<end), line: start..<next))
            return next
        }
        notes.add(.obsoleteFold, start)
        // A line that is ignored stays ignored with its folds, which an empty name marks.
        field.value = span.trimmed(field.value.lowerBound..<end)
        field.line = field.line.lowerBound..<next
        fields.append(field)
        return next
    }

    /// Where the line that continues at `start` ends, without and with its line ending.
    private func lineEnd(
        _ span: borrowing Span<UInt8>, from start: Int, notes: inout HTTPNoteList
    ) -> (end: Int, next: Int) {
        var index = start
        while true {
            index = span.firstControl(in: index..<span.count)
            guard index < span.count else { return (span.count, span.count) }
            switch span[index] {
            case 0x0A:
                notes.add(.bareLineFeed, index)
                return (index, index + 1)
            case 0x0D:
                if index + 1 < span.count, span[index + 1] == 0x0A { return (index, index + 2) }
                notes.add(.bareCarriageReturn, index)
            case 0x09:
                break
            default:
                notes.add(.controlByte, index)
            }
            index += 1
        }
    }
}
