internal import Notation

/// Takes the large contents of an entry out of its JSON and unescapes them, so that a content, which
/// can be most of an archive, is in memory once.
///
/// Consumes the text in blocks of any size. Contents are the values of members named `text` and
/// `data`, as bodies and WebSocket messages have them; each that is taken out is an empty string in
/// the JSON that is left.
struct HARContents {
    /// Bytes above which a content is taken out.
    static let smallest = 16 << 10
    /// Bytes of the longest escape, a pair of surrogates.
    private static let longestEscape = 12

    private enum Place {
        case outside
        case inString
        case inContent
    }

    /// The JSON that is left.
    private(set) var text: [UInt8] = []
    /// What was taken out, by the place of its first quote in ``text``.
    private(set) var contents: [Int: [UInt8]] = [:]
    /// Whether bytes of a content that are not UTF-8 were replaced.
    private(set) var isRepaired = false
    /// Place of the next byte to consume.
    private(set) var offset = 0

    private let keepsContents: Bool
    private var place = Place.outside
    private var isEscaped = false
    /// The last byte outside of strings that is no white space; a quote after a string.
    private var previous: UInt8 = 0
    /// Place in ``text`` of the quote that began the last string.
    private var quote = 0
    /// Whether the last string is the name of a content.
    private var isName = false
    /// Whether the string in progress is a content.
    private var isContent = false
    private var content: [UInt8] = []
    /// Place of the first byte of the content in progress.
    private var contentStart = 0
    /// Where bytes were taken out of ``text``, and how many.
    private var removed: [(place: Int, count: Int)] = []

    /// Contents of one entry; without `keepsContents` they are only checked, and come out empty.
    init(keepsContents: Bool) { self.keepsContents = keepsContents }

    /// The place in the entry of a byte of ``text``.
    func place(of byte: Int) -> Int {
        removed.reduce(byte) { $1.place <= byte ? $0 + $1.count : $0 }
    }

    /// Consumes bytes from ``offset`` on, perhaps not all of them: the next block begins at the new
    /// ``offset``.
    ///
    /// - Parameters:
    ///   - block: The bytes, at least 12 unless they are the last.
    ///   - isLast: Whether the entry ends with them.
    /// - Throws: ``JSONError`` where a content is not a JSON string, with its place in the entry.
    mutating func consume(
        _ block: borrowing Span<UInt8>, isLast: Bool
    ) throws(JSONError) {
        var index = 0
        while index < block.count {
            let before = index
            switch place {
            case .outside: skip(block, &index)
            case .inString:
                readString(block, &index)
                if isContent, text.count - quote > Self.smallest {
                    beginContent(at: offset + index)
                    return
                }
            case .inContent: try readContent(block, &index, isLast)
            }
            // An escape continues in the next block.
            guard index > before else { break }
        }
        offset += index
        if !keepsContents { content.removeAll(keepingCapacity: true) }
    }

    // MARK: The JSON that is left

    private mutating func skip(_ block: borrowing Span<UInt8>, _ index: inout Int) {
        while index < block.count {
            let byte = block[index]
            text.append(byte)
            index += 1
            if byte == 0x22 {
                quote = text.count - 1
                isContent = isName && previous == 0x3A
                place = .inString
                return
            }
            if byte > 0x20 { previous = byte }
        }
    }

    private mutating func readString(_ block: borrowing Span<UInt8>, _ index: inout Int) {
        while index < block.count {
            let byte = block[index]
            text.append(byte)
            index += 1
            if isEscaped {
                isEscaped = false
            } else if byte == 0x5C {
                isEscaped = true
            } else if byte == 0x22 {
                let name = text[(quote + 1)..<(text.count - 1)]
                isName = name.elementsEqual("text".utf8) || name.elementsEqual("data".utf8)
                previous = byte
                place = .outside
                return
            }
        }
    }

    // MARK: Contents

