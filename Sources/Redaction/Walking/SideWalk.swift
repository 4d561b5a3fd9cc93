internal import Framing
internal import Storage
internal import Trace
internal import Wire

/// Goes through everything that one peer of a connection sent and got, decoded as far as the trace has
/// it decoded.
///
/// Heads, content and WebSocket messages are passed to a ``SecretWalk``; what is between them, such
/// as interim responses and what cannot be decoded, is passed as text. With edits to write to, what
/// changed is written in its place.
final class SideWalk {
    /// Largest content and message that is taken as a whole: 64 MiB.
    ///
    /// Plain content above it is scanned in pieces; encoded content above it cannot be redacted.
    static let largestWhole = 64 << 20
    /// Size of the pieces of what is not taken as a whole: 1 MiB.
    private static let pieceSize = 1 << 20

    private let db: Connection
    private let schema: String
    private let id: ConnectionID
    private let walk: SecretWalk
    private let edits: StreamEdits?
    private let bytes: SideBytes
    /// Whether WebSocket messages went over it.
    private(set) var isSocket = false
    /// The scanned ranges of each stream, adjacent ones joined, ascending.
    private var covered: [SideBytes.Stream: [Range<Int>]] = [:]

    /// A walk through what one peer had of connection `id` of the database `schema`; nothing is
    /// written where `edits` is nil.
    init(
        _ db: Connection, _ id: ConnectionID, of schema: String, _ bytes: SideBytes,
        by walk: SecretWalk, edits: StreamEdits?
    ) {
        self.db = db
        self.schema = schema
        self.id = id
        self.walk = walk
        self.edits = edits
        self.bytes = bytes
    }

    /// Goes through all of it.
    func run() throws {
        try readExchanges()
        isSocket = try MessageWalk(db, id, of: schema, by: walk, bytes, edits).run {
            stream, range in
            self.cover(stream, range)
        }
        try readRest()
        try walk.check()
    }

    private func cover(_ stream: SideBytes.Stream, _ range: Range<Int>) {
        guard !range.isEmpty else { return }
        guard let last = covered[stream]?.last, last.upperBound == range.lowerBound else {
            covered[stream, default: []].append(range)
            return
        }
        covered[stream, default: []][(covered[stream]?.count ?? 1) - 1] =
            last.lowerBound..<range.upperBound
    }

    private func change(
        _ stream: SideBytes.Stream, _ range: Range<Int>, from old: [UInt8], to new: [UInt8]
    ) throws {
        guard old != new, !range.isEmpty else { return }
        try edits?.add(bytes.peer, stream, range, new)
    }

    // MARK: Exchanges

    private struct Start {
        var exchange: Int64
        var place: SideBytes.Place
        var role: HTTPRole
        var kind: HTTPRequestKind
    }

    private func readExchanges() throws {
        let statement = try db.prepare(
            """
            SELECT any_exchange.id, request_chunk_id, request_offset, response_chunk_id,
              response_offset, method
            FROM \(RowsByConnection.source("any_exchange", of: schema))
            WHERE any_exchange.side <> '\(bytes.peer.other)' ORDER BY number.id
            """)
        statement.bind(1, id.rawValue)
        var starts: [SideBytes.Stream: [Start]] = [:]
        while try statement.step() {
            let exchange = statement.integer(0)
            let method = statement.string(5)
            let kind: HTTPRequestKind =
                method == "HEAD" ? .head : method == "CONNECT" ? .connect : .other
            for (role, place) in [
                (HTTPRole.request, try bytes.place(statement.integer(1), statement.integer(2))),
                (.response, try bytes.place(statement.optionalInteger(3), statement.integer(4))),
            ] {
                guard let place else { continue }
                starts[place.stream, default: []].append(
                    Start(exchange: exchange, place: place, role: role, kind: kind))
            }
        }
        for stream in bytes.allStreams {
            let list = (starts[stream] ?? []).sorted {
                ($0.place.first, $0.place.last) < ($1.place.first, $1.place.last)
            }
            var end = 0
            for (index, start) in list.enumerated() {
                let from = max(start.place.first, min(end, start.place.last))
                let next = index + 1 < list.count ? list[index + 1].place.last : nil
                let unit = try HTTPUnit(
                    bytes, stream, start.role, to: start.kind, from: from,
                    upTo: max(from, next ?? bytes.count(stream)))
                if unit.isWhole { end = unit.end }
                let side = start.role == .request ? "request" : "response"
                walk.place = "exchange \(start.exchange), \(side)"
                try read(unit, in: stream)
            }
        }
    }

