internal import Filters
internal import Storage
internal import Trace
internal import Wire

/// Brings bytes back from a fleet as an ordinary trace.
///
/// Recorded rows, findings, faults and verdicts come as they were shipped, with the numbers that they
/// had; decoded rows are built anew from the bytes, under their old numbers. Rows of several recorders
/// are merged, and have new numbers then.
public struct FleetPull {
    /// What was brought back.
    public struct Outcome: Hashable, Sendable {
        /// Recorders whose rows are in the trace.
        public var recorders = 0
        /// Sessions in the trace.
        public var sessions = 0
        /// Connections in the trace.
        public var connections: Int64 = 0
        /// Exchanges in the trace.
        public var exchanges: Int64 = 0
    }

    private let reader: FleetReader

    /// Pulls from the fleet that `reader` asks.
    public init(_ reader: FleetReader) { self.reader = reader }

    /// Writes what `selection` chooses to a new trace at `path`, all or nothing.
    ///
    /// - Parameters:
    ///   - selection: What is wanted.
    ///   - path: The new trace, which must not exist.
    /// - Returns: What was brought back.
    /// - Throws: ``FleetError``, with code `usage` where nothing fits; `FileError` where the trace
    ///   cannot be written.
    @discardableResult public func write(
        _ selection: PullSelection, to path: String
    ) throws -> Outcome {
        let parts = try parts(of: selection)
        var outcome = Outcome(recorders: parts.count)
        outcome.sessions = parts.reduce(0) { $0 + $1.sessions.count }
        guard parts.count > 1 else {
            guard let part = parts.first else { return outcome }
            let trace = try NewTrace(for: Folder.absolute(path))
            let rebuilt = try fill(trace, with: part, named: path)
            (outcome.connections, outcome.exchanges) = (rebuilt.connections, rebuilt.exchanges)
            try trace.publish()
            return outcome
        }
        let folder = try TraceFiles.makeFolder()
        defer { TraceFiles.removeFolder(folder) }
        var made: [String] = []
        defer { for file in made { TraceFiles.remove(file) } }
        for (index, part) in parts.enumerated() {
            let file = "\(folder)/\(index).tape"
            let trace = try NewTrace(for: file)
            _ = try fill(trace, with: part, named: path)
            try trace.publish()
            made.append(file)
        }
        let merged = try TraceMerge.write(made, to: path)
        (outcome.connections, outcome.exchanges) = (merged.connections, merged.exchanges)
        return outcome
    }

    // MARK: What is wanted

    /// The recorders with their sessions and connections, in order.
    private func parts(of selection: PullSelection) throws(FleetError) -> [PulledPart] {
        let recorders = selection.recorderCondition
        var sources: [String] = []
        var isWhole = false
        switch selection.choice {
        case .session(let number):
            isWhole = true
            sources = [
                "SELECT recorder, id, 0 FROM session WHERE id = \(number.rawValue) AND \(recorders)"
            ]
        case .connection(let number):
            sources = [
                """
                SELECT recorder, session_id, id FROM connection WHERE id = \(number.rawValue) \
                AND \(recorders)
                """
            ]
        case .rows(let question):
            sources = FilterSubject.allCases.compactMap { subject in
                question.condition(subject).map {
                    """
                    SELECT recorder, session_id, connection_id FROM \(subject.fleetTable) \
                    WHERE \($0) AND \(recorders) GROUP BY recorder, session_id, connection_id
                    """
                }
            }
        }
        var found: [String: PulledPart] = [:]
        for source in sources {
            for row in try reader.rows(source) where row.count == 3 {
                let recorder = FleetTableRows.text(row[0])
                var part =
                    found[recorder]
                    ?? PulledPart(
                        recorder: recorder, sessions: [], connections: isWhole ? nil : [])
                part.sessions.insert(FleetTableRows.number(row[1]))
                part.connections?.insert(FleetTableRows.number(row[2]))
                found[recorder] = part
            }
        }
        guard !found.isEmpty else {
            throw FleetError(
                .usage,
                "nothing fits at \(reader.server.address): see tapedeck ls for what is there")
        }
        if case .rows = selection.choice {
        } else if found.count > 1 {
            let names = found.keys.sorted().prefix(5).map { String($0.prefix(8)) }
            throw FleetError(
                .usage,
                "\(found.count) recorders have that number: name one with --recorder, such as \(names.joined(separator: ", "))"
            )
        }
        return found.values.sorted { $0.recorder < $1.recorder }
    }

