internal import Dissection
internal import Filters
internal import Storage

/// Rows of the trace as they are stored, and the query for them.
public struct StoredRows: Hashable, Sendable {
    /// A value of a row.
    public enum Value: Hashable, Sendable {
        /// NULL.
        case null
        /// A number.
        case integer(Int64)
        /// Text, at most ``TraceReader/storedText`` bytes of it.
        case text(String)
        /// So many bytes that are not text.
        case bytes(Int)
    }

    /// What they are about.
    public var title: String
    /// The query, which `sqlite3 -readonly` runs as well.
    public var sql: String
    /// The names of the columns.
    public var columns: [String]
    /// The rows, at most a hundred.
    public var rows: [[Value]]
}

extension TraceReader {
    /// The most that is passed on of a text.
    public static let storedText = 400

    /// The rows behind a line of a listing: itself, and those that belong to it.
    ///
    /// - Parameter place: The line.
    /// - Returns: The rows by table.
    /// - Throws: ``TraceError`` with code `storage`.
    public func storedRows(of place: LinePlace) throws(TraceError) -> [StoredRows] {
        let id = place.id
        let share = Tables.share
        let queries: [(String, String)] =
            switch place.subject {
            case .exchange:
                [
                    ("exchange", "SELECT * FROM any_exchange WHERE id = \(id)"),
                    ("bodies", "SELECT * FROM body WHERE id BETWEEN 2 * \(id) AND 2 * \(id) + 1"),
                    ("parts", "SELECT * FROM part WHERE exchange_id = \(id) ORDER BY id"),
                    ("OpenRosa documents", "SELECT * FROM openrosa WHERE exchange_id = \(id)"),
                    ("blocks about cases", "SELECT * FROM case_block WHERE exchange_id = \(id)"),
                    ("notes", "SELECT * FROM note WHERE exchange_id = \(id) ORDER BY id"),
                ]
            case .command:
                [
                    ("command", "SELECT * FROM any_command WHERE id = \(id)"),
                    (
                        "changes",
                        "SELECT * FROM any_change WHERE id >= \(share) * \(id) AND id < \(share) * (\(id) + 1)"
                    ),
                    (
                        "message",
                        "SELECT * FROM any_message WHERE id = (SELECT message_id FROM any_command WHERE id = \(id))"
                    ),
                ]
            case .message:
                [
                    ("message", "SELECT * FROM any_message WHERE id = \(id)"),
                    (
                        "frames",
                        "SELECT * FROM frame WHERE id >= \(share) * \(id) AND id < \(share) * (\(id) + 1)"
                    ),
                    ("commands", "SELECT * FROM any_command WHERE message_id = \(id)"),
                ]
            }
        return try reported { () throws(StorageFault) in
            var found: [StoredRows] = []
            for (title, sql) in queries {
                let rows = try stored(title, sql)
                if !rows.rows.isEmpty { found.append(rows) }
            }
            return found
        }
    }

    private func stored(_ title: String, _ sql: String) throws(StorageFault) -> StoredRows {
        let statement = try db.prepare(sql)
        let columns = statement.columnNames
        var result = StoredRows(title: title, sql: sql, columns: columns, rows: [])
        while result.rows.count < 100, try statement.step() {
            result.rows.append(columns.indices.map { statement.stored(Int32($0)) })
        }
        return result
    }
}

extension Statement {
    fileprivate func stored(_ column: Int32) -> StoredRows.Value {
        if isNull(column) { return .null }
        if isInteger(column) { return .integer(integer(column)) }
        guard isText(column) else { return .bytes(borrowed(column).count) }
        let bytes = bytes(column)
        return .text(String(decoding: bytes.prefix(TraceReader.storedText), as: UTF8.self))
    }
}
