public import Dissection
internal import Trace
public import Wire

/// What `show --json` has of a row beside the columns of listings, for programs that are asked
/// about rows one by one.
extension ExportedRow {
    private static let documentColumns = Tables.document.select(
        "sender part kind root namespace nature message key items done total restore_id "
            + "instance_id cases fixtures ledgers problem")
    private static let changeColumns = Tables.change.select("key o sv ev cv ccid clientid error")
    private static let connectionColumns = Tables.connection.select(
        "id session_id at_ns listener client mode")

    /// An OpenRosa document of an exchange.
    public static func document(_ row: OpenRosaRow) -> ExportedRow {
        ExportedRow(documentColumns, of: row)
    }

    /// A change within its command.
    public static func change(_ row: ChangeRow) -> ExportedRow {
        ExportedRow(changeColumns, of: row)
    }

    /// A connection.
    public static func connection(_ row: ConnectionRow) -> ExportedRow {
        ExportedRow(connectionColumns, of: row)
    }

    /// Head and content of one side of an exchange.
    public static func body(_ row: BodyRow) -> ExportedRow {
        var made = ExportedRow([])
        made.add("head", String(decoding: row.head, as: UTF8.self))
        made.add(
            "content",
            row.isText
                ? .text(String(decoding: row.content, as: UTF8.self)) : .bytes(row.content))
        made.add("size", row.size)
        made.add("wire_size", row.wireSize)
        made.add("coding", row.coding)
        made.add("content_type", row.contentType)
        made.add("trailers", String(decoding: row.trailers, as: UTF8.self))
        made.add("problem", row.problem)
        return made
    }

    private init<Row>(_ columns: ColumnSelection<Row>, of row: Row) {
        self.init([])
        add(columns, of: row, SessionID(0))
    }
}
