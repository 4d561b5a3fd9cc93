internal import CSQLite
internal import Capturing
internal import Storage
public import Trace
public import Wire

/// Writes a trace as a file of packets that Wireshark opens.
///
/// Where packets were kept as they were captured, those are written, with the key log in a secrets
/// block before them. Everything else gets synthesized TCP and IP headers: a connection of the
/// trace becomes one TCP connection between the client and the first server that answered, with what
/// the CLIENT sent and got, after TLS and after rewrites, in segments as it was read, at the times
/// at which it was read, or delivered where that was later. Where the server had something else, or
/// at another time, what it got and sent is a second TCP connection, from the proxy to it. Missing
/// bytes are a jump of the sequence numbers. What a client sent to
/// the proxy with `CONNECT` is a separate TCP connection, to the proxy's address, unless the trace
/// was captured between those two. Ports are
/// unchanged, 443 included: Wireshark finds HTTP there when it is not TLS. An end of which the
/// trace has no address gets one in 10.0.0.0/8 or 198.18.0.0/15, and a name resolution block has
/// its name.
///
/// Not in the file: which leg bytes went over when a connection has several to servers, what a
/// rewrite changed, and all annotations of Tapedeck on bytes.
public struct PacketExport: Sendable {
    /// What was written.
    public struct Outcome: Hashable, Sendable {
        /// Synthesized packets.
        public var packets: Int64 = 0
        /// Packets written as they were captured.
        public var captured: Int64 = 0
        /// Connections with made-up packets.
        public var connections: Int64 = 0
        /// Bytes of connections in made-up packets.
        public var bytes: Int64 = 0
        /// Bytes that sequence numbers jump over.
        public var missing: Int64 = 0
    }

    /// The connections that are written; nil for all.
    public var connections: Set<ConnectionID>?
    /// Whether packets are synthesized also where they were kept: kept ones show TLS as it was
    /// sent.
    ///
    /// They cannot be separated by connection, so packets are always synthesized for some
    /// ``connections``.
    public var makesAllUp: Bool
    /// Name and version of the program that writes.
    public var application: String

    /// An export of these connections.
    public init(
        connections: Set<ConnectionID>? = nil, makesAllUp: Bool = false,
        application: String = "tapedeck"
    ) {
        self.connections = connections
        self.makesAllUp = makesAllUp || connections != nil
        self.application = application
    }

    /// Writes the trace at `trace` to a new file at `path`, all or nothing.
    ///
    /// Memory does not depend on the size of the trace, only on the number of connections that were
    /// open at once.
    ///
    /// - Parameters:
    ///   - trace: The trace. It may be written meanwhile; what is there at the start is exported.
    ///   - path: The file, which must not be there; `-` for standard output.
    ///   - progress: Called periodically with the part that is done, in 0...1; returns whether to
    ///     continue.
    /// - Returns: What was written.
    /// - Throws: ``FileError``.
    @discardableResult public func run(
        from trace: String, to path: String, progress: (Double) -> Bool = { _ in true }
    ) throws(FileError) -> Outcome {
        try mappingErrors(of: trace) {
            // Reports a file that is not a trace.
            _ = try TraceReader(path: trace)
            let db = try Connection(path: trace, flags: SQLITE_OPEN_READONLY)
            defer { db.close() }
            try db.execute("PRAGMA temp_store = FILE; BEGIN")
            let file = PacketFile(try NewFile(for: path), application: application)
            var kept: Set<Int64> = []
            if !makesAllUp {
                let packets = KeptPackets(db: db)
                kept = try packets.sessions()
                try packets.write(to: file, progress)
            }
            let outcome = try synthesize(db, apartFrom: kept, file, progress)
            try file.publish()
            return outcome
        }
    }

