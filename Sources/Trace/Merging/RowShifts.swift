/// By how much the numbers of one trace's rows rise when it is merged behind others.
///
/// Rows of each numbered table rise by what the traces before have used, so that no number is used
/// twice and the distances between rows stay. A row that is numbered by another one, such as a patch
/// by its chunk, rises by the share of that.
struct RowShifts {
    /// The numbers that are used already, by name of the counter.
    private var used: [String: Int64]
    /// What the steps of rows before the first chunk rise by, so that they come after the last rows
    /// of the trace before.
    private let steps: Int64

    /// The shifts behind traces that use the numbers `used`, by name of the counter, and the steps
    /// up to `steps` after their last chunk.
    init(used: [String: Int64], steps: Int64) {
        self.used = used
        self.steps = steps
    }

    /// The shift of the rows of a counter.
    func callAsFunction(_ counter: String) -> Int64 { used[counter] ?? 0 }

    /// SQL for the value of a column after the merge, over a row of the table as it was.
    func expression(_ column: ColumnDefinition, of table: TableDefinition) -> String {
        let name = "\"\(column.name)\""
        if column.name == "step" {
            // Steps of what was evicted later are 0: it has no place in the order.
            return "\(name) + CASE WHEN after_chunk_id = 0 AND \(name) > 0 THEN \(steps) ELSE 0 END"
        }
        if column.name == "content_parts" {
            return """
                (SELECT json_group_array(json_array(json_extract(p.value, '$[0]') + \(self("chunk")), \
                json_extract(p.value, '$[1]'), json_extract(p.value, '$[2]'))) \
                FROM json_each(\(name)) p WHERE \(name) IS NOT NULL HAVING count(*) > 0)
                """
        }
        guard let reference = Self.reference(of: column, in: table) else { return name }
        let shift = reference.share &* self(reference.counter)
        return shift == 0 ? name : "\(name) + \(shift)"
    }

    /// What a column with numbers of rows refers to.
    struct Reference: Hashable {
        /// Name of the counter of these rows.
        var counter: String
        /// How many numbers each of them has.
        var share: Int64 = 1
    }

    /// The rows that the numbers of a column are those of; nil where they are something else.
    static func reference(
        of column: ColumnDefinition, in table: TableDefinition
    ) -> Reference? {
        guard case .number = column.content else { return nil }
        return switch column.name {
        case "id": table.counter.map { Reference(counter: $0) } ?? shares[table.name]
        case "counterpart_id": table.counter.map { Reference(counter: $0) }
        case "openrosa_id": shares["openrosa"]
        default: references[column.name].map { Reference(counter: $0) }
        }
    }

    /// Counters by the names of columns.
    private static let references = [
        "session_id": "session", "connection_id": "connection", "leg_id": "leg",
        "server_leg_id": "leg", "chunk_id": "chunk", "after_chunk_id": "chunk",
        "request_chunk_id": "chunk", "response_chunk_id": "chunk", "exchange_id": "exchange",
        "message_id": "message", "command_id": "command", "fault_id": "fault",
    ]

    /// Whose numbers those of tables without a counter are made of.
    private static let shares = [
        "patch": Reference(counter: "chunk", share: Tables.share),
        "delivery": Reference(counter: "chunk", share: Tables.share),
        "http_body": Reference(counter: "exchange", share: 2),
        "part": Reference(counter: "exchange", share: 2 * Tables.share),
        "openrosa": Reference(counter: "exchange", share: 2 * Tables.share),
        "case_block": Reference(counter: "exchange", share: 2 * Tables.share),
        "frame": Reference(counter: "message", share: Tables.share),
        "any_change": Reference(counter: "command", share: Tables.share),
    ]
}
