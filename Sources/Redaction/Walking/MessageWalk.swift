internal import Framing
internal import Storage
internal import Trace
internal import Wire

/// Goes through the WebSocket messages of a connection.
///
/// A message that is not compressed is changed in its frames. Of a compressed one that changes, the
/// payload is compressed again, and so is every compressed one after it in its direction where
/// messages refer to each other; each refers to itself alone then, which the agreement of the peers
/// allows.
final class MessageWalk {
    private struct Frame {
        var stream: ConnectionBytes.Stream
        var range: Range<Int>
        var header: Int
        var mask: UInt32?
        var first: UInt8
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
        var directions: [Int64: Direction] = [:]
    }

    private let db: Connection
    private let schema: String
    private let id: ConnectionID
    private let walk: SecretWalk
    private let bytes: ConnectionBytes
    private let edits: StreamEdits?
    private let frames: Statement
    private let opening: Statement

    init(
        _ db: Connection, _ id: ConnectionID, of schema: String, by walk: SecretWalk,
        _ bytes: ConnectionBytes, _ edits: StreamEdits?
    ) throws {
        self.db = db
        self.schema = schema
        self.id = id
        self.walk = walk
        self.bytes = bytes
        self.edits = edits
        frames = try db.prepare(
            """
            SELECT chunk_id, "offset", header_size, payload_size, mask FROM \(schema).frame
            WHERE id >= \(Tables.share) * ?1 AND id < \(Tables.share) * (?1 + 1)
            ORDER BY id
            """)
        opening = try db.prepare(
            """
            SELECT e.path, CASE WHEN b.head IS NULL THEN NULL ELSE CAST(b.head AS BLOB) END
            FROM \(schema).http_exchange e
            LEFT JOIN \(schema).body b ON b.id = 2 * e.id + 1 WHERE e.id = ?
            """)
    }

    /// Scans all messages, and returns the places of their frames.
    ///
    /// - Returns: Whether there are any.
    func run(cover: (ConnectionBytes.Stream, Range<Int>) -> Void) throws -> Bool {
        let statement = try db.prepare(
            """
            SELECT message.id, sender, opcode, compressed, exchange_id
            FROM \(RowsByConnection.source("message", of: schema)) ORDER BY number.id
            """)
        statement.bind(1, id.rawValue)
        var socket: Socket?
        while try statement.step() {
            let exchange = statement.integer(4)
            if socket?.exchange != exchange { socket = try self.socket(exchange) }
            guard var current = socket else { continue }
            // Taken out, so that it is changed in place.
            socket = nil
            let message = statement.integer(0)
            let found = try self.frames(of: message)
            for frame in found { cover(frame.stream, frame.range) }
            walk.place = "message \(message)"
            try read(
                found, opcode: Int(statement.integer(2)), sender: statement.integer(1),
                isCompressed: statement.integer(3) != 0, &current)
            socket = current
        }
        if walk.faulted.contains(id.rawValue) { walk.sockets[id.rawValue] = socket?.facts }
        return socket != nil
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

    private func frames(of message: Int64) throws -> [Frame] {
        frames.bind(1, message)
        var found: [Frame] = []
        while try frames.step() {
            guard let (stream, place) = bytes.place(frames.integer(0), frames.integer(1)) else {
                continue
            }
            let header = Int(frames.integer(2))
            let end = place + header + Int(frames.integer(3))
            found.append(
                Frame(
                    stream: stream, range: place..<min(end, bytes.count(stream)), header: header,
                    mask: frames.optionalInteger(4).map { UInt32(truncatingIfNeeded: $0) }, first: 0
                ))
        }
        for index in found.indices {
            let start = found[index].range.lowerBound
            found[index].first = try bytes.read(found[index].stream, start..<start + 1).first ?? 0
            // Bytes that are missing may take a part of the header with them.
            found[index].header = min(found[index].header, found[index].range.count)
        }
        return found
    }

    private func read(
        _ frames: [Frame], opcode: Int, sender: Int64, isCompressed: Bool, _ socket: inout Socket
    ) throws {
        let count = frames.reduce(0) { $0 + $1.range.count - $1.header }
        guard count <= ConnectionWalk.largestWhole else {
            throw FileError(
                .malformed,
                "\(walk.place) has more than \(ConnectionWalk.largestWhole >> 20) MiB and cannot be "
                    + "redacted; leave connection \(id) out of the trace")
        }
        var wire: [UInt8] = []
        wire.reserveCapacity(count)
        for frame in frames {
            let payload = frame.range.lowerBound + frame.header..<frame.range.upperBound
            wire += Self.masked(try bytes.read(frame.stream, payload), frame.mask)
        }
        let peer: Peer = sender == 0 ? .client : .server
        guard isCompressed else {
            var payload = wire
            walk.message(&payload, opcode: opcode, from: peer, in: &socket.facts)
            if payload != wire { try write(payload, frames, isGrown: false) }
            return
        }
        var direction =
            socket.directions[sender]
            ?? Direction(
                inflater: MessageInflater(
                    contextTakeover: socket.deflate?.takesContextOver(peer) ?? true))
        defer { socket.directions[sender] = direction }
        guard var payload = Self.inflate(wire, &direction.inflater) else {
            // What cannot be read may hold anything.
            if walk.isReplacing {
                try write([UInt8](repeating: 0xFF, count: count), frames, isGrown: false)
            }
            return
        }
        let original = payload
        walk.message(&payload, opcode: opcode, from: peer, in: &socket.facts)
        let takesOver = direction.inflater.contextTakeover
        guard payload != original || direction.isAnew && takesOver else { return }
        guard edits != nil else { return }
        direction.isAnew = true
        if direction.deflater == nil {
            direction.deflater = MessageDeflater(
                windowBits: socket.deflate?.windowBits(peer) ?? 15, contextTakeover: false)
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
        if let payload = try? inflater.inflate(wire.span, limit: ConnectionWalk.largestWhole) {
            return payload
        }
        inflater = MessageInflater(contextTakeover: inflater.contextTakeover)
        return try? inflater.inflate(wire.span, limit: ConnectionWalk.largestWhole)
    }

    // MARK: Writing

    /// Writes the payload of a message, unmasked, into its frames.
    private func write(_ payload: [UInt8], _ frames: [Frame], isGrown: Bool) throws {
        guard let edits else { return }
        let count = frames.reduce(0) { $0 + $1.range.count - $1.header }
        let whole = StreamEdits.Edit(range: 0..<count, bytes: payload)
        var start = 0
        for (index, frame) in frames.enumerated() {
            let size = frame.range.count - frame.header
            var share = Array(whole.share(of: start..<start + size))
            // Nothing to deal out: the last frame takes it all.
            if count == 0, index < frames.count - 1 { share = [] }
            start += size
            guard isGrown else {
                let place = frame.range.lowerBound + frame.header..<frame.range.upperBound
                if !place.isEmpty {
                    try edits.add(frame.stream, place, Self.masked(share, frame.mask))
                }
                continue
            }
            try edits.add(
                frame.stream, frame.range,
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
