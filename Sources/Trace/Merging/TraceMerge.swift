internal import Storage

/// A trace of several, one behind the other.
///
/// Every recorded row is kept with its bytes and times, under a number that rises by what the traces
/// before have used; so are findings, faults, their verdicts, gaps and marks, which point to them.
/// Sessions stay apart. Decoded rows are built anew and keep their numbers relative to their trace;
/// those of connections of which bytes were evicted are copied. What the background work made of them
/// is made again.
public enum TraceMerge {
    /// What was written.
    public struct Outcome: Hashable, Sendable {
        /// Sessions of all traces.
        public var sessions: Int64 = 0
        /// Connections of all traces.
        public var connections: Int64 = 0
        /// Exchanges of all traces.
        public var exchanges: Int64 = 0
    }

    /// Writes the traces at `sources`, in this order, to a new trace at `path`, all or nothing.
    ///
    /// - Parameters:
    ///   - sources: The traces; they are only read, each as it is when its turn comes.
    ///   - path: The new trace, which must not exist.
    ///   - progress: Called periodically with the part that is done, in 0...1.
    /// - Returns: What was written.
    /// - Throws: ``FileError`` where a source is no trace or the new one cannot be written.
    @discardableResult public static func write(
        _ sources: [String], to path: String, progress: (Double) -> Void = { _ in }
    ) throws(FileError) -> Outcome {
        let trace = try NewTrace(for: Folder.absolute(path))
        for (index, source) in sources.enumerated() {
            try mappingErrors(of: source) {
                let db = try trace.open()
                defer { db.close() }
                try append(Folder.absolute(source), named: source, to: db)
            }
            progress(0.5 * Double(index + 1) / Double(sources.count))
        }
        return try mappingErrors(of: path) {
            let rebuilt = try trace.rebuild(for: path) { progress(0.5 + 0.5 * $0) }
            let db = try trace.open()
            let outcome = Outcome(
                sessions: try db.integer("SELECT count(*) FROM session"),
                connections: try db.integer("SELECT count(*) FROM connection"),
                exchanges: rebuilt.exchanges)
            db.close()
            try trace.publish()
            return outcome
        }
    }

    /// Copies the trace at `source` behind what `db` has.
    private static func append(
        _ source: String, named name: String, to db: Connection
    ) throws {
        let attach = try db.prepare("ATTACH ? AS source")
        attach.bind(1, TraceCut.address(source))
        try attach.run()
        try TraceCut.check(db, "source", name)
        let counters = try Counters(from: db)
        try db.execute("BEGIN IMMEDIATE")
        var used: [String: Int64] = [:]
        for (name, next) in Counters.all { used[name] = counters[keyPath: next] - 1 }
        let shifts = RowShifts(
            used: used, steps: try lastStep(db, after: used["chunk"] ?? 0))
        for table in whole { try copy(table, shifts, in: db) }
        for (table, condition) in ofEvicted { try copy(table, shifts, where: condition, in: db) }
        try db.execute(
            """
            UPDATE decoder SET version = min(version, coalesce(
              (SELECT max(version) FROM source.decoder WHERE EXISTS (\(evicted))), version))
            """)
        for (name, number) in used {
            try db.execute(
                """
                INSERT OR REPLACE INTO counter
                SELECT name, \(number) + next FROM source.counter WHERE name = '\(name)'
                """)
        }
        try db.execute("COMMIT")
    }

    private static func copy(
        _ table: TableDefinition, _ shifts: RowShifts, where condition: String? = nil,
        in db: Connection
    ) throws(StorageFault) {
        let values = table.columns.map { shifts.expression($0, of: table) }
        try db.execute(
            """
            INSERT INTO main.\(table.name)(\(table.columnList()))
            SELECT \(values.joined(separator: ",")) FROM source.\(table.name) r
            \(condition.map { "WHERE \($0)" } ?? "") ORDER BY r.\(table.columns[0].quotedName)
            """)
    }

    /// The last step of rows that follow the chunk `last`, the last one.
    private static func lastStep(
        _ db: Connection, after last: Int64
    ) throws(StorageFault) -> Int64 {
        var found: Int64 = 0
        for table in whole where table.index("step") != nil {
            found = max(
                found,
                try db.integer(
                    "SELECT coalesce(max(step), 0) FROM main.\(table.name) "
                        + "WHERE after_chunk_id = \(last)"))
        }
        return found
    }

    /// Tables of which all rows are copied: recorded rows, statements, and the decoded rows whose
    /// numbers the new ones get.
    private static let whole =
        TableDefinition.recorded.filter { $0.name != TableDefinition.counter.name }
        + TableDefinition.numberedByDecoding

    /// Connections whose rows cannot be decoded again.
    private static let evicted = """
        SELECT connection_id FROM source.gap WHERE reason = 'evicted' AND connection_id IS NOT NULL
        """

    /// Decoded rows of connections that were evicted in part.
    private static let ofEvicted: [(TableDefinition, String)] = {
        let exchanges = """
            r.exchange_id IN (SELECT id FROM source.any_exchange WHERE connection_id IN (\(evicted)))
            """
        return [
            (Tables.body.definition, exchanges), (Tables.part.definition, exchanges),
            (Tables.document.definition, exchanges), (Tables.caseBlock.definition, exchanges),
            (Tables.frame.definition, "r.connection_id IN (\(evicted))"),
            (
                Tables.change.definition,
                """
                r.command_id IN (SELECT id FROM source.any_command WHERE connection_id IN (\(evicted)))
                """
            ),
        ]
    }()
}
