/// Finds where a document can be cut so that libxml2 always sees whole tags, comments,
/// instructions, references and line ends.
///
/// libxml2's push parser takes a `>` inside an attribute value for the end of the tag when the
/// input stops there, overlooks a `]]>` that is cut, and keeps all of a long CDATA section. Fed
/// at safe places only, it gives the same events for every cut. The bounds of ``XMLLimits`` that
/// need no names are checked here, before anything is stored, and so is a DOCTYPE.
struct XMLSegmenter {
    private enum State: UInt8 {
        /// Between markup.
        case text
        /// After `&`.
        case reference
        /// After `<`.
        case opened
        /// After `<!`.
        case bang
        /// Inside `<!--`, `<![CDATA[` or `<!DOCTYPE`, all of it so far as expected.
        case keyword
        case tag
        case singleQuoted
        case doubleQuoted
        case instruction
        /// After a `?` inside an instruction.
        case instructionEnding
        case comment
        /// After `-` inside a comment.
        case commentDash
        /// After `--` inside a comment.
        case commentEnding
        case section
        /// After `]` inside a CDATA section.
        case sectionBracket
        /// After `]]` inside a CDATA section.
        case sectionEnding
    }

    /// Why a scan stopped before the end of its bytes.
    enum Stop: Hashable {
        /// No well-formed document continues like this; libxml2 reports the error once it gets the
        /// bytes before `end`.
        case illFormed(end: Int)
        /// Refused for `reason`; `offset` is in the UTF-8 form of the document.
        case refused(XMLError.Reason, offset: Int64)
    }

    /// What a scan found.
    struct Scan {
        /// First safe place, as a number of bytes scanned.
        var first: Int?
        /// Last safe place.
        var last = 0
        /// Why the scan stopped early.
        var stop: Stop?

        mutating func mark(_ place: Int) {
            if first == nil { first = place }
            last = place
        }
    }

    private static let keywords: [[UInt8]] = [
        Array("<!--".utf8), Array("<![CDATA[".utf8), Array("<!DOCTYPE".utf8),
    ]
    /// Longest reference, `&` and `;` included: those that mean something are far shorter.
    private static let longestReference: Int64 = 128

    /// libxml2 reports where the text began, which depends on how it was divided.
    private static let misplacedEnd = XMLError.Reason.malformed(
        code: 62, detail: "Sequence ']]>' not allowed in content")

    /// libxml2 reports this too, at a place that depends on how the white space before was divided.
    private static let noElement = XMLError.Reason.malformed(
        code: 4, detail: "Start tag expected, '<' not found")
    private static let extraContent = XMLError.Reason.malformed(
        code: 5, detail: "Extra content at the end of the document")

    private static let noncharacter = XMLError.Reason.malformed(
        code: 9, detail: "U+FFFE and U+FFFF are not allowed in XML")

    private let limits: XMLLimits
    /// The number of open elements, by counting tags; libxml2 checks which belong together.
    private var open = 0
    /// Whether a tag has begun.
    private var hasTag = false
    private var isEndTag = false
    /// The last byte of the scan before.
    private var carried: UInt8 = 0
    private var state = State.text
    /// Offset of the next byte to be scanned.
    private var base: Int64 = 0
    /// Offset of the first byte of the current markup or reference.
    private var opening: Int64 = 0
    private var attributes = 0
    private var keyword = 0
    private var matched = 0
    /// How many `]`, up to 2, the text ends with so far.
    private var trailing = 0

    /// A segmenter at the start of a document.
    init(limits: XMLLimits) { self.limits = limits }

    /// Goes on behind `offset` bytes that somebody else has read, between two pieces of markup.
    mutating func resume(at offset: Int64, open: Int, hasTag: Bool) {
        (base, self.open, self.hasTag) = (offset, open, hasTag)
    }

    /// Whether what was scanned ends between markup, so that text may be cut.
    var isInText: Bool { state == .text }

    /// Whether what was scanned ends inside a CDATA section, where text may be cut.
    var isInSection: Bool {
        state == .section || state == .sectionBracket || state == .sectionEnding
    }

    /// Offset up to which the document can be passed on where it is at fault at `offset`.
    func lastSafe(before offset: Int64) -> Int64 { isInText || isInSection ? offset : opening }

    /// Bytes at the end of text that must wait for what follows: a `]` that `]>` may follow, a
    /// carriage return that a line feed may follow.
    static func held(atEndOf bytes: borrowing Span<UInt8>, from start: Int) -> Int {
        var end = bytes.count
        while end > start, bytes.count - end < 2, bytes[end - 1] == 0x5D { end -= 1 }
        if end > start, bytes[end - 1] == 0x0D { end -= 1 }
        return bytes.count - end
    }