    // MARK: Filling a trace

    /// Writes the rows of `part` into a trace and decodes it.
    private func fill(
        _ trace: NewTrace, with part: PulledPart, named path: String
    ) throws -> (connections: Int64, exchanges: Int64) {
        let db = try trace.open()
        do {
            defer { db.close() }
            try db.execute("BEGIN IMMEDIATE")
            for (table, condition) in Self.tables(of: part) {
                try copy(table, where: condition, to: db)
            }
            try Self.dropEvictions(db)
            try db.execute("COMMIT")
        }
        let rebuilt = try trace.rebuild(for: path)
        let again = try trace.open()
        defer { again.close() }
        return (try again.integer("SELECT count(*) FROM connection"), rebuilt.exchanges)
    }

    /// Copies the rows of a table, a page at a time in the order of their numbers.
    private func copy(
        _ table: TableDefinition, where condition: String, to db: Connection
    ) throws {
        let insertion = try db.prepare(table.insertion)
        let key = table.columns[0].name
        var last: Int64?
        while true {
            let rows = try reader.rows(
                """
                SELECT \(FleetTableRows.columns(table)) FROM \(table.name) WHERE \(condition) \
                \(last.map { "AND `\(key)` > \($0)" } ?? "") ORDER BY `\(key)` \
                LIMIT \(Self.page)
                """)
            for row in rows where row.count == table.columns.count {
                let number = FleetTableRows.number(row[0])
                // A row that was sent twice and not replaced yet is there twice.
                if number == last { continue }
                last = number
                let values = FleetTableRows.values(row[...], of: table)
                for (index, value) in zip(Int32(1)..., values) {
                    switch value {
                    case .null: insertion.bindNull(index)
                    case .number(let number): insertion.bind(index, number)
                    case .text(let bytes): insertion.bind(index, copying: bytes, asText: true)
                    case .bytes(let bytes): insertion.bind(index, copying: bytes, asText: false)
                    }
                }
                try insertion.run()
                insertion.reset()
            }
            if rows.count < Self.page { return }
        }
    }

    /// Rows that are read at a time: a chunk has up to 64 KiB.
    private static let page = 500

    /// The rows of a part, table by table.
    private static func tables(of part: PulledPart) -> [(TableDefinition, String)] {
        let session = part.sessionCondition
        func some(_ column: String) -> String {
            part.connections.map { "\(session) AND \(column) IN (\(PulledPart.list($0)))" }
                ?? session
        }
        func someOrNone(_ column: String) -> String {
            part.connections.map {
                "\(session) AND (isNull(\(column)) OR ifNull(\(column), 0) IN (\(PulledPart.list($0))))"
            } ?? session
        }
        // What is said of bytes comes with them, and so does what is said of the session.
        let chunks = "SELECT id FROM chunk WHERE \(some("connection_id"))"
        let ofChunks = part.connections == nil ? session : "\(session) AND chunk_id IN (\(chunks))"
        let ofChunksOrNone =
            part.connections == nil
            ? session
            : "\(session) AND (isNull(chunk_id) OR ifNull(chunk_id, 0) IN (\(chunks)))"
        let faults = someOrNone("connection_id")
        return [
            (.session, session), (.connection, some("id")), (.leg, some("connection_id")),
            (.chunk, some("connection_id")), (.patch, ofChunks), (.delivery, ofChunks),
            (.event, someOrNone("connection_id")), (.gap, someOrNone("connection_id")),
            (.mark, session), (.fault, faults),
            (
                .verdict,
                part.connections == nil
                    ? session
                    : "\(session) AND fault_id IN (SELECT id FROM fault_statement WHERE \(faults))"
            ),
            (.finding, ofChunksOrNone), (.undecided, ofChunksOrNone),
        ] + TableDefinition.numberedByDecoding.map { ($0, some("connection_id")) }
    }

    /// Leaves out gaps of bytes that were evicted from the trace after they had been shipped.
    private static func dropEvictions(_ db: Connection) throws(StorageFault) {
        try db.execute(
            """
            DELETE FROM gap WHERE reason = 'evicted' AND connection_id IS NOT NULL AND EXISTS
              (SELECT 1 FROM chunk k WHERE k.connection_id = gap.connection_id AND k.at_ns = gap.at_ns)
            """)
    }
}
