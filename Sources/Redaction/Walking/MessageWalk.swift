internal import Framing
internal import Storage
internal import Trace
internal import Wire

/// Goes through the WebSocket messages that one peer of a connection sent and got.
///
/// A message that is not compressed is changed in its frames. Of a compressed one that changes, the
/// payload is compressed again, and so is every compressed one after it in its direction where
/// messages refer to each other; each refers to itself alone then, which the agreement of the peers
/// allows.
final class MessageWalk {
    private struct Row {
        var id: Int64
        var sender: Peer
        var opcode: Int
        var isCompressed: Bool
        var exchange: Int64
        /// When its last byte arrived.
        var ended: Int64
    }

    private struct Direction {
        var inflater: MessageInflater
        var deflater: MessageDeflater?
        /// Whether what the receiver's window holds is something else than the sender's.
        var isAnew = false
    }

    private struct Socket {
        var exchange: Int64
        var facts: SocketFacts
        var deflate: PerMessageDeflate?
        var directions: [Peer: Direction] = [:]
    }

    private let db: Connection
    private let schema: String
    private let id: ConnectionID
    private let walk: SecretWalk
    private let bytes: SideBytes
    private let edits: StreamEdits?
    private let opening: Statement

    init(
        _ db: Connection, _ id: ConnectionID, of schema: String, by walk: SecretWalk,
        _ bytes: SideBytes, _ edits: StreamEdits?
    ) throws {
        self.db = db
        self.schema = schema
        self.id = id
        self.walk = walk
        self.bytes = bytes
        self.edits = edits
        opening = try db.prepare(
            """
            SELECT e.path, CASE WHEN b.head IS NULL THEN NULL ELSE CAST(b.head AS BLOB) END
            FROM \(schema).any_exchange e
            LEFT JOIN \(schema).body b ON b.id = 2 * e.id + 1 WHERE e.id = ?
            """)
    }

    /// Scans all messages, and returns the places of their frames.
    ///
    /// - Returns: Whether there are any.
    func run(cover: (SideBytes.Stream, Range<Int>) -> Void) throws -> Bool {
        var socket: Socket?
        for (row, frames) in try messages() {
            if socket?.exchange != row.exchange { socket = try self.socket(row.exchange) }
            guard var current = socket else { continue }
            // Taken out, so that it is changed in place.
            socket = nil
            for frame in frames { cover(frame.stream, frame.range) }
            walk.place = "message \(row.id)"
            try read(frames, of: row, &current)
            socket = current
        }
        if walk.faulted.contains(id.rawValue) { walk.sockets[id.rawValue] = socket?.facts }
        return socket != nil
    }

    /// The messages in the order in which the peer had them, each with its frames.
    private func messages() throws -> [(Row, [SideFrame])] {
        let statement = try db.prepare(
            """
            SELECT any_message.id, any_message.sender, any_message.opcode, compressed, exchange_id,
              ended_ns, f.chunk_id, f."offset"
            FROM \(RowsByConnection.source("any_message", of: schema))
            LEFT JOIN \(schema).frame f ON f.id >= \(Tables.share) * number.id
              AND f.id < \(Tables.share) * (number.id + 1)
            WHERE any_message.side <> '\(bytes.peer.other)' ORDER BY number.id, f.id
            """)
        statement.bind(1, id.rawValue)
        var rows: [(row: Row, places: [SideBytes.Place])] = []
        while try statement.step() {
            let message = statement.integer(0)
            if rows.last?.row.id != message {
                let row = Row(
                    id: message, sender: statement.integer(1) == 0 ? .client : .server,
                    opcode: Int(statement.integer(2)), isCompressed: statement.integer(3) != 0,
                    exchange: statement.integer(4), ended: statement.integer(5))
                rows.append((row, []))
            }
            if let place = try bytes.place(statement.optionalInteger(6), statement.integer(7)) {
                rows[rows.count - 1].places.append(place)
            }
        }
        var finder = SideFrames(in: bytes)
        for row in rows { finder.add(row.places) }
        let found = zip(rows.map(\.row), try finder.all()).map { ($0, $1) }
        guard bytes.differs else { return found }
        // The rows of one side alone have numbers behind those of both.
        return found.sorted { a, b in
            let places = [a, b].map { $0.1.last?.range.lowerBound ?? 0 }
            return (a.0.ended, places[0], a.0.id) < (b.0.ended, places[1], b.0.id)
        }
    }

