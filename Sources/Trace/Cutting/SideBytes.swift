package import Storage
package import Wire

/// What one peer of a connection had, read from the chunks as it is needed.
///
/// Places are counted from the start of a stream: what that peer sent or got over one leg. Of each
/// chunk a few words are in memory, and the bytes of one.
package final class SideBytes {
    /// What one sender sent over one leg.
    package struct Stream: Hashable, Comparable, Sendable {
        /// The sender.
        package var sender: Peer
        /// The leg.
        package var leg: LegID

        package static func < (a: Self, b: Self) -> Bool {
            (a.leg.rawValue, a.sender.rawValue) < (b.leg.rawValue, b.sender.rawValue)
        }
    }

    /// A chunk, and which part of its stream it is.
    package struct Piece: Sendable {
        /// Its number.
        package var chunk: Int64
        /// The stream.
        package var stream: Stream
        /// Places in the stream of what the peer had of it.
        package var range: Range<Int>
        /// Whether that is what the chunk has.
        package var isPlain: Bool
    }

    /// Where something of the trace is in a stream.
    package struct Place: Hashable, Sendable {
        /// The stream.
        package var stream: Stream
        /// The first place that it can be at.
        package var first: Int
        /// The last place that it can be at: bytes between them were inserted, before it or as its
        /// beginning.
        package var last: Int
    }

    /// The peer.
    package let peer: Peer
    /// The chunks in their order.
    package private(set) var pieces: [Piece] = []
    /// Whether the other peer had something else of any of them, or at another time.
    package private(set) var differs = false
    private var indices: [Int64: Int] = [:]
    private var streams: [Stream: [Int]] = [:]
    private let chunks: Statement
    private let patches: Statement
    private let deliveries: Statement
    private var last: (chunk: Int64, view: ChunkView)?

    /// What `peer` had of some chunks of one connection.
    ///
    /// - Parameters:
    ///   - db: The trace.
    ///   - schema: Its name in `db`.
    ///   - numbers: The numbers of the chunks, ascending.
    ///   - peer: The peer.
    /// - Throws: The error of SQLite.
    package init(
        _ db: Connection, of schema: String, chunks numbers: [Int64], hadBy peer: Peer
    ) throws(StorageFault) {
        self.peer = peer
        func ofChunk(_ table: String) throws(StorageFault) -> Statement {
            try db.prepare(
                """
                SELECT * FROM \(schema).\(table)
                WHERE id >= \(Tables.share) * ?1 AND id < \(Tables.share) * (?1 + 1) ORDER BY id
                """)
        }
        chunks = try db.prepare("SELECT * FROM \(schema).chunk WHERE id = ?")
        patches = try ofChunk("patch")
        deliveries = try ofChunk("delivery")
        func has(_ table: String) -> String {
            """
            EXISTS (SELECT 1 FROM \(schema).\(table) p WHERE p.id >= \(Tables.share) * chunk.id
              AND p.id < \(Tables.share) * (chunk.id + 1))
            """
        }
        let statement = try db.prepare(
            """
            SELECT sender, leg_id, length(bytes),
              origin <> 0 OR \(has("patch")) OR \(has("delivery"))
            FROM \(schema).chunk WHERE id = ?
            """)
        for number in numbers {
            statement.bind(1, number)
            defer { statement.reset() }
            guard try statement.step() else { continue }
            let stream = Stream(
                sender: statement.integer(0) == 0 ? .client : .server,
                leg: LegID(statement.integer(1)))
            let start = count(stream)
            let isPlain = statement.integer(3) == 0
            let count = isPlain ? Int(statement.integer(2)) : try view(number).bytes.count
            indices[number] = pieces.count
            streams[stream, default: []].append(pieces.count)
            pieces.append(
                Piece(
                    chunk: number, stream: stream, range: start..<start + count, isPlain: isPlain))
        }
    }

    /// All streams, by leg and sender.
    package var allStreams: [Stream] { streams.keys.sorted() }

    /// Number of bytes of a stream.
    package func count(_ stream: Stream) -> Int {
        streams[stream]?.last.map { pieces[$0].range.upperBound } ?? 0
    }

    /// Where a place of the trace is.
    ///
    /// - Parameters:
    ///   - chunk: Number of the chunk.
    ///   - offset: Offset in it.
    /// - Returns: The place; nil where there is no such chunk.
    /// - Throws: The error of SQLite.
    package func place(_ chunk: Int64?, _ offset: Int64) throws(StorageFault) -> Place? {
        guard let chunk, let index = indices[chunk] else { return nil }
        let piece = pieces[index]
        let offset = Int(max(0, min(offset, 1 << 40)))
        let start = piece.range.lowerBound
        guard !piece.isPlain else {
            let place = start + min(offset, piece.range.count)
            return Place(stream: piece.stream, first: place, last: place)
        }
        let view = try view(chunk)
        let first = view.index(of: offset)
        var last = first
        for (number, segment) in view.segments.enumerated()
        where segment.start == last && segment.isInserted && segment.offset == offset {
            last =
                number + 1 < view.segments.count
                ? view.segments[number + 1].start : view.bytes.count
        }
        return Place(stream: piece.stream, first: start + first, last: start + last)
    }

    /// The bytes of a part of a stream.
    ///
    /// - Parameters:
    ///   - stream: The stream.
    ///   - range: Places in it.
    /// - Returns: As many of them as there are.
    /// - Throws: The error of SQLite.
    package func read(_ stream: Stream, _ range: Range<Int>) throws(StorageFault) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(range.count)
        for (index, part) in parts(of: range, in: stream) {
            let bytes = try view(pieces[index].chunk).bytes
            let start = pieces[index].range.lowerBound
            result += bytes[part.lowerBound - start..<part.upperBound - start]
        }
        return result
    }

    /// The parts of a range of a stream by the chunk that has them.
    ///
    /// - Parameters:
    ///   - range: Places in the stream.
    ///   - stream: The stream.
    /// - Returns: Indices of ``pieces``, each with the part of `range` that it has; none is empty.
    package func parts(of range: Range<Int>, in stream: Stream) -> [(index: Int, part: Range<Int>)]
    {
        let list = streams[stream] ?? []
        var (low, high) = (0, list.count)
        while low < high {
            let middle = (low + high) / 2
            if pieces[list[middle]].range.upperBound <= range.lowerBound {
                low = middle + 1
            } else {
                high = middle
            }
        }
        var parts: [(index: Int, part: Range<Int>)] = []
        while low < list.count, pieces[list[low]].range.lowerBound < range.upperBound {
            let part = range.clamped(to: pieces[list[low]].range)
            if !part.isEmpty { parts.append((list[low], part)) }
            low += 1
        }
        return parts
    }

    /// The chunk with this number, with its patches and deliveries.
    ///
    /// - Parameter number: Its number.
    /// - Returns: The chunk; nil where there is none.
    /// - Throws: The error of SQLite.
    package func chunk(_ number: Int64) throws(StorageFault) -> Chunk? {
        chunks.bind(1, number)
        defer { chunks.reset() }
        guard try chunks.step() else { return nil }
        var chunk = Tables.chunk.row(chunks)
        patches.bind(1, number)
        while try patches.step() { chunk.patches.append(Tables.patch.row(patches)) }
        deliveries.bind(1, number)
        while try deliveries.step() { chunk.deliveries.append(Tables.delivery.row(deliveries)) }
        return chunk
    }

    private func view(_ number: Int64) throws(StorageFault) -> ChunkView {
        if let last, last.chunk == number { return last.view }
        let chunk =
            try chunk(number)
            ?? Chunk(
                connection: ConnectionID(0), leg: LegID(0), sender: peer, at: .zero, bytes: [])
        differs = differs || chunk.differs
        let view = ChunkView(of: chunk, hadBy: peer)
        last = (number, view)
        return view
    }
}