    private func read(_ unit: HTTPUnit, in stream: SideBytes.Stream) throws {
        guard let head = unit.head else { return }
        let original = try bytes.read(stream, unit.headRange)
        // Empty lines before the first line are not part of the head.
        guard original == head.bytes else { return }
        let newHead = walk.head(head)
        var growth = 0
        cover(stream, unit.headRange)
        let codings = (head.value(of: "content-encoding") ?? "").lowercased()
        let list = (try? ContentCoding.parse(codings)) ?? []
        if list.isEmpty {
            try readPlain(unit, head.value(of: "content-type"), in: stream)
        } else if let new = try encoded(unit, head, list, in: stream) {
            growth = new.count - unit.contentCount
            try write(new, unit, in: stream)
        }
        for range in unit.content { cover(stream, range) }
        try write(newHead, growth, of: head, at: unit.headRange.lowerBound, in: stream)
    }

    /// Writes the redacted head that is as long as the one at `place`, with every `Content-Length`
    /// larger by `growth`.
    private func write(
        _ new: [UInt8], _ growth: Int, of head: HTTPHead, at place: Int, in stream: SideBytes.Stream
    ) throws {
        var start = 0
        for field in growth == 0 ? [] : head.all("content-length") {
            guard let length = Int(String(decoding: new[field.value], as: UTF8.self)) else {
                continue
            }
            try change(
                stream, place + start..<place + field.value.lowerBound,
                from: Array(head.bytes[start..<field.value.lowerBound]),
                to: Array(new[start..<field.value.lowerBound]))
            try edits?.add(
                bytes.peer, stream,
                place + field.value.lowerBound..<place + field.value.upperBound,
                Array(String(length + growth).utf8))
            start = field.value.upperBound
        }
        try change(
            stream, place + start..<place + head.bytes.count, from: Array(head.bytes[start...]),
            to: Array(new[start...]))
    }

    private func readPlain(
        _ unit: HTTPUnit, _ type: String?, in stream: SideBytes.Stream
    ) throws {
        guard unit.contentCount <= Self.largestWhole else {
            for range in unit.content { try readPieces(stream, range) }
            return
        }
        var content: [UInt8] = []
        content.reserveCapacity(unit.contentCount)
        for range in unit.content { content += try bytes.read(stream, range) }
        let original = content
        walk.content(&content, type: type)
        guard content != original else { return }
        var start = 0
        for range in unit.content {
            let part = start..<start + range.count
            try change(stream, range, from: Array(original[part]), to: Array(content[part]))
            start += range.count
        }
    }

