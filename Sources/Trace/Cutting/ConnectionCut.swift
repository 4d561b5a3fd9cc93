internal import Framing
internal import Storage
internal import Wire

/// The chunks of a connection without the bytes of some exchanges and messages.
///
/// Places are counted from the start of a stream: what the receiver of one sender received over one
/// leg.
struct ConnectionCut {
    private struct Stream: Hashable {
        var sender: Int64
        var leg: Int64
    }

    private struct ChunkPlace {
        var stream: Stream
        /// Place of its first byte in the stream.
        var start: Int
        /// Bytes of it that the receiver received.
        var count: Int
        var hasPatches: Bool
    }

    private struct Insertion {
        var place: Int
        var bytes: [UInt8]
    }

    private let id: ConnectionID
    private var chunks: [(id: Int64, place: ChunkPlace)] = []
    private var places: [Int64: ChunkPlace] = [:]
    /// The ranges that are left out of each stream, ascending.
    private var removed: [Stream: [Range<Int>]] = [:]
    /// The ranges that are rewritten, ascending.
    private var inserted: [Stream: [Insertion]] = [:]

    /// Works out what stays of connection `id` of the database `source`.
    init(
        _ db: Connection, _ id: ConnectionID, exchanges: Set<ExchangeID>,
        messages: Set<MessageID>
    ) throws {
        self.id = id
        try readChunks(db)
        try leaveOut(exchanges, db)
        try leaveOut(messages, db)
        for (stream, ranges) in removed {
            removed[stream] = ranges.filter { !$0.isEmpty }.sorted {
                $0.lowerBound < $1.lowerBound
            }
        }
        for stream in inserted.keys { inserted[stream]?.sort { $0.place < $1.place } }
    }

    private mutating func readChunks(_ db: Connection) throws {
        let statement = try db.prepare(
            """
            SELECT c.id, c.sender, c.leg_id, length(c.bytes),
              (SELECT sum(length(p.inserted) - p.removed) FROM source.patch p
               WHERE p.id >= \(Tables.share) * c.id
                 AND p.id < \(Tables.share) * (c.id + 1))
            FROM source.chunk c WHERE c.connection_id = ? ORDER BY c.id
            """)
        statement.bind(1, id.rawValue)
        var ends: [Stream: Int] = [:]
        while try statement.step() {
            let stream = Stream(sender: statement.integer(1), leg: statement.integer(2))
            let change = statement.optionalInteger(4)
            let place = ChunkPlace(
                stream: stream, start: ends[stream, default: 0],
                count: max(0, Int(statement.integer(3) + (change ?? 0))),
                hasPatches: change != nil)
            ends[stream] = place.start + place.count
            chunks.append((statement.integer(0), place))
            places[statement.integer(0)] = place
        }
    }

    private func place(_ chunk: Int64?, _ offset: Int64) -> (stream: Stream, place: Int)? {
        guard let chunk, let found = places[chunk] else { return nil }
        return (found.stream, found.start + min(Int(offset), found.count))
    }

    // MARK: Exchanges

    private mutating func leaveOut(_ exchanges: Set<ExchangeID>, _ db: Connection) throws {
        let statement = try db.prepare(
            """
            SELECT id, request_chunk_id, request_offset, response_chunk_id, response_offset
            FROM source.http_exchange WHERE connection_id = ? ORDER BY id
            """)
        statement.bind(1, id.rawValue)
        var starts: [Stream: [(place: Int, isOut: Bool)]] = [:]
        while try statement.step() {
            let isOut = exchanges.contains(ExchangeID(statement.integer(0)))
            for start in [
                place(statement.integer(1), statement.integer(2)),
                place(statement.optionalInteger(3), statement.integer(4)),
            ] {
                guard let start else { continue }
                starts[start.stream, default: []].append((start.place, isOut))
            }
        }
        for (stream, list) in starts {
            let end = chunks.last { $0.place.stream == stream }.map {
                $0.place.start + $0.place.count
            }
            let sorted = list.sorted { $0.place < $1.place }
            for (index, start) in sorted.enumerated() where start.isOut {
                let next = index + 1 < sorted.count ? sorted[index + 1].place : end ?? start.place
                removed[stream, default: []].append(start.place..<max(start.place, next))
            }
        }
    }

    // MARK: Messages