    /// Goes back to the first byte of a string that turned out to be large.
    private mutating func beginContent(at end: Int) {
        offset = end - (text.count - quote - 1)
        contentStart = offset
        text.removeSubrange((quote + 1)...)
        isEscaped = false
        place = .inContent
    }

    private mutating func readContent(
        _ block: borrowing Span<UInt8>, _ index: inout Int, _ isLast: Bool
    ) throws(JSONError) {
        var run = index
        while index < block.count {
            let byte = block[index]
            if byte == 0x22 {
                append(block, run..<index)
                endContent(at: offset + index)
                index += 1
                return
            } else if byte == 0x5C {
                append(block, run..<index)
                run = index
                guard isLast || block.count - index >= Self.longestEscape else { return }
                index += try readEscape(block, at: index)
                run = index
            } else if byte < 0x20 {
                throw .controlCharacter(byte, offset: offset + index)
            } else {
                index += 1
            }
        }
        append(block, run..<index)
    }

    private mutating func append(_ block: borrowing Span<UInt8>, _ range: Range<Int>) {
        block.extracting(range).withUnsafeBufferPointer { content.append(contentsOf: $0) }
    }

    private mutating func endContent(at end: Int) {
        if keepsContents, !Self.isUTF8(content) {
            content = Array(String(decoding: content, as: UTF8.self).utf8)
            isRepaired = true
        }
        contents[quote] = keepsContents ? content : []
        content = []
        removed.append((place: text.count, count: end - contentStart))
        text.append(0x22)
        isName = false
        previous = 0x22
        place = .outside
    }

    private static func isUTF8(_ bytes: [UInt8]) -> Bool {
        do {
            _ = try UTF8Span(validating: bytes.span)
            return true
        } catch {
            return false
        }
    }

    /// Appends what the escape at `index` means.
    ///
    /// - Returns: Its length.
    /// - Throws: ``JSONError`` where it is none.
    private mutating func readEscape(
        _ block: borrowing Span<UInt8>, at index: Int
    ) throws(JSONError) -> Int {
        guard index + 1 < block.count else { throw .endedEarly(offset: offset + block.count) }
        switch block[index + 1] {
        case 0x22, 0x5C, 0x2F: content.append(block[index + 1])
        case 0x62: content.append(0x08)
        case 0x66: content.append(0x0C)
        case 0x6E: content.append(0x0A)
        case 0x72: content.append(0x0D)
        case 0x74: content.append(0x09)
        case 0x75: return try readUnit(block, at: index)
        default: throw .invalidEscape(offset: offset + index)
        }
        return 2
    }

    /// A half of a surrogate pair without the other becomes U+FFFD.
    private mutating func readUnit(
        _ block: borrowing Span<UInt8>, at index: Int
    ) throws(JSONError) -> Int {
        guard let unit = Self.unit(block, at: index) else {
            throw .invalidEscape(offset: offset + index)
        }
        var (scalar, length) = (unit, 6)
        if unit & 0xFC00 == 0xD800, let low = Self.unit(block, at: index + 6),
            low & 0xFC00 == 0xDC00
        {
            (scalar, length) = (0x10000 + ((unit & 0x3FF) << 10 | low & 0x3FF), 12)
        }
        content.append(
            contentsOf: UTF8.encode(UnicodeScalar(scalar) ?? "\u{FFFD}") ?? .init())
        return length
    }

    /// The code unit of `\uXXXX` at `index`.
    private static func unit(_ block: borrowing Span<UInt8>, at index: Int) -> UInt32? {
        guard index + 6 <= block.count, block[index] == 0x5C, block[index + 1] == 0x75 else {
            return nil
        }
        var unit: UInt32 = 0
        for place in index + 2..<index + 6 {
            guard let digit = Hexadecimal.digit(block[place]) else { return nil }
            unit = unit << 4 | UInt32(digit)
        }
        return unit
    }
}