    /// What encoded content becomes; nil where it stays.
    private func encoded(
        _ unit: HTTPUnit, _ head: HTTPHead, _ codings: [ContentCoding],
        in stream: SideBytes.Stream
    ) throws -> [UInt8]? {
        guard unit.contentCount > 0 else { return nil }
        let decoder = try? ContentDecoder(
            codings: head.value(of: "content-encoding") ?? "",
            limits: ContentDecodingLimits(maxDecodedBytes: Int64(Self.largestWhole)))
        var content: [UInt8] = []
        var isReadable = decoder != nil
        for range in unit.content where isReadable {
            let piece = try bytes.read(stream, range)
            do {
                try decoder?.decode(piece.span) { (part) throws(ContentCodingError) in
                    part.withUnsafeBufferPointer { content.append(contentsOf: $0) }
                }
            } catch ContentCodingError.bomb {
                throw FileError(
                    .malformed,
                    "\(walk.place): the content has more than \(Self.largestWhole >> 20) MiB "
                        + "decoded and cannot be redacted; leave connection \(id) out of the trace")
            } catch {
                isReadable = false
            }
        }
        let isWhole = isReadable && (try? decoder?.finish()) != nil
        let original = content
        walk.content(&content, type: head.value(of: "content-type"))
        if isReadable {
            return content == original
                ? nil : StoredCoding.encode(content, codings, isWhole: isWhole)
        }
        // What cannot be decoded to its end may hold anything.
        return walk.isReplacing ? [UInt8](repeating: 0, count: unit.contentCount) : nil
    }

    /// Writes encoded content, distributed over the ranges of the old one, with the sizes of
    /// transfer chunks made to fit.
    private func write(
        _ content: [UInt8], _ unit: HTTPUnit, in stream: SideBytes.Stream
    ) throws {
        let isChunked = unit.head?.contains(token: "chunked", in: "transfer-encoding") == true
        let whole = StreamEdits.Edit(range: 0..<unit.contentCount, bytes: content)
        var start = 0
        var before = unit.headRange.upperBound
        for range in unit.content {
            let part = Array(whole.share(of: start..<start + range.count))
            if isChunked {
                try resize(
                    by: part.count - range.count, between: before..<range.lowerBound, in: stream)
            }
            try edits?.add(bytes.peer, stream, range, part)
            start += range.count
            before = range.upperBound
        }
    }

    /// Changes the size of a transfer chunk, which is in the line before it.
    private func resize(
        by growth: Int, between range: Range<Int>, in stream: SideBytes.Stream
    ) throws {
        let line = try bytes.read(stream, range)
        guard let first = line.firstIndex(where: { $0 != 0x0D && $0 != 0x0A }) else { return }
        let digits = line[first...].prefix {
            (0x30...0x39).contains($0) || (0x61...0x66).contains($0 | 0x20)
        }
        guard let size = Int(String(decoding: digits, as: UTF8.self), radix: 16) else { return }
        let start = range.lowerBound + first
        try edits?.add(
            bytes.peer, stream, start..<start + digits.count,
            Array(String(max(1, size + growth), radix: 16).utf8))
    }

    // MARK: The rest

    private func readRest() throws {
        walk.place = "connection \(id)"
        for stream in bytes.allStreams {
            var start = 0
            for range in (covered[stream] ?? []).sorted(by: { $0.lowerBound < $1.lowerBound })
                + [bytes.count(stream)..<bytes.count(stream)]
            {
                if start < range.lowerBound { try readPieces(stream, start..<range.lowerBound) }
                start = max(start, range.upperBound)
            }
        }
    }

    /// Scans unknown bytes, in pieces that end where a word does.
    private func readPieces(_ stream: SideBytes.Stream, _ range: Range<Int>) throws {
        var start = range.lowerBound
        while start < range.upperBound {
            var piece = try bytes.read(
                stream, start..<min(start + Self.pieceSize, range.upperBound))
            guard !piece.isEmpty else { return }
            if start + piece.count < range.upperBound {
                let end = piece.suffix(PhraseSearch.longest).lastIndex { $0 <= 0x20 }
                if let end, end > 0 { piece.removeLast(piece.count - end) }
            }
            let original = piece
            walk.unknown(&piece)
            // The sizes of transfer chunks are here too, and may have been changed already.
            if piece != original,
                (try edits?.touching(bytes.peer, stream, start..<start + piece.count).isEmpty)
                    == true
            {
                try change(stream, start..<start + piece.count, from: original, to: piece)
            }
            start += piece.count
        }
    }
}
