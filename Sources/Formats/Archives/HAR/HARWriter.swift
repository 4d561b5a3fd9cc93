internal import CSQLite
internal import Framing
internal import Storage
internal import Trace
internal import Wire

/// Writes the exchanges of a trace as entries of an HTTP archive, one after the other.
///
/// Memory does not grow with the trace: bodies beyond what it keeps beside the chunks are read and
/// written in pieces, twice where it has to be seen whether they are text.
final class HARWriter {
    let db: Connection
    let contents: TraceContents
    let details: TraceReader
    let text: HARText
    let serverAddress: Statement
    /// The messages of an exchange in order.
    let said: Statement
    /// When the last message of an exchange was complete.
    let lastSaid: Statement
    /// The sides of all exchanges; nil where only some are written.
    private let ahead: HARSides?
    /// The address of each leg that was asked for last.
    var lastAddress: (connection: Int64, leg: Int64, host: String?)?
    /// Connections that faults were done to.
    private(set) var faulted: Set<Int64> = []
    var outcome = HARExport.Outcome()

    /// A writer of all exchanges, or of some.
    init(trace path: String, to file: FileWriter, isWhole: Bool) throws {
        details = try TraceReader(path: path)
        db = try Connection(path: path, flags: SQLITE_OPEN_READONLY)
        ahead =
            isWhole
            ? try HARSides(path: path, upTo: db.integer("SELECT max(id) FROM http_exchange")) : nil
        let reader = try ReplayReader(path: path)
        // Otherwise SQLite looks for a log before each body.
        try reader.holdSnapshot()
        contents = TraceContents(reader: reader)
        text = HARText(file)
        // One snapshot of the trace, whatever is written to it meanwhile.
        try db.execute("PRAGMA temp_store = FILE; BEGIN")
        // No index leads from an exchange to its messages.
        try db.execute(
            """
            CREATE TEMP TABLE said AS SELECT exchange_id, id FROM message;
            CREATE INDEX temp.said_exchange ON said(exchange_id, id)
            """)
        serverAddress = try db.prepare(
            "SELECT detail FROM event WHERE connection_id = ? AND leg_id = ? AND kind = 'opened' "
                + "ORDER BY id LIMIT 1")
        said = try db.prepare(
            """
            SELECT m.id, m.sender, m.at_ns, m.opcode, CAST(m.payload AS BLOB), m.size
            FROM said JOIN message m ON m.id = said.id WHERE said.exchange_id = ? ORDER BY said.id
            """)
        lastSaid = try db.prepare(
            "SELECT max(m.ended_ns) FROM said JOIN message m ON m.id = said.id "
                + "WHERE said.exchange_id = ?")
        let faults = try db.prepare(
            "SELECT DISTINCT connection_id FROM fault_statement WHERE connection_id IS NOT NULL")
        while try faults.step() { faulted.insert(faults.integer(0)) }
    }

    deinit { db.close() }

    /// Writes the archive.
    func write(
        version: String, including: (ExchangeID) -> Bool, progress: (Double) -> Bool
    ) throws {
        let last = try db.integer("SELECT max(id) FROM http_exchange")
        text.raw(#"{"log":{"version":"1.2""#)
        text.object("creator") {
            text.member("name", "Tapedeck")
            text.member("version", version)
        }
        text.member("pages", json: "[]")
        text.name("entries")
        text.raw("[")
        let rows = try db.prepare(HARRow.sql)
        while try rows.step() {
            let row = HARRow(rows)
            guard !row.isTunnel, including(row.id) else { continue }
            let (request, response) = try sides(of: row)
            guard let request, !request.head.isEmpty else {
                outcome.leftOut += 1
                continue
            }
            if outcome.entries > 0 { text.raw(",") }
            text.raw("\n")
            try entry(row, request, response)
            try text.flush()
            outcome.entries += 1
            guard
                outcome.entries % 256 != 0
                    || progress(Double(row.id.rawValue) / Double(max(1, last)))
            else { throw FileError.stopped }
        }
        text.raw("\n]}}\n")
        try text.flush(isLast: true)
    }

    /// The sides of an exchange: those that were read ahead, unless it went on since.
    private func sides(
        of row: HARRow
    ) throws -> (request: ReplaySide?, response: ReplaySide?) {
        if let found = try ahead?.sides(of: row.id), let request = found.request,
            let response = found.response, row.isAsFar(as: request), row.isAsFar(as: response)
        {
            return found
        }
        return try (contents.reader.side(row.id, .client), contents.reader.side(row.id, .server))
    }
}
