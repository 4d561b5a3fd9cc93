public import Dissection
internal import Storage
public import Wire

/// The bytes of a message as they were on one side of this program.
public enum BytesSide: Hashable, Sendable, CaseIterable {
    /// As the sender sent them.
    case sent
    /// As received.
    case received
    /// As the side that the exchange belongs to had them, rewrites of the proxy included.
    case own

    /// What is between two offsets of a chunk; `end` is nil for its end.
    fileprivate func bytes(
        of chunk: Chunk, from start: Int, upto end: Int?, on side: Side
    ) -> ArraySlice<UInt8> {
        let peer: Peer
        switch self {
        case .sent:
            let low = min(max(0, start), chunk.bytes.count)
            return chunk.bytes[low..<min(max(low, end ?? .max), chunk.bytes.count)]
        case .received: peer = chunk.sender.other
        case .own: peer = side == .server ? .server : .client
        }
        let view = ChunkView(of: chunk, hadBy: peer)
        let low = view.index(of: start)
        return view.bytes[low..<max(low, end.map(view.index) ?? view.bytes.count)]
    }
}

extension TraceReader {
    /// Passes on the bytes of one side of an exchange as they were on the wire, after TLS.
    ///
    /// From the first byte of the start line to the last byte of the body, interim responses and
    /// chunked framing included, in pieces as they were read. Where the last chunk holds the
    /// beginning of what follows, that is left out.
    ///
    /// - Parameters:
    ///   - id: The exchange.
    ///   - sender: Whose bytes.
    ///   - side: Whose view of them.
    ///   - body: Receives each piece, with the number of its chunk, and returns whether to go on.
    /// - Throws: ``TraceError``, with code `notFound` where there is no such exchange.
    public func bytes(
        of id: ExchangeID, sender: Peer, _ side: BytesSide = .own,
        _ body: (ChunkID, ArraySlice<UInt8>) -> Bool
    ) throws(TraceError) {
        let found = try reported { () throws(StorageFault) in
            try list("SELECT * FROM any_exchange WHERE id = ?", [id.rawValue]) {
                Tables.exchange.row($0)
            }
        }
        guard let exchange = found.first else {
            throw TraceError(.notFound, "there is no exchange \(id) in \(path)")
        }
        let start = sender == .client ? exchange.requestPlace : exchange.responsePlace
        guard let start else { return }
        let ended = sender == .client ? exchange.requestEndedAt : exchange.endedAt
        try reported { () throws(StorageFault) in
            let later = try firstLater(than: exchange, ended)
            let next = try next(after: exchange, sender, before: later?.exchange)
            // An upgraded connection continues with frames where the response ends.
            let message = try firstMessage(of: exchange, sender)
            let end = [next, message].compactMap(\.self).min {
                ($0.chunk, $0.offset) < ($1.chunk, $1.offset)
            }
            try chunks(
                of: exchange.connection, sender, from: start.chunk,
                upto: end?.chunk ?? later?.chunk, ended: ended
            ) { chunk, value in
                let first = chunk == start.chunk ? start.offset : 0
                let last = end.flatMap { $0.chunk == chunk ? $0.offset : nil }
                let bytes = side.bytes(of: value, from: first, upto: last, on: exchange.side)
                return bytes.isEmpty || body(chunk, bytes)
            }
        }
    }

    /// Passes on the bytes of one side of an exchange from its first one on, and of what follows
    /// until the exchange ended: for those who know by themselves where to stop.
    ///
    /// Parameters are those of ``bytes(of:sender:_:_:)``, which has to look for the end.
    ///
    /// - Throws: ``TraceError`` with code `storage`.
    public func bytes(
        from exchange: ExchangeRow, sender: Peer, _ side: BytesSide,
        _ body: (ArraySlice<UInt8>) -> Bool
    ) throws(TraceError) {
        let start = sender == .client ? exchange.requestPlace : exchange.responsePlace
        guard let start else { return }
        try reported { () throws(StorageFault) in
            try chunks(
                of: exchange.connection, sender, from: start.chunk, upto: nil,
                ended: sender == .client ? exchange.requestEndedAt : exchange.endedAt
            ) { chunk, value in
                body(
                    side.bytes(
                        of: value, from: chunk == start.chunk ? start.offset : 0, upto: nil,
                        on: exchange.side))
            }
        }
    }

