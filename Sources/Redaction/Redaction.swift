internal import Storage
public import Trace
internal import Wire

/// Writes a trace in which secrets are replaced by stand-ins.
///
/// Theory of operation: everything that was sent or delivered, on both sides of each connection, is
/// decoded and scanned twice. First the secrets
/// are collected: values at the places of ``RedactionPlaces``, and what looks like a secret. Then
/// each is replaced, where it was found and wherever else it occurs, by its stand-in, which has its
/// length and its shape. Decoded rows are rebuilt from the result. Only the sets of secrets, one
/// message and a few words per chunk of one connection are in memory. `Redaction.md` describes what
/// is found and what is not.
public struct Redaction: Sendable {
    /// What was done.
    public struct Outcome: Hashable, Sendable {
        /// Different secrets that were found.
        public var secrets = 0
        /// Connections that were scanned.
        public var connections = 0
    }

    /// Bytes of a key: 32.
    public static let keySize = StandIns.keySize

    /// What is taken for a secret beyond what always is.
    public var options: RedactionOptions
    private let key: [UInt8]

    /// A redaction under a new key.
    public init(options: RedactionOptions = RedactionOptions()) {
        var generator = SystemRandomNumberGenerator()
        self.init(
            options: options,
            key: (0..<Self.keySize).map { _ in UInt8.random(in: 0...255, using: &generator) })
    }

    /// A redaction under `key`, of ``keySize`` bytes, which is never written anywhere.
    ///
    /// With the same key the same secrets have the same stand-ins. With the key, a guess of a
    /// secret can be verified.
    public init(options: RedactionOptions = RedactionOptions(), key: [UInt8]) {
        self.options = options
        self.key = key
    }

    /// Writes the redacted trace at `source` to a new trace at `path`, all or nothing.
    ///
    /// - Parameters:
    ///   - source: The trace; it is only read.
    ///   - path: The new trace, which must not be there.
    ///   - progress: Called periodically with the part that is done, in 0...1; returns whether to
    ///     continue.
    /// - Returns: What was done.
    /// - Throws: ``FileError``, also where something cannot be redacted; nothing is written
    ///   then.
    @discardableResult public func write(
        from source: String, to path: String, progress: (Double) -> Bool = { _ in true }
    ) throws(FileError) -> Outcome {
        let walk = try SecretWalk(options: options, key: key)
        let trace = try NewTrace(for: Folder.absolute(path))
        return try mappingErrors(of: path) {
            let outcome = try fill(trace, from: Folder.absolute(source), by: walk, progress)
            try trace.rebuild(for: path)
            guard progress(1) else { throw FileError.stopped }
            try trace.publish()
            return outcome
        }
    }

    private func fill(
        _ trace: NewTrace, from source: String, by walk: SecretWalk, _ progress: (Double) -> Bool
    ) throws -> Outcome {
        let db = try trace.open()
        defer { db.close() }
        // Nothing that is overwritten stays in free pages.
        try db.execute("PRAGMA secure_delete = ON; PRAGMA temp_store = FILE")
        let attach = try db.prepare("ATTACH ? AS source")
        attach.bind(1, TraceCut.address(source))
        try attach.run()
        try TraceCut.check(db, "source", source)
        let edits = try StreamEdits(db)
        try db.execute("BEGIN IMMEDIATE")
        try RowsByConnection.make(db, of: "source")
        let connections = try Self.connections(db)
        walk.faulted = try Self.faulted(db)
        func step(_ pass: Double, _ index: Int) throws {
            guard progress((pass + Double(index) / Double(max(1, connections.count))) / 3.5) else {
                throw FileError.stopped
            }
        }
        walk.purpose = .collect
        for (index, id) in connections.enumerated() {
            try ConnectionWalk(db, id, of: "source", by: walk).run()
            try step(0, index)
        }
        let statements = RedactedStatements(db, by: walk)
        try statements.collect()
        try walk.check()
        walk.store.freeze()
        if !walk.edited.isEmpty {
            walk.purpose = .judge
            for (index, id) in connections.enumerated() {
                try ConnectionWalk(db, id, of: "source", by: walk).run()
                try step(1, index)
            }
            // What a fault removed may be all there is of a delta.
            try statements.collect()
        }
        walk.purpose = .replace
        try db.execute(Self.copying)
        for (index, id) in connections.enumerated() {
            try edits.removeAll()
            let connection = try ConnectionWalk(db, id, of: "source", by: walk, edits: edits)
            try connection.run()
            let chunks = RedactedChunks(
                connection.sides, edits, by: walk, isSocket: connection.isSocket)
            statements.move(try chunks.write(to: db))
            try step(2, index)
        }
        try statements.write()
        try edits.removeAll()
        try db.execute("COMMIT")
        return Outcome(secrets: walk.store.count, connections: connections.count)
    }

    /// Connections of which all bytes are there; of others neither bytes nor rows are taken over.
    static func connections(_ db: Connection, of schema: String = "source") throws -> [ConnectionID]
    {
        let statement = try db.prepare(
            """
            SELECT DISTINCT connection_id FROM \(schema).chunk
            WHERE connection_id NOT IN (SELECT connection_id FROM \(schema).gap
              WHERE reason = 'evicted' AND connection_id IS NOT NULL)
            ORDER BY connection_id
            """)
        var found: [ConnectionID] = []
        while try statement.step() { found.append(ConnectionID(statement.integer(0))) }
        return found
    }

    private static func faulted(_ db: Connection) throws -> Set<Int64> {
        let statement = try db.prepare(
            """
            SELECT DISTINCT connection_id FROM source.fault_statement
            WHERE connection_id IS NOT NULL
            """)
        var found: Set<Int64> = []
        while try statement.step() { found.insert(statement.integer(0)) }
        return found
    }

    private static let derived = TableDefinition.numberedByDecoding.compactMap(\.counter)
        .map { "'\($0)'" }.joined(separator: ",")

    /// What holds no bytes and no words of peers.
    private static let copying = """
        INSERT INTO connection SELECT * FROM source.connection;
        INSERT INTO leg SELECT * FROM source.leg;
        INSERT INTO gap SELECT * FROM source.gap;
        INSERT OR REPLACE INTO counter SELECT * FROM source.counter WHERE name NOT IN (\(derived));
        """
}
