/// Finds the entries of an HTTP archive in its text, and the other members of `log`.
///
/// A value that consumes the text in blocks of any size and keeps places alone, so that an archive
/// of any size is never in memory as a whole. What it finds is not validated further: the reader of
/// a part scans it strictly.
struct HARSplitter {
    /// A part of the text, by the place of its bytes.
    enum Part: Hashable {
        /// An element of `log.entries`.
        case entry(Range<Int>)
        /// The value of another member of `log`, which may have white space around it.
        case member(String, Range<Int>)
    }

    /// Why a text is not an archive.
    enum Failure: Error, Hashable {
        /// The outermost value is not an object; the offset is its first byte.
        case noObject(offset: Int)
        /// There is no `log` with `entries`, an array.
        case noEntries
        /// The text ends before the outermost value does.
        case cut(entry: Int, offset: Int)
        /// Something other than white space follows the outermost value.
        case trailing(offset: Int)
    }

    /// Bytes of a key that are kept; no key that matters is longer.
    private static let longestKey = 64

    /// Place of the next byte.
    private(set) var offset: Int
    /// Number of entries found.
    private(set) var entries = 0
    private var depth = 0
    private var isInString = false
    private var isEscaped = false
    /// The key in progress or seen last, in the outermost object and in `log`.
    private var key: [UInt8] = []
    private var expectsKey = false
    private var isInKey = false
    private var isInLog = false
    private var isInEntries = false
    private var sawEntries = false
    /// Where the value in progress begins, of a member of `log` or of an entry.
    private var start: Int?
    private var isOver = false

    /// A splitter of a text that begins at `offset`, which places are counted from 0 to.
    init(offset: Int = 0) { self.offset = offset }

    /// Processes the next bytes of the text and appends the parts that end in them.
    mutating func consume(
        _ bytes: borrowing Span<UInt8>, into parts: inout [Part]
    ) throws(Failure) {
        var index = 0
        while index < bytes.count {
            if isInString { index = skipString(bytes, from: index) }
            guard index < bytes.count else { break }
            let byte = bytes[index]
            if byte > 0x20 { try take(byte, at: offset + index, &parts) }
            index += 1
        }
        offset += bytes.count
    }

    /// Notes the end of the text.
    func finish() throws(Failure) {
        guard isOver || depth > 0 else { throw .noObject(offset: 0) }
        guard isOver else { throw .cut(entry: entries + 1, offset: offset) }
        guard sawEntries else { throw .noEntries }
    }

    /// The index after the part of a string in `bytes`.
    private mutating func skipString(_ bytes: borrowing Span<UInt8>, from first: Int) -> Int {
        var index = first
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            if isEscaped {
                isEscaped = false
            } else if byte == 0x5C {
                isEscaped = true
            } else if byte == 0x22 {
                isInString = false
                isInKey = false
                return index
            }
            if isInKey, key.count <= Self.longestKey { key.append(byte) }
        }
        return index
    }

    private mutating func take(
        _ byte: UInt8, at place: Int, _ parts: inout [Part]
    ) throws(Failure) {
        guard !isOver else { throw .trailing(offset: place) }
        guard depth > 0 || byte == 0x7B else { throw .noObject(offset: place) }
        // Any byte but these two begins an entry, or continues with one.
        if isInEntries, depth == 3, byte != 0x2C, byte != 0x5D, start == nil { start = place }
        switch byte {
        case 0x22:
            isInString = true
            isInKey = expectsKey
            if isInKey { key = [] }
            expectsKey = false
        case 0x7B, 0x5B:
            open(isObject: byte == 0x7B)
        case 0x7D, 0x5D:
            close(at: place, &parts)
        case 0x3A:
            if isInLog, depth == 2 { start = place + 1 }
        case 0x2C:
            endValue(at: place, &parts)
            expectsKey = depth == 1 || (isInLog && depth == 2)
        default: break
        }
    }

    private mutating func open(isObject: Bool) {
        if depth == 1, isObject, spells("log") { isInLog = true }
        if isInLog, depth == 2, !isObject, spells("entries") {
            isInEntries = true
            sawEntries = true
            start = nil
        }
        depth += 1
        expectsKey = isObject && (depth == 1 || (isInLog && depth == 2))
    }

    private mutating func close(at place: Int, _ parts: inout [Part]) {
        if isInEntries, depth == 4 {
            depth -= 1
            entries += 1
            parts.append(.entry((start ?? place)..<place + 1))
            start = nil
            return
        }
        endValue(at: place, &parts)
        if isInEntries, depth == 3 { isInEntries = false }
        if isInLog, depth == 2 { isInLog = false }
        depth -= 1
        isOver = depth == 0
    }

    /// A comma or bracket ends what is in progress on this level.
    private mutating func endValue(at place: Int, _ parts: inout [Part]) {
        guard let first = start else { return }
        if isInEntries, depth == 3 {
            // An entry that is not a container; its reader reports it.
            entries += 1
            parts.append(.entry(first..<place))
            start = nil
        } else if isInLog, !isInEntries, depth == 2 {
            parts.append(.member(String(decoding: key, as: UTF8.self), first..<place))
            start = nil
        }
    }

    private func spells(_ name: String) -> Bool { key.elementsEqual(name.utf8) }
}
