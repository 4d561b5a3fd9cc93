/// Recognises the delimiter line of a multipart body, a byte at a time.
///
/// A delimiter is a line break, two hyphens, the boundary, and then two hyphens, whitespace or a
/// line break; anything else after the boundary makes it content (RFC 2046, 5.1.1).
struct MultipartDelimiter: Sendable {
    /// The result of one byte.
    enum Step {
        /// The byte belongs to what may become a delimiter.
        case matched
        /// All bytes matched before are content; the byte itself has not been inspected.
        case mismatched
        /// As ``mismatched``, but the last byte matched is a CR that may begin a delimiter.
        case mismatchedAfterCR
        /// The delimiter of a part is complete with its line break.
        case part
        /// The delimiter of a part is complete up to the whitespace after it.
        case partWithPadding
        /// The closing delimiter is complete.
        case close
    }

    private enum State {
        /// Nothing is matched.
        case idle
        /// A CR is.
        case carriageReturn
        /// The line break (or the start of the content) and some bytes of the pattern are.
        case pattern(Int)
        /// The whole pattern is.
        case boundary
        /// The pattern and a CR are.
        case boundaryCR
        /// The pattern and a hyphen are.
        case boundaryHyphen
    }

    private let pattern: [UInt8]
    private var state = State.pattern(0)

    /// Nil where `boundary` cannot be one.
    init?(boundary: String) {
        let bytes = [UInt8](boundary.utf8)
        guard !bytes.isEmpty, bytes.count <= 1024, !bytes.contains(0x0A), !bytes.contains(0x0D)
        else { return nil }
        pattern = [0x2D, 0x2D] + bytes
    }

    /// Whether nothing is matched.
    var isIdle: Bool {
        if case .idle = state { return true }
        return false
    }

    /// Whether a whole boundary is matched and what follows it is unknown.
    var hasBoundary: Bool {
        switch state {
        case .boundary, .boundaryCR, .boundaryHyphen: true
        case .idle, .carriageReturn, .pattern: false
        }
    }

    /// Goes to the start of a line.
    mutating func beginLine() { state = .pattern(0) }

    /// Goes after a CR that is not within a delimiter.
    mutating func beginCR() { state = .carriageReturn }

    /// Whether `line` begins with the delimiter's hyphens and boundary.
    func begins(_ line: ArraySlice<UInt8>) -> Bool { line.starts(with: pattern) }

    /// Inspects the next byte; the state is idle again after all but ``Step/matched``.
    mutating func step(_ byte: UInt8) -> Step {
        switch state {
        case .idle:
            return .mismatched
        case .carriageReturn:
            if byte == 0x0A {
                state = .pattern(0)
                return .matched
            }
        case .pattern(let count):
            if byte == pattern[count] {
                state = count + 1 == pattern.count ? .boundary : .pattern(count + 1)
                return .matched
            }
        case .boundary:
            switch byte {
            case 0x0D:
                state = .boundaryCR
                return .matched
            case 0x2D:
                state = .boundaryHyphen
                return .matched
            case 0x0A:
                state = .idle
                return .part
            case 0x20, 0x09:
                state = .idle
                return .partWithPadding
            default:
                break
            }
        case .boundaryCR:
            state = .idle
            return byte == 0x0A ? .part : .mismatchedAfterCR
        case .boundaryHyphen:
            if byte == 0x2D {
                state = .idle
                return .close
            }
        }
        state = .idle
        return .mismatched
    }
}
