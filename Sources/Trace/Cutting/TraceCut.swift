internal import CSQLite
internal import Notation
package import Storage
public import Wire

/// A trace without some of its connections, exchanges and messages.
///
/// What is left out is left out on both sides: the row of the other side that corresponds to it goes
/// as well, and so does what was delivered instead of it. What stays keeps its numbers, bytes and
/// times: a chunk that loses some of its bytes keeps the patches and deliveries of the others. Only
/// compressed messages after one that is left out are written uncompressed, each side's own, since
/// the data they refer to is missing. Decoded rows are built anew. Verdicts on faults are left out:
/// they refer to rows that have other numbers now.
public struct TraceCut: Hashable, Sendable {
    /// Connections that are left out.
    public var connections: Set<ConnectionID>
    /// Exchanges that are left out.
    public var exchanges: Set<ExchangeID>
    /// WebSocket messages that are left out.
    public var messages: Set<MessageID>

    /// A cut that leaves out these.
    public init(
        connections: Set<ConnectionID> = [], exchanges: Set<ExchangeID> = [],
        messages: Set<MessageID> = []
    ) {
        self.connections = connections
        self.exchanges = exchanges
        self.messages = messages
    }

    /// Writes what stays of the trace at `source` to a new trace at `path`, all or nothing.
    ///
    /// - Parameters:
    ///   - source: The trace; it is only read.
    ///   - path: The new trace, which must not exist.
    /// - Throws: ``FileError``.
    public func write(from source: String, to path: String) throws(FileError) {
        let target = Folder.absolute(path)
        let trace = try NewTrace(for: target)
        try mappingErrors(of: path) {
            try fill(trace, from: Folder.absolute(source))
            try trace.rebuild(for: path)
            try trace.publish()
        }
    }

    private func fill(_ trace: NewTrace, from source: String) throws {
        let db = try trace.open()
        defer { db.close() }
        let attach = try db.prepare("ATTACH ? AS source")
        attach.bind(1, Self.address(source))
        try attach.run()
        try Self.check(db, "source", source)
        try db.execute("BEGIN IMMEDIATE")
        try db.execute("CREATE TEMP TABLE stays(id INTEGER PRIMARY KEY, is_whole INTEGER)")
        let cut = try touched(db)
        let insertion = try db.prepare("INSERT INTO temp.stays VALUES (?, ?)")
        let all = try db.prepare("SELECT id FROM source.connection")
        while try all.step() {
            let id = ConnectionID(all.integer(0))
            guard !connections.contains(id) else { continue }
            insertion.bind(1, id.rawValue)
            insertion.bind(2, !cut.contains(id))
            try insertion.run()
        }
        try db.execute(Self.copying)
        var moves: [Int64: ChunkMoves] = [:]
        for id in cut.sorted(by: { $0.rawValue < $1.rawValue }) where !connections.contains(id) {
            let some = try ConnectionCut(db, id, exchanges: exchanges, messages: messages)
            moves.merge(try some.write(to: db)) { $1 }
        }
        try copyStatements(db, moves)
        try db.execute("COMMIT")
    }

    /// Connections of which some exchanges or messages are left out.
    private func touched(_ db: Connection) throws -> Set<ConnectionID> {
        var found: Set<ConnectionID> = []
        for (table, ids) in [
            ("any_exchange", exchanges.map(\.rawValue)), ("any_message", messages.map(\.rawValue)),
        ] {
            let statement = try db.prepare("SELECT connection_id FROM source.\(table) WHERE id = ?")
            for id in ids {
                statement.bind(1, id)
                if try statement.step() { found.insert(ConnectionID(statement.integer(0))) }
                statement.reset()
            }
        }
        return found
    }

    private static let derived = TableDefinition.numberedByDecoding.compactMap(\.counter)
        .map { "'\($0)'" }.joined(separator: ",")

