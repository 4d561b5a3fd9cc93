internal import Framing

/// What surrounds a direction of HTTP.
struct HTTPSetting {
    let role: HTTPRole
    let limits: HTTPLimits
    let resumption: HTTPResumption
    let requests: [HTTPRequestKind]

    /// A setting made of the bits of `choice`.
    init(role: HTTPRole, choice: UInt8) {
        self.role = role
        resumption = choice & 1 == 0 ? .http : .tunnel
        limits =
            choice & 2 == 0
            ? HTTPLimits() : HTTPLimits(maxHeadBytes: 80, maxFields: 3, maxChunkLineBytes: 12)
        let kinds: [HTTPRequestKind] = [.other, .head, .connect, .other]
        requests = [2, 4, 6].map { kinds[Int(choice >> $0) & 3] }
    }
}

/// What a framer says, as lines that do not depend on how the bytes are cut.
struct HTTPLines {
    private var lines = Lines<HTTPHead>()

    /// Frames `bytes` in these pieces, where `known` are heads that came before.
    static func read(
        _ bytes: [UInt8], _ pieces: [Range<Int>], _ setting: HTTPSetting,
        known: HTTPKnownHeads? = nil
    ) -> [Lines<HTTPHead>.Line] {
        var framer = HTTPFramer(role: setting.role, limits: setting.limits)
        for kind in setting.requests { framer.expect(kind) }
        var result = HTTPLines()
        for piece in pieces {
            var start = piece.lowerBound
            while true {
                var events: [HTTPEvent] = []
                let portion = bytes.span.extracting(start..<piece.upperBound)
                let pending = framer.pendingOffset
                let taken = framer.consume(portion, into: &events, known: known)
                demand(
                    events.allSatisfy { Self.isAbout($0, from: pending) },
                    "what is not pending any more comes in no event")
                for event in events { result.add(event, bytes, base: start) }
                start += taken
                demand(framer.streamOffset == Int64(start), "the offset counts what was taken")
                guard framer.isPaused else { break }
                result.lines.add("paused", start)
                framer.resume(setting.resumption)
                if start == piece.upperBound { break }
            }
            demand(start == piece.upperBound, "only a pause leaves bytes")
        }
        var events: [HTTPEvent] = []
        framer.endOfStream(into: &events)
        for event in events { result.add(event, bytes, base: bytes.count) }
        return result.lines.finish()
    }

    /// Frames `bytes` without telling the framer those of `missing` that it passes over; content is
    /// left out.
    static func read(
        _ bytes: [UInt8], skipping missing: Range<Int>, _ setting: HTTPSetting
    ) -> [Lines<HTTPHead>.Line] {
        var framer = HTTPFramer(role: setting.role, limits: setting.limits)
        for kind in setting.requests { framer.expect(kind) }
        var result = HTTPLines()
        var start = 0
        var hasSkipped = false
        while start < bytes.count {
            var events: [HTTPEvent] = []
            if start == missing.lowerBound, !hasSkipped {
                hasSkipped = true
                let skipped = Int(framer.skip(Int64(missing.count), into: &events))
                demand(
                    (0...missing.count).contains(skipped), "no more is passed over than is missing")
                start += skipped
                for event in events { result.add(event, bytes, base: start) }
            } else {
                let end = start < missing.lowerBound ? missing.lowerBound : bytes.count
                let taken = framer.consume(bytes.span.extracting(start..<end), into: &events)
                for event in events {
                    switch event {
                    case .content, .opaque: break
                    default: result.add(event, bytes, base: start)
                    }
                }
                start += taken
            }
            if framer.isPaused { framer.resume(setting.resumption) }
        }
        var events: [HTTPEvent] = []
        framer.endOfStream(into: &events)
        for event in events { result.add(event, bytes, base: bytes.count) }
        return result.lines.finish()
    }

    /// Whether an event refers to nothing before the offset `pending`.
    private static func isAbout(_ event: HTTPEvent, from pending: Int64) -> Bool {
        switch event {
        case .head(let head, _): head.start >= pending
        case .note(_, let offset): offset >= pending
        default: true
        }
    }

    private mutating func add(_ event: HTTPEvent, _ bytes: [UInt8], base: Int) {
        switch event {
        case .content(let range):
            demand(!range.isEmpty, "content is never empty")
            lines.extend("content", bytes[base + range.lowerBound..<base + range.upperBound])
        case .opaque(let range):
            lines.extend("opaque", bytes[base + range.lowerBound..<base + range.upperBound])
        case .head(let head, let end):
            for field in head.fields { _ = head.text(field.value) }
            _ = (head.method, head.status, head.reason, head.contains(token: "a", in: "connection"))
            lines.add(head, at: base + end)
        case .trailers(let bytes, let end):
            lines.extend("trailers", bytes)
            lines.add("trailers end", base + end)
        case .end(let at): lines.add("end", base + at)
        case .note(let note, let offset):
            demand(offset <= Int64(bytes.count), "\(note) is inside the stream")
            lines.add(note.rawValue, Int(offset))
        case .failure(let error):
            demand(
                (0...Int64(bytes.count)).contains(error.offset), "\(error) is inside the stream")
            lines.add("\(error)", Int(error.offset))
        }
    }
}