    private func socket(_ exchange: Int64) throws -> Socket {
        opening.bind(1, exchange)
        defer { opening.reset() }
        guard try opening.step() else {
            return Socket(exchange: exchange, facts: SocketFacts(path: ""))
        }
        var events: [HTTPEvent] = []
        var framer = HTTPFramer(role: .response)
        _ = framer.consume(opening.bytes(1).span, into: &events)
        var socket = Socket(exchange: exchange, facts: SocketFacts(path: opening.string(0)))
        if case .head(let head, _)? = events.first {
            socket.deflate = PerMessageDeflate.negotiated(
                responseExtensions: head.values(of: "sec-websocket-extensions"))
        }
        return socket
    }

    private func read(_ frames: [SideFrame], of row: Row, _ socket: inout Socket) throws {
        let count = frames.reduce(0) { $0 + $1.payload.count }
        guard count <= SideWalk.largestWhole else {
            throw FileError(
                .malformed,
                "\(walk.place) has more than \(SideWalk.largestWhole >> 20) MiB and cannot be "
                    + "redacted; leave connection \(id) out of the trace")
        }
        var wire: [UInt8] = []
        wire.reserveCapacity(count)
        for frame in frames {
            wire += Self.masked(try bytes.read(frame.stream, frame.payload), frame.mask)
        }
        // Of a message that both had alike the row has how the client's is compressed.
        let isCompressed =
            socket.deflate == nil
            ? row.isCompressed : row.opcode < 8 && frames.first?.isCompressed == true
        guard isCompressed else {
            var payload = wire
            walk.message(&payload, opcode: row.opcode, from: row.sender, in: &socket.facts)
            if payload != wire { try write(payload, frames, isGrown: false) }
            return
        }
        var direction =
            socket.directions[row.sender]
            ?? Direction(
                inflater: MessageInflater(
                    contextTakeover: socket.deflate?.takesContextOver(row.sender) ?? true))
        defer { socket.directions[row.sender] = direction }
        guard var payload = Self.inflate(wire, &direction.inflater) else {
            // What cannot be read may hold anything.
            if walk.isReplacing {
                try write([UInt8](repeating: 0xFF, count: count), frames, isGrown: false)
            }
            return
        }
        let original = payload
        walk.message(&payload, opcode: row.opcode, from: row.sender, in: &socket.facts)
        let takesOver = direction.inflater.contextTakeover
        guard payload != original || direction.isAnew && takesOver else { return }
        guard edits != nil else { return }
        direction.isAnew = true
        if direction.deflater == nil {
            direction.deflater = MessageDeflater(
                windowBits: socket.deflate?.windowBits(row.sender) ?? 15, contextTakeover: false)
        }
        guard let deflater = direction.deflater else {
            throw FileError(.storage, "no memory to compress \(walk.place) again")
        }
        try write(deflater.deflate(payload.span), frames, isGrown: true)
    }

    /// The payload of a compressed message; a new inflater takes over where bytes before it are
    /// missing.
    private static func inflate(
        _ wire: [UInt8], _ inflater: inout MessageInflater
    ) -> [UInt8]? {
        if let payload = try? inflater.inflate(wire.span, limit: SideWalk.largestWhole) {
            return payload
        }
        inflater = MessageInflater(contextTakeover: inflater.contextTakeover)
        return try? inflater.inflate(wire.span, limit: SideWalk.largestWhole)
    }

    // MARK: Writing

    /// Writes the payload of a message, unmasked, into its frames.
    private func write(_ payload: [UInt8], _ frames: [SideFrame], isGrown: Bool) throws {
        guard let edits else { return }
        let count = frames.reduce(0) { $0 + $1.payload.count }
        let whole = StreamEdits.Edit(range: 0..<count, bytes: payload)
        var start = 0
        for (index, frame) in frames.enumerated() {
            let size = frame.payload.count
            var share = Array(whole.share(of: start..<start + size))
            // Nothing to deal out: the last frame takes it all.
            if count == 0, index < frames.count - 1 { share = [] }
            start += size
            guard isGrown else {
                try edits.add(
                    bytes.peer, frame.stream, frame.payload, Self.masked(share, frame.mask))
                continue
            }
            try edits.add(
                bytes.peer, frame.stream, frame.range,
                WebSocketFrameEncoder.encode(
                    opcode: WebSocketOpcode(rawValue: frame.first & 0x0F), payload: share,
                    fin: frame.first & 0x80 != 0, rsv: Int(frame.first >> 4 & 7), mask: frame.mask))
        }
    }

    /// `bytes` with the mask put on or taken off.
    private static func masked(_ bytes: [UInt8], _ mask: UInt32?) -> [UInt8] {
        guard let mask, mask != 0 else { return bytes }
        let key = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: mask >> UInt32($0)) }
        return bytes.enumerated().map { $1 ^ key[$0 & 3] }
    }
}