    /// All that is copied as it is.
    private static let copying = """
        INSERT INTO session SELECT * FROM source.session;
        INSERT INTO connection SELECT * FROM source.connection
          WHERE id IN (SELECT id FROM temp.stays);
        INSERT INTO leg SELECT * FROM source.leg
          WHERE connection_id IN (SELECT id FROM temp.stays);
        INSERT INTO chunk SELECT * FROM source.chunk
          WHERE connection_id IN (SELECT id FROM temp.stays WHERE is_whole);
        INSERT INTO patch SELECT * FROM source.patch WHERE chunk_id IN (SELECT id FROM chunk);
        INSERT INTO delivery SELECT * FROM source.delivery
          WHERE chunk_id IN (SELECT id FROM chunk);
        INSERT INTO event SELECT * FROM source.event
          WHERE connection_id IS NULL OR connection_id IN (SELECT id FROM temp.stays);
        INSERT INTO gap SELECT * FROM source.gap
          WHERE connection_id IS NULL OR connection_id IN (SELECT id FROM temp.stays);
        INSERT INTO mark SELECT * FROM source.mark;
        INSERT OR REPLACE INTO counter SELECT * FROM source.counter
          WHERE name NOT IN (\(derived));
        """

    /// Copies the statements about bytes that are still there; `moves` has for each chunk that
    /// lost some of its bytes where the others are.
    private func copyStatements(_ db: Connection, _ moves: [Int64: ChunkMoves]) throws {
        try db.execute(
            """
            INSERT INTO fault_statement SELECT * FROM source.fault_statement
              WHERE (connection_id IS NULL OR connection_id IN (SELECT id FROM temp.stays))
                AND (chunk_id IS NULL OR chunk_id IN (SELECT id FROM chunk));
            INSERT INTO finding_statement SELECT * FROM source.finding_statement
              WHERE chunk_id IS NULL OR chunk_id IN (SELECT id FROM chunk);
            INSERT INTO undecided_statement SELECT * FROM source.undecided_statement
              WHERE chunk_id IS NULL OR chunk_id IN (SELECT id FROM chunk);
            """)
        for table in ["fault_statement", "finding_statement", "undecided_statement"] {
            let rows = try db.prepare("SELECT id, \"offset\" FROM \(table) WHERE chunk_id = ?")
            let move = try db.prepare("UPDATE \(table) SET \"offset\" = ? WHERE id = ?")
            let drop = try db.prepare("DELETE FROM \(table) WHERE id = ?")
            for (chunk, moves) in moves {
                rows.bind(1, chunk)
                var found: [(id: Int64, offset: Int)] = []
                while try rows.step() { found.append((rows.integer(0), Int(rows.integer(1)))) }
                for (id, offset) in found {
                    guard let moved = moves.offset(of: offset) else {
                        drop.bind(1, id)
                        try drop.run()
                        continue
                    }
                    move.bind(1, moved)
                    move.bind(2, id)
                    try move.run()
                }
            }
        }
    }

    // MARK: Opening

    /// Opens the trace at `path` for reading.
    package static func open(_ path: String) throws -> Connection {
        guard Folder.isThere(path) else {
            throw FileError(.cannotOpen, "\(path) does not exist; check the name")
        }
        let db = try Connection(
            path: address(Folder.absolute(path)), flags: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI)
        do {
            try check(db, "main", path)
        } catch let fault as StorageFault where fault.code & 0xFF == SQLITE_NOTADB {
            throw FileError(.malformed, "\(path) is not a trace; name another file")
        }
        return db
    }

    package static func check(_ db: Connection, _ schema: String, _ path: String) throws {
        guard
            try db.integer("PRAGMA \(schema).application_id") == Int64(Schema.applicationID)
        else { throw FileError(.malformed, "\(path) is not a trace; name another file") }
        let version = try db.integer("PRAGMA \(schema).user_version")
        guard version <= Schema.version else {
            throw FileError(
                .newerFormat, "\(path) was written by a later version of this program")
        }
        guard version == Schema.version else {
            throw FileError(.malformed, Schema.refusal(of: version, path))
        }
        // Refuses what no program of ours can have written.
        _ = try TraceReader(path: path)
    }

    /// The URI of a file that is only read.
    package static func address(_ path: String) -> String {
        "file:" + PercentEncoding.encode(path, keeping: .path) + "?mode=ro"
    }
}