    /// An exchange that began long enough after `ended` that nothing of `exchange` comes after it,
    /// with the chunk it begins in; nil where there is none.
    ///
    /// Chunks and exchanges are in order of time except where threads overtake each other, by far
    /// less than a second: it is found by halving, and keeps the search for what follows short,
    /// since there is no index of rows by connection.
    private func firstLater(
        than exchange: ExchangeRow, _ ended: Instant?
    ) throws(StorageFault) -> (exchange: Int64, chunk: ChunkID)? {
        guard let ended else { return nil }
        let sql = """
            SELECT id, request_chunk_id, started_ns > ?2 OR session_id >
              (SELECT session_id FROM any_exchange WHERE id = ?1)
            FROM any_exchange WHERE id >= ?3 ORDER BY id LIMIT 1
            """
        let statement = try self.statement(sql)
        defer { giveBack(statement, sql) }
        statement.bind(1, exchange.id.rawValue)
        statement.bind(2, ended.nanoseconds + 1_000_000_000)
        var found: (exchange: Int64, chunk: ChunkID)?
        var low = exchange.id.rawValue + 1
        var high = low
        var step: Int64 = 64
        // Twice as far each time until it is beyond, and then half of what is left.
        var isBeyond = false
        while !isBeyond || low < high {
            let middle = isBeyond ? low + (high - low) / 2 : low + step
            step *= 2
            statement.bind(3, middle)
            defer { statement.reset() }
            guard try statement.step() else {
                (high, isBeyond) = (middle, true)
                continue
            }
            if statement.integer(2) != 0 {
                found = (statement.integer(0), ChunkID(statement.integer(1)))
                (high, isBeyond) = (middle, true)
            } else {
                low = statement.integer(0) + 1
            }
        }
        return found
    }

    /// Where the same sender's next message on the connection begins.
    ///
    /// The search is limited to the exchanges before number `limit`.
    private func next(
        after exchange: ExchangeRow, _ sender: Peer, before limit: Int64?
    ) throws(StorageFault) -> Place? {
        let columns =
            sender == .client
            ? ("request_chunk_id", "request_offset") : ("response_chunk_id", "response_offset")
        let order =
            try Schema.hasIndexByChunk(db)
            ? ("(request_chunk_id, request_offset) > (?3, ?4)", "request_chunk_id, request_offset")
            : ("id > ?5", "id")
        return try list(
            """
            SELECT \(columns.0), \(columns.1) FROM any_exchange
            WHERE connection_id = ?1 AND id < ?2 AND \(columns.0) IS NOT NULL
              AND \(order.0) AND side <> ?6
              AND \(sender == .client ? "1" : "server_leg_id IS ?7")
            ORDER BY \(order.1) LIMIT 1
            """,
            bind: {
                $0.bind(1, exchange.connection.rawValue)
                $0.bind(2, limit ?? .max)
                $0.bind(3, exchange.requestPlace.chunk.rawValue)
                $0.bind(4, Int64(exchange.requestPlace.offset))
                $0.bind(5, exchange.id.rawValue)
                $0.bind(6, (exchange.side == .server ? Side.client : .server).rawValue)
                if sender == .server { $0.bind(7, exchange.serverLeg?.rawValue) }
            }, { $0.place(0) }
        ).first
    }

    private func firstMessage(
        of exchange: ExchangeRow, _ sender: Peer
    ) throws(StorageFault)
        -> Place?
    {
        guard exchange.status == 101 else { return nil }
        return try list(
            """
            SELECT chunk_id, "offset" FROM any_message
            WHERE chunk_id >= ? AND exchange_id = ? AND sender = ? ORDER BY chunk_id, id LIMIT 1
            """,
            [
                exchange.requestPlace.chunk.rawValue, exchange.id.rawValue,
                Int64(sender.rawValue),
            ]
        ) { $0.place(0) }.first
    }

    /// Passes on the chunks of one sender on a connection, a few at a time.
    func chunks(
        of connection: ConnectionID, _ sender: Peer, from first: ChunkID, upto last: ChunkID?,
        ended: Instant?, _ body: (ChunkID, Chunk) -> Bool
    ) throws(StorageFault) {
        let patches = try self.statement(Schema.patchesOfChunk)
        defer { giveBack(patches, Schema.patchesOfChunk) }
        let deliveries = try self.statement(Schema.deliveriesOfChunk)
        defer { giveBack(deliveries, Schema.deliveriesOfChunk) }
        let statement = try self.statement(Self.chunksOfSender)
        defer { giveBack(statement, Self.chunksOfSender) }
        var from = first.rawValue
        // Most are asked for a head, which the first one has.
        var count = 1
        while true {
            statement.bind(1, connection.rawValue)
            statement.bind(2, from)
            statement.bind(3, last?.rawValue ?? .max)
            statement.bind(4, sender.rawValue)
            statement.bind(5, ended?.nanoseconds ?? .max)
            statement.bind(6, first.rawValue)
            statement.bind(7, count)
            count = min(16, 2 * count)
            var page: [(ChunkID, Chunk)] = []
            while try statement.step() {
                page.append((ChunkID(statement.integer(0)), Tables.chunk.row(statement)))
            }
            guard let end = page.last?.0 else { return }
            for (id, chunk) in page {
                var chunk = chunk
                patches.bind(1, id.rawValue)
                while try patches.step() { chunk.patches.append(Tables.patch.row(patches)) }
                deliveries.bind(1, id.rawValue)
                while try deliveries.step() {
                    chunk.deliveries.append(Tables.delivery.row(deliveries))
                }
                guard body(id, chunk) else { return }
            }
            from = end.rawValue + 1
        }
    }

    private static let chunksOfSender = """
        SELECT * FROM chunk WHERE connection_id = ?1 AND id >= ?2 AND id <= ?3 AND sender = ?4
          AND at_ns <= ?5 AND leg_id = (SELECT leg_id FROM chunk WHERE id = ?6)
        ORDER BY id LIMIT ?7
        """
}