    /// Scans the next bytes of the document, whole UTF-8 characters.
    mutating func scan(_ bytes: borrowing Span<UInt8>) -> Scan {
        var result = Scan()
        var at = 0
        while at < bytes.count, result.stop == nil {
            at = step(bytes, from: at, &result)
        }
        base += Int64(bytes.count)
        if !bytes.isEmpty { carried = bytes[bytes.count - 1] }
        if result.stop == nil {
            if isInText || isInSection {
                let place = bytes.count - Self.held(atEndOf: bytes, from: result.last)
                if place > result.last { result.mark(place) }
            } else if base - opening > bound {
                result.stop = .refused(.tooLong(limit: Int(bound)), offset: opening)
            }
        } else if !isInText, !isInSection, base - Int64(bytes.count - at) - opening > bound {
            result.stop = .refused(.tooLong(limit: Int(bound)), offset: opening)
        }
        return result
    }

    private var bound: Int64 {
        state == .reference ? Self.longestReference : Int64(limits.markup)
    }

    /// Scans from `start` to the next change of state, and returns the place after it.
    private mutating func step(
        _ bytes: borrowing Span<UInt8>, from start: Int, _ result: inout Scan
    ) -> Int {
        switch state {
        case .text:
            open > 0 ? text(bytes, start, &result) : outside(bytes, start, &result)
        case .tag: tag(bytes, start, &result)
        case .doubleQuoted: quoted(bytes, start, 0x22, &result)
        case .singleQuoted: quoted(bytes, start, 0x27, &result)
        case .section: run(bytes, start, until: 0x5D, then: .sectionBracket, &result)
        case .comment: run(bytes, start, until: 0x2D, then: .commentDash, &result)
        case .instruction: run(bytes, start, until: 0x3F, then: .instructionEnding, &result)
        default: single(bytes, start, &result)
        }
    }

    /// White space before and after the root element, where no other text may be.
    private mutating func outside(
        _ bytes: borrowing Span<UInt8>, _ start: Int, _ result: inout Scan
    ) -> Int {
        var at = start
        while at < bytes.count, bytes[at] <= 0x20 {
            if isForbidden(bytes[at], bytes, at) { return refuse(bytes[at], at, &result) }
            at += 1
        }
        guard at < bytes.count, bytes[at] != 0x3C else { return text(bytes, at, &result) }
        result.stop = .refused(misplacedText, offset: base + Int64(at))
        return at
    }

    private var misplacedText: XMLError.Reason { hasTag ? Self.extraContent : Self.noElement }

    private mutating func text(
        _ bytes: borrowing Span<UInt8>, _ start: Int, _ result: inout Scan
    ) -> Int {
        var at = start
        while at < bytes.count {
            let byte = bytes[at]
            if byte == 0x3C || byte == 0x26 {
                // libxml2 counts wrongly after a feed that ends with a carriage return.
                if at > 0, bytes[at - 1] != 0x0D { result.mark(at) }
                opening = base + Int64(at)
                state = byte == 0x3C ? .opened : .reference
                return at + 1
            }
            if byte == 0x3E, brackets(bytes, start, at) == 2 {
                result.stop = .refused(Self.misplacedEnd, offset: base + Int64(at) - 2)
                return at
            }
            if isForbidden(byte, bytes, at) { return refuse(byte, at, &result) }
            at += 1
        }
        trailing = brackets(bytes, start, at)
        return at
    }

    /// How many `]`, up to 2, precede `at` in the text that continues at `start`.
    private func brackets(_ bytes: borrowing Span<UInt8>, _ start: Int, _ at: Int) -> Int {
        var count = 0
        while count < 2, at - count > start, bytes[at - count - 1] == 0x5D { count += 1 }
        return at - count == start ? min(2, count + trailing) : count
    }

    private mutating func tag(
        _ bytes: borrowing Span<UInt8>, _ start: Int, _ result: inout Scan
    ) -> Int {
        var at = start
        while at < bytes.count {
            let byte = bytes[at]
            at += 1
            if byte > 0x3E {
                if isForbidden(byte, bytes, at - 1) { return refuse(byte, at - 1, &result) }
                continue
            }
            switch byte {
            case 0x3E:
                let isEmpty = (at > 1 ? bytes[at - 2] : carried) == 0x2F
                open += isEndTag ? -1 : isEmpty ? 0 : 1
                return closed(at, &result)
            case 0x22, 0x27:
                attributes += 1
                guard attributes <= limits.attributes else {
                    result.stop = .refused(
                        .tooManyAttributes(limit: limits.attributes), offset: opening)
                    return at
                }
                state = byte == 0x22 ? .doubleQuoted : .singleQuoted
                return at
            case 0x3C:
                result.stop = .illFormed(end: at)
                return at
            default:
                if isForbidden(byte, bytes, at - 1) { return refuse(byte, at - 1, &result) }
            }
        }
        return at
    }

