internal import Trace

/// A table of the fleet: rows of a table of the trace, each with the recorder, the day, the batch and
/// the session.
struct FleetTable: Sendable {
    /// Its name, that of the trace's table.
    let name: String
    /// The meaning of a row.
    let comment: String
    let columns: [FleetColumn]
    /// The columns by which it is sorted, after the recorder and the session.
    let key: String
    /// Tables of the trace with their joins, whose row is `t` and whose session is `s`.
    let from: String
    /// The wall clock of a row, nanoseconds since 1970.
    let at: String
    /// The session of a row.
    let session: String
    /// The condition for the rows of the units ?1 to ?2.
    let range: String

    /// A table.
    ///
    /// - Parameters:
    ///   - definition: The trace's table.
    ///   - from: What joins `t` with its owner, and `s`.
    ///   - at: Time of a row since the start of its session.
    ///   - session: Session of a row.
    ///   - range: Condition for rows of units ?1 to ?2.
    ///   - owner: The table that `range` is about, where that finds rows; nil for this one.
    ///   - dropping: Columns that are left out.
    ///   - more: Further columns.
    init(
        _ definition: TableDefinition, from: String, at: String, session: String = "t.session_id",
        range: String = "t.id BETWEEN ?1 AND ?2", owner: String? = nil, dropping: Set<String> = [],
        more: [FleetColumn] = []
    ) {
        name = definition.name
        comment = definition.comment
        let start = owner.map { $0 + " CROSS JOIN " } ?? ""
        self.from = "\(start)\(definition.name) t \(from)"
        self.at = "coalesce(s.started_unix_ns, 0) + coalesce(\(at), 0)"
        self.session = "coalesce(\(session), 0)"
        self.range = range
        key = definition.columns.first?.name ?? "id"
        var columns = Self.identity
        for column in definition.columns
        where column.name != "session_id" && !dropping.contains(column.name) {
            let kind: FleetColumn.Kind =
                switch column.content {
                case .number, .word: column.isOptional ? .optionalNumber : .number
                case .text, .bytes: column.isOptional ? .optionalText : .text
                }
            columns.append(
                FleetColumn(column.name, kind, column.comment, .value("t.\(column.quotedName)")))
        }
        self.columns = columns + more
    }

    /// What each row begins with.
    private static let identity = [
        FleetColumn(
            "recorder", .text, "identity of the recorder: a UUID, made once for each trace",
            .recorder),
        FleetColumn(
            "day", .day, "day of at_unix_ns in UTC; the tables are partitioned by it", .day),
        FleetColumn(
            "at_unix_ns", .number,
            "wall clock of the row, or of what it belongs to: nanoseconds since 1970 UTC", .at),
        FleetColumn(
            "batch", .number, "number of the batch of the recorder that brought the row", .batch),
        FleetColumn("session_id", .number, "the session of the recorder", .session),
    ]

    /// The labels of the session, one name and value each.
    static let labels = [
        FleetColumn("label.name", .texts, "names of the labels of the session", .labelNames),
        FleetColumn("label.value", .texts, "their values", .labelValues),
    ]

    /// Columns with their types, as the server takes the structure of sent rows.
    var structure: String {
        columns.map { "\($0.quotedName) \($0.kind.sql)" }.joined(separator: ", ")
    }

    /// The columns as a query names them.
    var columnList: String { columns.map(\.quotedName).joined(separator: ", ") }
}