    private mutating func leaveOut(_ messages: Set<MessageID>, _ db: Connection) throws {
        let frames = try db.prepare(
            """
            SELECT chunk_id, "offset", header_size + payload_size, mask FROM source.frame
            WHERE id >= \(Tables.share) * ?1 AND id < \(Tables.share) * (?1 + 1)
            ORDER BY id
            """)
        let statement = try db.prepare(
            """
            SELECT id, sender, opcode, compressed, CAST(payload AS BLOB) FROM source.message
            WHERE connection_id = ? ORDER BY id
            """)
        statement.bind(1, id.rawValue)
        /// Senders of which a compressed message is left out.
        var broken: Set<Int64> = []
        while try statement.step() {
            let message = statement.integer(0)
            let isOut = messages.contains(MessageID(message))
            let isCompressed = statement.integer(3) != 0
            let isAnew = isCompressed && broken.contains(statement.integer(1))
            guard isOut || isAnew else { continue }
            if isOut && isCompressed { broken.insert(statement.integer(1)) }
            frames.bind(1, message)
            var isFirst = true
            while try frames.step() {
                guard let start = place(frames.integer(0), frames.integer(1)) else { continue }
                let end = start.place + Int(frames.integer(2))
                removed[start.stream, default: []].append(start.place..<end)
                if isAnew, !isOut, isFirst {
                    let opcode = WebSocketOpcode(
                        rawValue: UInt8(truncatingIfNeeded: statement.integer(2)))
                    let frame = WebSocketFrameEncoder.encode(
                        opcode: opcode, payload: statement.bytes(4),
                        mask: frames.optionalInteger(3).map { UInt32(truncatingIfNeeded: $0) })
                    inserted[start.stream, default: []].append(
                        Insertion(place: start.place, bytes: frame))
                }
                isFirst = false
            }
        }
    }

    // MARK: Writing

    /// Writes the chunks that stay, with their numbers.
    ///
    /// - Returns: For each chunk that lost some of its bytes, where these were.
    func write(to db: Connection) throws -> [Int64: [Range<Int>]] {
        let copy = try db.prepare("INSERT INTO chunk SELECT * FROM source.chunk WHERE id = ?")
        let patches = try db.prepare(
            """
            INSERT INTO patch SELECT * FROM source.patch
            WHERE id >= \(Tables.share) * ?1 AND id < \(Tables.share) * (?1 + 1)
            """)
        let insertion = try db.prepare(
            """
            INSERT INTO chunk SELECT id, connection_id, leg_id, sender, origin, at_ns, ?2
            FROM source.chunk WHERE id = ?1
            """)
        var shifts: [Int64: [Range<Int>]] = [:]
        /// The position in each stream's lists.
        var nexts: [Stream: (removed: Int, inserted: Int)] = [:]
        for (number, place) in chunks {
            let end = place.start + place.count
            var next = nexts[place.stream, default: (0, 0)]
            let all = removed[place.stream] ?? []
            var holes: [Range<Int>] = []
            while next.removed < all.count, all[next.removed].lowerBound < max(end, place.start + 1)
            {
                let hole = all[next.removed].clamped(to: place.start..<end)
                let isCovered = all[next.removed].contains(place.start)
                if !hole.isEmpty || (place.count == 0 && isCovered) {
                    holes.append(hole.lowerBound - place.start..<hole.upperBound - place.start)
                }
                guard all[next.removed].upperBound <= end else { break }
                next.removed += 1
            }
            var added: [Insertion] = []
            let anew = inserted[place.stream] ?? []
            while next.inserted < anew.count, anew[next.inserted].place < end {
                added.append(
                    Insertion(
                        place: anew[next.inserted].place - place.start,
                        bytes: anew[next.inserted].bytes))
                next.inserted += 1
            }
            nexts[place.stream] = next
            if holes.isEmpty, added.isEmpty {
                for statement in [copy, patches] {
                    statement.bind(1, number)
                    try statement.run()
                }
                continue
            }
            if place.count == 0 { continue }
            let bytes = Self.splice(try received(number, place, db), holes, added)
            guard !bytes.isEmpty else { continue }
            insertion.bind(1, number)
            insertion.bind(2, copying: bytes, asText: false)
            try insertion.run()
            shifts[number] = holes
        }
        return shifts
    }

    /// `bytes` without the holes and with what is added, which is at the start of holes.
    private static func splice(
        _ bytes: [UInt8], _ holes: [Range<Int>], _ added: [Insertion]
    ) -> [UInt8] {
        var output: [UInt8] = []
        var position = 0
        var rest = added[...]
        func add(upto place: Int) {
            while let first = rest.first, first.place <= place {
                output += first.bytes
                rest = rest.dropFirst()
            }
        }
        for hole in holes {
            output += bytes[min(position, bytes.count)..<min(hole.lowerBound, bytes.count)]
            add(upto: hole.lowerBound)
            position = max(position, hole.upperBound)
        }
        output += bytes[min(position, bytes.count)...]
        add(upto: .max)
        return output
    }

    /// The bytes of a chunk as received.
    private func received(
        _ chunk: Int64, _ place: ChunkPlace, _ db: Connection
    ) throws -> [UInt8] {
        let bytes = try db.prepare("SELECT bytes FROM source.chunk WHERE id = ?")
        bytes.bind(1, chunk)
        guard try bytes.step() else { return [] }
        let raw = bytes.bytes(0)
        guard place.hasPatches else { return raw }
        let statement = try db.prepare(
            """
            SELECT "offset", removed, inserted FROM source.patch
            WHERE id >= \(Tables.share) * ?1 AND id < \(Tables.share) * (?1 + 1)
            ORDER BY id
            """)
        statement.bind(1, chunk)
        var patches: [Patch] = []
        while try statement.step() {
            patches.append(
                Patch(
                    offset: Int(statement.integer(0)), removed: Int(statement.integer(1)),
                    inserted: statement.bytes(2), reason: .fault))
        }
        return Patch.apply(patches, to: raw)
    }
}