    private mutating func quoted(
        _ bytes: borrowing Span<UInt8>, _ start: Int, _ quote: UInt8, _ result: inout Scan
    ) -> Int {
        var at = start
        while at < bytes.count {
            let byte = bytes[at]
            at += 1
            if byte == quote {
                state = .tag
                return at
            }
            if byte == 0x3C {
                result.stop = .illFormed(end: at)
                return at
            }
            if isForbidden(byte, bytes, at - 1) { return refuse(byte, at - 1, &result) }
        }
        return at
    }

    private mutating func run(
        _ bytes: borrowing Span<UInt8>, _ start: Int, until end: UInt8, then next: State,
        _ result: inout Scan
    ) -> Int {
        var at = start
        while at < bytes.count {
            let byte = bytes[at]
            at += 1
            if byte == end {
                state = next
                return at
            }
            if isForbidden(byte, bytes, at - 1) { return refuse(byte, at - 1, &result) }
        }
        return at
    }

    /// The states that look at one byte.
    private mutating func single(
        _ bytes: borrowing Span<UInt8>, _ at: Int, _ result: inout Scan
    ) -> Int {
        let byte = bytes[at]
        if isForbidden(byte, bytes, at) { return refuse(byte, at, &result) }
        let next = at + 1
        switch state {
        case .reference: return reference(byte, next, &result)
        case .opened:
            attributes = 0
            state = byte == 0x21 ? .bang : byte == 0x3F ? .instruction : .tag
            if state == .tag {
                hasTag = true
                isEndTag = byte == 0x2F
            }
            // `<>` and `<"` begin nothing; `tag` would take the quote for an attribute's.
            if byte <= 0x20 || byte == 0x3E || byte == 0x3C || byte == 0x22 || byte == 0x27 {
                result.stop = .illFormed(end: next)
            }
        case .bang, .keyword: return keywordByte(byte, next, &result)
        case .instructionEnding:
            if byte == 0x3E { return closed(next, &result) }
            if byte != 0x3F { state = .instruction }
        case .commentDash: state = byte == 0x2D ? .commentEnding : .comment
        case .commentEnding:
            // XML forbids "--" inside a comment, so nothing else can follow.
            if byte == 0x3E { return closed(next, &result) }
            result.stop = .illFormed(end: next)
        case .sectionBracket: state = byte == 0x5D ? .sectionEnding : .section
        case .sectionEnding:
            if byte == 0x3E { return closed(next, &result) }
            if byte != 0x5D { state = .section }
        default: break
        }
        return next
    }

    private mutating func reference(_ byte: UInt8, _ next: Int, _ result: inout Scan) -> Int {
        switch byte {
        case 0x3B: return closed(next, &result)
        case 0x23, 0x2D, 0x2E, 0x30...0x3A, 0x41...0x5A, 0x5F, 0x61...0x7A, 0x80...0xFF: break
        default: result.stop = .illFormed(end: next)
        }
        return next
    }

    private mutating func keywordByte(_ byte: UInt8, _ next: Int, _ result: inout Scan) -> Int {
        if state == .bang {
            keyword = byte == 0x2D ? 0 : byte == 0x5B ? 1 : 2
            matched = 2
            state = .keyword
        }
        let expected = Self.keywords[keyword]
        guard byte == expected[matched] else {
            result.stop = .illFormed(end: next)
            return next
        }
        matched += 1
        if matched == expected.count {
            switch keyword {
            case 0: state = .comment
            case 1 where open <= 0:
                result.stop = .refused(misplacedText, offset: opening)
            case 1:
                state = .section
                result.mark(next)
            default: result.stop = .refused(.doctype, offset: opening)
            }
        }
        return next
    }

    private mutating func closed(_ place: Int, _ result: inout Scan) -> Int {
        if !isInSection, base + Int64(place) - opening > bound {
            result.stop = .refused(.tooLong(limit: Int(bound)), offset: opening)
            return place
        }
        state = .text
        trailing = 0
        result.mark(place)
        return place
    }

    /// Whether `byte` at `at` is or begins a character that XML 1.0 forbids.
    ///
    /// Surrogates are not UTF-8, so that there are control characters, U+FFFE and U+FFFF.
    @inline(__always)
    private func isForbidden(_ byte: UInt8, _ bytes: borrowing Span<UInt8>, _ at: Int) -> Bool {
        if byte < 0x20 { return byte != 0x0A && byte != 0x0D && byte != 0x09 }
        return byte == 0xEF && Self.isNoncharacter(bytes, at)
    }

    private static func isNoncharacter(_ bytes: borrowing Span<UInt8>, _ at: Int) -> Bool {
        at + 2 < bytes.count && bytes[at + 1] == 0xBF && bytes[at + 2] >= 0xBE
    }

    private func refuse(_ byte: UInt8, _ at: Int, _ result: inout Scan) -> Int {
        result.stop = .refused(
            byte < 0x20 ? .controlCharacter(byte) : Self.noncharacter, offset: base + Int64(at))
        return at
    }
}
