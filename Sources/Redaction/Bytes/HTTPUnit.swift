internal import Framing
internal import Trace

/// One HTTP message in a stream: with the places of its head, content and trailers.
struct HTTPUnit {
    /// The maximum number of separate ranges of content, one for each transfer chunk: 1,000,000.
    static let maxRanges = 1_000_000

    /// The head, once it is complete.
    private(set) var head: HTTPHead?
    /// Places of the head.
    private(set) var headRange = 0..<0
    /// Places of the content, neighbours joined; ascending.
    private(set) var content: [Range<Int>] = []
    /// Where what was read of it ends.
    private(set) var end: Int
    /// Whether its end came.
    private(set) var isWhole = false

    /// Number of bytes of the content.
    var contentCount: Int { content.reduce(0) { $0 + $1.count } }

    /// Reads the message that begins at `start`, no further than `bound`.
    init(
        _ bytes: SideBytes, _ stream: SideBytes.Stream, _ role: HTTPRole,
        to request: HTTPRequestKind, from start: Int, upTo bound: Int
    ) throws {
        var framer = HTTPFramer(role: role)
        framer.expect(request)
        end = start
        while end < bound, !isWhole {
            let piece = try bytes.read(stream, end..<min(end + 65_536, bound))
            guard !piece.isEmpty else { break }
            var events: [HTTPEvent] = []
            let taken = framer.consume(piece.span, into: &events)
            for event in events where !isWhole { take(event, at: end, start) }
            guard !isWhole else { break }
            end += taken
            if framer.isOpaque || taken == 0 { break }
            guard content.count <= Self.maxRanges else {
                throw FileError(
                    .malformed,
                    "a message has more than \(Self.maxRanges) transfer chunks, which cannot be "
                        + "kept in memory; leave its connection out of the trace")
            }
        }
    }

    private mutating func take(_ event: HTTPEvent, at base: Int, _ start: Int) {
        switch event {
        case .head(let found, let end):
            guard head == nil else { return }
            head = found
            let first = start + Int(found.start)
            headRange = first..<max(first, base + end)
        case .content(let range):
            let range = base + range.lowerBound..<base + range.upperBound
            if let last = content.last, last.upperBound == range.lowerBound {
                content[content.count - 1] = last.lowerBound..<range.upperBound
            } else {
                content.append(range)
            }
        case .end(let index):
            isWhole = true
            end = base + index
        case .trailers, .note, .failure, .opaque: return
        }
    }
}
