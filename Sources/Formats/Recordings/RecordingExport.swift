internal import CSQLite
internal import Storage
public import Trace

/// Writes a trace as a recording: a folder of text that can be reviewed and kept.
///
/// The same trace gives the same files. ``RecordingImport`` gives the same trace back.
public enum RecordingExport {
    /// What was written.
    public struct Outcome: Hashable, Sendable {
        /// Lines of the timeline.
        public var lines: Int64 = 0
        /// Chunks among them.
        public var chunks: Int64 = 0
    }

    /// The maximum size of one line in bytes, both written and read.
    static let longestLine = 64 << 20

    /// Exports the trace at `path` to `folder`, all or nothing where the folder is new.
    ///
    /// - Parameters:
    ///   - path: The trace. It may be written meanwhile; what is there at the start is exported.
    ///   - folder: The folder: one that is not there, is empty, or with `replaces` is a recording,
    ///     of which other files stay.
    ///   - about: Its origin, as text; nil keeps that of the replaced recording.
    ///   - replaces: Whether a recording that is there is replaced.
    ///   - progress: Called periodically with the part that is done, in 0...1; returns whether to
    ///     continue.
    /// - Returns: What was written.
    /// - Throws: ``FileError``.
    @discardableResult public static func run(
        from path: String, to folder: String, about: String? = nil, replaces: Bool = false,
        progress: (Double) -> Bool = { _ in true }
    ) throws(FileError) -> Outcome {
        let folder = Folder.absolute(folder)
        var head = RecordingHead()
        let isThere = Folder.isThere(folder)
        if isThere, !Folder.isEmpty(folder) {
            guard replaces else {
                throw FileError(
                    .cannotOpen,
                    "\(folder) exists and is not empty: name another folder, or --replace a "
                        + "recording"
                )
            }
            // Also checks whether it is a recording.
            head.about = try RecordingHead(folder: folder).about
        }
        if let about { head.about = about }
        return try mappingErrors(of: path) {
            // Reports a file that is not a trace.
            _ = try TraceReader(path: path)
            let new = try Folder.makeBeside(folder)
            defer { Folder.remove(new) }
            let outcome = try write(path, &head, into: new, progress)
            if !isThere {
                try Folder.rename(new, to: folder)
            } else {
                // What makes it a recording comes last.
                for name in [RecordingHead.timeline, RecordingHead.name] {
                    try Folder.rename(new + "/" + name, to: folder + "/" + name)
                }
            }
            return outcome
        }
    }

    private static func write(
        _ path: String, _ head: inout RecordingHead, into folder: String,
        _ progress: (Double) -> Bool
    ) throws -> Outcome {
        let db = try Connection(path: path, flags: SQLITE_OPEN_READONLY)
        defer { db.close() }
        // One snapshot of the trace, whatever is written to it meanwhile.
        try db.execute("PRAGMA temp_store = FILE; BEGIN")
        let sessions = try db.prepare(
            "SELECT \(TableDefinition.session.columnList()) FROM session ORDER BY id")
        while try sessions.step() { head.sessions.append(sessions.values(.session)) }
        head.counters = try counters(db)
        let last = try db.integer("SELECT max(id) FROM chunk")
        var outcome = Outcome()
        var parts = (patches: Int64(0), deliveries: Int64(0))
        var place = RowText.Place()
        let timeline = try Timeline(db)
        let file = try FileWriter(creating: folder + "/" + RecordingHead.timeline)
        while let row = try timeline.next() {
            let line = try line(row, after: place)
            place.pass(row.table, row.values)
            guard line.count <= longestLine else {
                throw RowMistake(
                    0, "\(row.name) would be a line of more than \(longestLine) bytes")
            }
            try file.write(line)
            outcome.lines += 1
            if row.table.name == "chunk" {
                outcome.chunks += 1
                parts.patches += Int64(row.patches.count)
                parts.deliveries += Int64(row.deliveries.count)
                if outcome.chunks % 1_024 == 0 {
                    let share = Double(place.chunk) / Double(max(1, last))
                    guard progress(min(1, share)) else { throw FileError.stopped }
                }
            }
        }
        guard try db.integer("SELECT count(*) FROM patch") == parts.patches else {
            throw RowMistake(0, "there are patches of chunks that do not exist")
        }
        guard try db.integer("SELECT count(*) FROM delivery") == parts.deliveries else {
            throw RowMistake(0, "there are deliveries of chunks that do not exist")
        }
        try file.finish()
        head.files = [RecordingHead.File(name: RecordingHead.timeline, lines: outcome.lines)]
        let first = try FileWriter(creating: folder + "/" + RecordingHead.name)
        try first.write(try head.text())
        try first.finish()
        return outcome
    }

    private static func line(
        _ row: Timeline.Row, after place: RowText.Place
    ) throws(RowMistake) -> [UInt8] {
        var line: [UInt8] = [0x7B]
        do throws(RowMistake) {
            try RowText.write(row.values, of: row.table, after: place, to: &line)
            let chunk = row.values.first?.number ?? 0
            try write(row.patches, of: .patch, "patches", of: chunk, to: &line)
            try write(row.deliveries, of: .delivery, "deliveries", of: chunk, to: &line)
        } catch {
            throw RowMistake(0, "\(row.name): \(error.message)")
        }
        line.append(contentsOf: [0x7D, 0x0A])
        return line
    }

    /// Appends the member `name` with the rows of `table` that belong to `chunk`, if there are any.
    private static func write(
        _ rows: [[StoredValue]], of table: TableDefinition, _ name: String, of chunk: Int64,
        to line: inout [UInt8]
    ) throws(RowMistake) {
        guard !rows.isEmpty else { return }
        JSONWriting.name(name, to: &line)
        line.append(0x5B)
        for (index, row) in rows.enumerated() {
            guard row[0] == .number(Tables.share * chunk + Int64(index)), row[1] == .number(chunk)
            else { throw RowMistake(0, "\(name) are not numbered by their chunk") }
            if index > 0 { line.append(0x2C) }
            try RowText.writePart(row, of: table, to: &line)
        }
        line.append(0x5D)
    }

    /// The rows of `counter` that do not follow from the highest number of their table.
    private static func counters(_ db: Connection) throws -> [[StoredValue]] {
        var tables: [String: String] = [:]
        for table in TableDefinition.numberedByDecoding + TableDefinition.recorded {
            if let name = table.counter { tables[name] = table.name }
        }
        let statement = try db.prepare(
            "SELECT \(TableDefinition.counter.columnList()) FROM counter ORDER BY name")
        var rows: [[StoredValue]] = []
        while try statement.step() {
            if let table = tables[statement.string(0)],
                try db.integer("SELECT coalesce(max(id), 0) + 1 FROM \(table)")
                    == statement.integer(1)
            {
                continue
            }
            rows.append(statement.values(.counter))
        }
        return rows
    }
}
