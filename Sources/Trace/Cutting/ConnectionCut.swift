internal import Framing
internal import Storage
internal import Wire

/// The chunks of a connection without the bytes of some exchanges and messages, on both sides.
struct ConnectionCut {
    /// Something that is put in the place of bytes that a peer had.
    private struct Edit {
        var range: Range<Int>
        var bytes: [UInt8] = []
    }

    private let id: ConnectionID
    private let numbers: [Int64]
    private let sides: [SideBytes]
    /// What is done to the streams of each side, by peer.
    private var edits: [[SideBytes.Stream: [Edit]]] = [[:], [:]]

    /// Works out what stays of connection `id` of the database `source`.
    init(
        _ db: Connection, _ id: ConnectionID, exchanges: Set<ExchangeID>,
        messages: Set<MessageID>
    ) throws {
        self.id = id
        let chunks = try db.prepare(
            "SELECT id FROM source.chunk WHERE connection_id = ? ORDER BY id")
        chunks.bind(1, id.rawValue)
        var numbers: [Int64] = []
        while try chunks.step() { numbers.append(chunks.integer(0)) }
        self.numbers = numbers
        sides = [
            try SideBytes(db, of: "source", chunks: numbers, hadBy: .client),
            try SideBytes(db, of: "source", chunks: numbers, hadBy: .server),
        ]
        let exchangesOut = try Self.units("any_exchange", of: exchanges.map(\.rawValue), id, db)
        let messagesOut = try Self.units("any_message", of: messages.map(\.rawValue), id, db)
        for side in sides {
            try leaveOut(exchanges: exchangesOut, of: side, db)
            try leaveOut(messages: messagesOut, of: side, db)
        }
    }

    /// The rows of a connection that are left out with `some`: those that correspond to them.
    private static func units(
        _ table: String, of some: [Int64], _ id: ConnectionID, _ db: Connection
    ) throws -> Set<Int64> {
        guard !some.isEmpty else { return [] }
        let statement = try db.prepare(
            """
            SELECT id, counterpart_id FROM source.\(table)
            WHERE connection_id = ? AND side = 'server' AND counterpart_id IS NOT NULL
            """)
        statement.bind(1, id.rawValue)
        var belongs: [Int64: Int64] = [:]
        while try statement.step() { belongs[statement.integer(0)] = statement.integer(1) }
        /// What a row is left out with.
        func unit(_ row: Int64) -> Int64 {
            var row = row
            var seen: Set<Int64> = []
            while let next = belongs[row], seen.insert(row).inserted { row = next }
            return row
        }
        let units = Set(some.map(unit))
        return units.union(belongs.keys.filter { units.contains(unit($0)) }).union(some)
    }

    private func ofSide(_ side: SideBytes) -> String { "side <> '\(side.peer.other)'" }

    private mutating func add(_ edit: Edit, to stream: SideBytes.Stream, of side: SideBytes) {
        edits[side.peer.rawValue][stream, default: []].append(edit)
    }

    // MARK: Exchanges

    private mutating func leaveOut(
        exchanges: Set<Int64>, of side: SideBytes, _ db: Connection
    ) throws {
        guard !exchanges.isEmpty else { return }
        let statement = try db.prepare(
            """
            SELECT id, request_chunk_id, request_offset, response_chunk_id, response_offset
            FROM source.any_exchange WHERE connection_id = ? AND \(ofSide(side)) ORDER BY id
            """)
        statement.bind(1, id.rawValue)
        var starts: [SideBytes.Stream: [(place: SideBytes.Place, isOut: Bool)]] = [:]
        while try statement.step() {
            let isOut = exchanges.contains(statement.integer(0))
            for start in [
                try side.place(statement.integer(1), statement.integer(2)),
                try side.place(statement.optionalInteger(3), statement.integer(4)),
            ] {
                guard let start else { continue }
                starts[start.stream, default: []].append((start, isOut))
            }
        }
        for (stream, list) in starts {
            let sorted = list.sorted {
                ($0.place.first, $0.place.last) < ($1.place.first, $1.place.last)
            }
            for (index, start) in sorted.enumerated() where start.isOut {
                // What was inserted between two belongs to the one before it.
                let isFirst = index == 0 || sorted[index - 1].place.first == start.place.first
                let from = isFirst ? start.place.first : start.place.last
                let next = index + 1 < sorted.count ? sorted[index + 1].place.last : nil
                add(
                    Edit(range: from..<max(from, next ?? side.count(stream))), to: stream, of: side)
            }
        }
    }

