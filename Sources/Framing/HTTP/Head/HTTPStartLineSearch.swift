/// Looks for the next start line in a direction of which bytes are missing.
///
/// A line counts if it is a start line, or ends in one: content need not end in a line break. A
/// field or the empty line has to follow, so that text that quotes a start line is not taken for
/// one. The result does not depend on how the bytes are divided; at most two lines and one portion
/// of 16 KiB are buffered.
struct HTTPStartLineSearch: Sendable {
    /// A start line.
    struct Found {
        /// Offset in the direction of its first byte.
        var start: Int64
        /// Its bytes, and of what follows, from earlier calls.
        var held: [UInt8]
    }

    /// Longest start line that is found, and longest line that proves one, in bytes.
    static let maxLineBytes = 16 * 1024

    private static let methods = [
        "GET", "POST", "PUT", "HEAD", "DELETE", "OPTIONS", "PATCH", "CONNECT", "TRACE",
        "PROPFIND", "REPORT",
    ]

    private let role: HTTPRole
    /// The line in progress, and the start line before it if that is one.
    private var held: [UInt8] = []
    /// Offset in the direction of the first byte that is buffered.
    private var heldStart: Int64
    /// Index of the first byte of the line in progress.
    private var lineStart = 0
    /// Index of a start line that the line in progress has to prove.
    private var candidate: Int?
    /// Whether the line in progress began before the missing bytes.
    private var isFirstLine = true

    /// A search from `offset` in the direction on.
    init(_ role: HTTPRole, at offset: Int64) {
        self.role = role
        heldStart = offset
    }

    /// Processes bytes from `position` on.
    ///
    /// - Parameters:
    ///   - span: The bytes.
    ///   - position: Moves to the first byte of the start line, or to the first byte that was not
    ///     buffered before where the start line began earlier; without one, to the end.
    /// - Returns: The start line; nil while none is found.
    mutating func consume(_ span: borrowing Span<UInt8>, position: inout Int) -> Found? {
        while position < span.count {
            let end = min(span.count, position + Self.maxLineBytes)
            let base = held.count
            held.append(span, position..<end)
            if let found = scan(from: base) {
                if found >= base { position += found - base }
                return Found(
                    start: heldStart + Int64(found),
                    held: found < base ? Array(held[found..<base]) : [])
            }
            position = end
            forget()
        }
        return nil
    }

    /// Inspects the lines that end at `index` or later.
    private mutating func scan(from index: Int) -> Int? {
        var index = index
        while true {
            let lineFeed = held.span.firstIndex(of: 0x0A, in: index..<held.count)
            guard lineFeed < held.count else { return nil }
            let line = lineStart..<lineFeed
            if let candidate, line.count <= Self.maxLineBytes, proves(line) { return candidate }
            candidate = startLine(in: line)
            isFirstLine = false
            lineStart = lineFeed + 1
            index = lineStart
        }
    }

    /// Discards what can no longer be part of a start line.
    private mutating func forget() {
        if held.count - lineStart > Self.maxLineBytes { candidate = nil }
        let needed = candidate ?? max(lineStart, held.count - Self.maxLineBytes - 1)
        guard needed > 0 else { return }
        held.removeFirst(needed)
        heldStart += Int64(needed)
        lineStart = max(0, lineStart - needed)
        candidate = candidate.map { $0 - needed }
    }

    /// Whether a line, without its LF, is a field or the end of a head.
    private func proves(_ line: Range<Int>) -> Bool {
        guard line.last.map({ held[$0] == 0x0D }) == true else { return false }
        if line.count == 1 { return true }
        let end = held.span.firstNonToken(in: line)
        return end > line.lowerBound && held[end] == 0x3A
    }

    /// Index of the start line that a line, without its LF, is or ends in.
    private func startLine(in line: Range<Int>) -> Int? {
        guard line.last.map({ held[$0] == 0x0D }) == true else { return nil }
        let start = max(line.lowerBound, line.upperBound - Self.maxLineBytes)
        let part = start..<line.upperBound - 1
        switch role {
        case .request:
            return request(in: part, isWhole: start == lineStart && !isFirstLine)
        case .response:
            return response(in: part)
        }
    }

    private func request(in line: Range<Int>, isWhole: Bool) -> Int? {
        let span = held.span
        // " HTTP/1.1"
        let version = line.upperBound - 8
        guard version - 1 > line.lowerBound, span[version - 1] == 0x20,
            isVersion(version..<line.upperBound)
        else { return nil }
        var target = version - 1
        while target > line.lowerBound, span[target - 1] > 0x20, span[target - 1] < 0x7F {
            target -= 1
        }
        let space = target - 1
        guard target < version - 1, space > line.lowerBound, span[space] == 0x20 else {
            return nil
        }
        var method = space
        while method > line.lowerBound, (0x41...0x5A).contains(span[method - 1]) { method -= 1 }
        guard method < space else { return nil }
        if isWhole, method == line.lowerBound { return method }
        // Anything could be the rest of a longer word.
        for name in Self.methods where name.utf8.count <= space - method {
            let start = space - name.utf8.count
            if span.isEqual(start..<space, to: name) { return start }
        }
        return nil
    }

    private func response(in line: Range<Int>) -> Int? {
        let span = held.span
        // "HTTP/1.1 200"
        var index = line.upperBound - 12
        while index >= line.lowerBound {
            if span[index] == 0x48, isVersion(index..<index + 8), span[index + 8] == 0x20,
                (0x31...0x35).contains(span[index + 9]), span[index + 10].isDigit,
                span[index + 11].isDigit,
                index + 12 == line.upperBound || span[index + 12] == 0x20
            {
                return index
            }
            index -= 1
        }
        return nil
    }

    private func isVersion(_ range: Range<Int>) -> Bool {
        let span = held.span
        return span.isEqual(range, to: "HTTP/1.1") || span.isEqual(range, to: "HTTP/1.0")
    }
}