    private func synthesize(
        _ db: Connection, apartFrom kept: Set<Int64>, _ file: PacketFile,
        _ progress: (Double) -> Bool
    ) throws -> Outcome {
        guard progress(0) else { throw FileError.stopped }
        var outcome = Outcome()
        outcome.captured = file.packets
        var open: [Int64: SynthesizedConnection] = [:]
        var session: Int64 = 0
        let ends = try ConnectionEnds(db)
        let tunnels = try TunnelCursor(db)
        let started = try sessionStarts(db)
        let differing = try differingConnections(db)
        let last = max(1, try db.integer("SELECT max(id) FROM chunk"))
        let timeline = try Timeline(db, hasPackets: false)
        while let row = try timeline.next() {
            switch row.table.name {
            case "connection":
                let opened = Tables.connection.row(row.values)
                let owner = row.number("session_id")
                // The ends of connections of a killed session were not seen.
                if owner != session { try finish(&open, file) }
                session = owner
                guard !kept.contains(owner), let start = started[owner],
                    connections?.contains(opened.id) ?? true
                else { continue }
                outcome.connections += 1
                open[opened.id.rawValue] = SynthesizedConnection(
                    opened, ends: try ends.find(opened), startedUnixNanoseconds: start,
                    differs: differing.contains(opened.id.rawValue))
            case "chunk":
                var chunk = Tables.chunk.row(row.values)
                chunk.patches = row.patches.map { Tables.patch.row($0) }
                chunk.deliveries = row.deliveries.map { Tables.delivery.row($0) }
                let id = row.number("id")
                let tunnel = try tunnels.tunnel(at: id)
                if let tunnel { open[tunnel.connection]?.add(tunnel) }
                outcome.bytes +=
                    try open[chunk.connection.rawValue]?.take(chunk, id: id, file) ?? 0
                if id % 1_024 == 0, !progress(min(1, Double(id) / Double(last))) {
                    throw FileError.stopped
                }
            case "gap":
                let gap = Tables.gap.row(row.values)
                guard let connection = gap.connection?.rawValue else { continue }
                outcome.missing += try open[connection]?.take(gap, file) ?? 0
            case "event":
                let event = Tables.event.row(row.values)
                guard let connection = event.connection?.rawValue else { continue }
                try open[connection]?.take(event, file)
                if open[connection]?.isOver == true { open[connection] = nil }
            default: continue
            }
        }
        try finish(&open, file)
        outcome.packets = file.packets - outcome.captured
        return outcome
    }

    /// Writes what connections that did not end have left, in the order of their numbers.
    private func finish(
        _ open: inout [Int64: SynthesizedConnection], _ file: PacketFile
    ) throws(FileError) {
        for number in open.keys.sorted() { try open[number]?.finish(file) }
        open = [:]
    }

    /// Connections whose peers had different bytes or had them at different times; the answers that
    /// open tunnels do not count.
    private func differingConnections(_ db: Connection) throws -> Set<Int64> {
        let rewrites = Patch.Reason.allCases.filter(\.isRewrite).map { "'\($0.rawValue)'" }
        let statement = try db.prepare(
            """
            SELECT DISTINCT c.connection_id FROM chunk c WHERE c.id IN (
              SELECT chunk_id FROM delivery UNION
              SELECT chunk_id FROM patch WHERE reason NOT IN (\(rewrites.joined(separator: ",")))
              UNION SELECT id FROM chunk WHERE origin = 1 EXCEPT
              SELECT response_chunk_id FROM any_exchange
              WHERE method = 'CONNECT' AND status BETWEEN 200 AND 299 AND is_local = 1)
            """)
        var found: Set<Int64> = []
        while try statement.step() { found.insert(statement.integer(0)) }
        return found
    }

    private func sessionStarts(_ db: Connection) throws -> [Int64: Int64] {
        var found: [Int64: Int64] = [:]
        let statement = try db.prepare("SELECT id, started_unix_ns FROM session")
        while try statement.step() { found[statement.integer(0)] = statement.integer(1) }
        return found
    }
}