    // MARK: Messages

    private mutating func leaveOut(
        messages: Set<Int64>, of side: SideBytes, _ db: Connection
    ) throws {
        guard !messages.isEmpty else { return }
        let statement = try db.prepare(
            """
            SELECT m.id, f.chunk_id, f."offset"
            FROM source.any_message m JOIN source.frame f
              ON f.id >= \(Tables.share) * m.id AND f.id < \(Tables.share) * (m.id + 1)
            WHERE m.connection_id = ? AND m.\(ofSide(side)) ORDER BY m.id, f.id
            """)
        statement.bind(1, id.rawValue)
        var rows: [(id: Int64, places: [SideBytes.Place])] = []
        while try statement.step() {
            let message = statement.integer(0)
            if rows.last?.id != message { rows.append((message, [])) }
            guard let place = try side.place(statement.integer(1), statement.integer(2)) else {
                continue
            }
            rows[rows.count - 1].places.append(place)
        }
        var finder = SideFrames(in: side)
        for row in rows { finder.add(row.places) }
        let frames = try finder.all()
        let payload = try db.prepare(
            "SELECT opcode, CAST(payload AS BLOB) FROM source.any_message WHERE id = ?")
        // Senders of which a compressed message is left out.
        var broken: Set<Peer> = []
        for (row, frames) in Self.inOrder(rows.map(\.id), frames) {
            guard let first = frames.first else { continue }
            let isOut = messages.contains(row)
            if isOut {
                if first.isCompressed { broken.insert(first.stream.sender) }
                for frame in frames { add(Edit(range: frame.range), to: frame.stream, of: side) }
            } else if first.isCompressed, broken.contains(first.stream.sender) {
                payload.bind(1, row)
                guard try payload.step() else { continue }
                let bytes = WebSocketFrameEncoder.encode(
                    opcode: WebSocketOpcode(
                        rawValue: UInt8(truncatingIfNeeded: payload.integer(0))),
                    payload: payload.bytes(1), mask: first.mask)
                payload.reset()
                for (index, frame) in frames.enumerated() {
                    add(
                        Edit(range: frame.range, bytes: index == 0 ? bytes : []), to: frame.stream,
                        of: side)
                }
            }
        }
    }

    /// Messages in the order in which their directions have them.
    private static func inOrder(
        _ rows: [Int64], _ frames: [[SideFrame]]
    ) -> [(Int64, [SideFrame])] {
        zip(rows, frames).sorted {
            let (a, b) = ($0.1.last?.range.lowerBound ?? 0, $1.1.last?.range.lowerBound ?? 0)
            return (a, $0.0) < (b, $1.0)
        }
    }

    // MARK: Writing

    /// Writes the chunks that stay, with their numbers.
    ///
    /// - Returns: For each chunk that lost some of its bytes, where the others are.
    func write(to db: Connection) throws -> [Int64: ChunkMoves] {
        let writer = try EditedChunkWriter(db)
        var changed: [Int: [(side: Int, range: Range<Int>, bytes: [UInt8])]] = [:]
        for (number, side) in sides.enumerated() {
            for (stream, list) in edits[number] {
                for edit in list {
                    for (index, part) in side.parts(of: edit.range, in: stream) {
                        let start = side.pieces[index].range.lowerBound
                        let isFirst = part.lowerBound == edit.range.lowerBound
                        changed[index, default: []].append(
                            (
                                number, part.lowerBound - start..<part.upperBound - start,
                                isFirst ? edit.bytes : []
                            ))
                    }
                }
            }
        }
        var written: [Int64: ChunkMoves] = [:]
        for (index, number) in numbers.enumerated() {
            guard let list = changed[index], let chunk = try sides[0].chunk(number) else {
                try writer.copy(number)
                continue
            }
            var edits = ChunkEdits(of: chunk)
            for edit in list {
                edits.replace(edit.range, with: edit.bytes, hadBy: sides[edit.side].peer)
            }
            let outcome = edits.outcome()
            if !outcome.isEmpty { try writer.write(outcome.chunk, as: number) }
            written[number] = outcome.moves
        }
        return written
    }
}
