/// The three parts of a start line, as offsets from its first byte.
struct HTTPStartLine: Hashable, Sendable {
    /// Method of a request, version of a response.
    var first: Range<Int>
    /// Target of a request, status of a response.
    var second: Range<Int>
    /// Version of a request, reason of a response; may be empty.
    var third: Range<Int>
}

extension HTTPStartLine {
    /// Whether the first bytes of a line can begin a start line.
    ///
    /// Decides on garbage before a line is complete, since garbage may never have a line break.
    ///
    /// - Returns: Index of the first byte that cannot be; nil while all can.
    static func firstImpossible(
        _ role: HTTPRole, in span: borrowing Span<UInt8>, _ range: Range<Int>, seen: Int
    ) -> Int? {
        switch role {
        case .request:
            guard seen == 0, let index = range.first else { return nil }
            return span[index] > 0x20 && span[index] < 0x7F ? nil : index
        case .response:
            let prefix = "HTTP/".utf8.span
            var index = range.lowerBound
            var place = seen
            while index < range.upperBound, place < prefix.count {
                guard span[index] == prefix[place] else { return index }
                index += 1
                place += 1
            }
            return nil
        }
    }

    /// Reads a start line without its line ending.
    ///
    /// - Parameters:
    ///   - role: Which kind of start line it should be.
    ///   - span: Bytes that the line is among.
    ///   - range: The line in `span`.
    ///   - notes: Gains what is odd, with offsets relative to the line.
    /// - Returns: Nil where the line is not a start line.
    static func read(
        _ role: HTTPRole, in span: borrowing Span<UInt8>, _ range: Range<Int>,
        notes: inout HTTPNoteList
    ) -> HTTPStartLine? {
        let line = span.extracting(range)
        let parts =
            switch role {
            case .request: readRequest(line, notes: &notes)
            case .response: readStatus(line, notes: &notes)
            }
        guard let parts else { return nil }
        var odd = line.firstControl(in: 0..<line.count)
        // Tabs are part of reason phrases (RFC 9112, 4).
        while odd < line.count, line[odd] == 0x09 {
            odd = line.firstControl(in: odd + 1..<line.count)
        }
        if odd < line.count {
            notes.add(line[odd] == 0x0D ? .bareCarriageReturn : .controlByte, odd)
        }
        return parts
    }

    private static func readRequest(
        _ line: borrowing Span<UInt8>, notes: inout HTTPNoteList
    ) -> HTTPStartLine? {
        let methodEnd = line.firstIndex(of: 0x20, in: 0..<line.count)
        guard methodEnd > 0, methodEnd < line.count else { return nil }
        if line.firstNonToken(in: 0..<methodEnd) < methodEnd {
            // A control byte in the method means that this is not a text protocol.
            guard line.firstControl(in: 0..<methodEnd) == methodEnd else { return nil }
            notes.add(.method, 0)
        }
        var start = methodEnd + 1
        while start < line.count, line[start] == 0x20 { start += 1 }
        var end = line.count
        while end > start, line[end - 1] == 0x20 { end -= 1 }
        if start != methodEnd + 1 || end != line.count {
            notes.add(.startLineSpace, methodEnd)
        }
        guard start < end else { return nil }

        var targetEnd = end
        var version = end..<end
        var lastSpace = end - 1
        while lastSpace > start, line[lastSpace] != 0x20 { lastSpace -= 1 }
        let candidate = (lastSpace + 1)..<end
        if lastSpace > start, candidate.count >= 4,
            line.isEqual(candidate.lowerBound..<candidate.lowerBound + 4, ignoringCaseOf: "http")
        {
            version = candidate
            targetEnd = lastSpace
            while targetEnd > start, line[targetEnd - 1] == 0x20 { targetEnd -= 1 }
            if targetEnd != lastSpace {
                notes.add(.startLineSpace, targetEnd)
            }
            noteVersion(line, version, notes: &notes)
        } else {
            // Without a version, only what looks like a target distinguishes a request from other
            // text.
            guard line[start] == 0x2F || hasScheme(line, start..<end) else { return nil }
            notes.add(.noVersion, end)
        }
        let odd = line.firstNonGraphic(in: start..<targetEnd)
        if odd < targetEnd { notes.add(.target, odd) }
        return HTTPStartLine(first: 0..<methodEnd, second: start..<targetEnd, third: version)
    }

    private static func readStatus(
        _ line: borrowing Span<UInt8>, notes: inout HTTPNoteList
    ) -> HTTPStartLine? {
        let versionEnd = line.firstIndex(of: 0x20, in: 0..<line.count)
        guard versionEnd >= 5, line.isEqual(0..<5, to: "HTTP/"), versionEnd < line.count else {
            return nil
        }
        var start = versionEnd + 1
        while start < line.count, line[start] == 0x20 { start += 1 }
        if start != versionEnd + 1 { notes.add(.startLineSpace, versionEnd) }
        var end = start
        while end < line.count, line[end].isDigit { end += 1 }
        guard end - start == 3, end == line.count || line[end] == 0x20 else { return nil }
        // The space before an empty reason is often left out.
        if end == line.count { notes.add(.startLineSpace, end) }
        if line[start] < 0x31 || line[start] > 0x35 {
            notes.add(.status, start)
        }
        noteVersion(line, 0..<versionEnd, notes: &notes)
        return HTTPStartLine(
            first: 0..<versionEnd, second: start..<end,
            third: min(end + 1, line.count)..<line.count)
    }

    private static func noteVersion(
        _ line: borrowing Span<UInt8>, _ range: Range<Int>, notes: inout HTTPNoteList
    ) {
        if line.isEqual(range, to: "HTTP/1.1") || line.isEqual(range, to: "HTTP/1.0") { return }
        notes.add(.version, range.lowerBound)
    }

    private static func hasScheme(_ line: borrowing Span<UInt8>, _ range: Range<Int>) -> Bool {
        let colon = line.firstIndex(of: 0x3A, in: range)
        return colon > range.lowerBound && colon + 3 <= range.upperBound
            && line[colon + 1] == 0x2F && line[colon + 2] == 0x2F
    }
}
