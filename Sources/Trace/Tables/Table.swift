internal import Storage

/// A table of the trace.
///
/// The one place where its columns are listed: the SQL that makes it with its documentation, the
/// statement that writes a row, the way of a row into that and out of a query, and its columns in
/// recordings, exports and JSON are all made from this value.
package struct Table<Row: Sendable>: Sendable {
    /// The handling of a row whose key exists.
    enum Conflict: Sendable {
        /// The statement fails.
        case fail
        /// The row is left out.
        case ignore
        /// The row replaces the old one.
        case replace
        /// Of a row that belongs to one side these columns are updated; others are left out.
        case revise([String])
        /// The old row is updated to the new one, apart from the columns `keeping`.
        case update(keeping: Set<String>)
    }

    /// Its definition.
    package let definition: TableDefinition
    let columns: [Column<Row>]
    /// A row into which a stored one is read.
    package let blank: Row
    /// What puts the columns of a statement into a row, apart from those that a row does not have:
    /// beside each other, since copying a whole column costs more than reading its value.
    private let readers: [(place: Int32, read: @Sendable (inout Row, Statement, Int32) -> Void)]
    /// The handling of a row whose key exists.
    private let conflict: Conflict

    init(
        _ name: String, _ comment: String, blank: Row, counter: String? = nil,
        onConflict conflict: Conflict = .fail, nameWidth: Int? = nil, indexes: [TableIndex] = [],
        _ columns: [Column<Row>]
    ) {
        self.blank = blank
        self.columns = columns
        readers = columns.enumerated().compactMap { place, column in
            column.read.map { (Int32(place), $0) }
        }
        definition = TableDefinition(
            name: name, comment: comment, columns: columns.map(\.definition),
            counter: counter, nameWidth: nameWidth, indexes: indexes)
        self.conflict = conflict
    }

    /// SQL that writes the rows of another table, which has the same columns.
    func insertion(from name: String) -> String {
        // The condition tells what follows from that of a join.
        let rows = "SELECT * FROM \(name) WHERE true"
        return switch conflict {
        case .fail: definition.insertion(of: rows)
        case .ignore: definition.insertion("OR IGNORE ", of: rows)
        case .replace: definition.insertion("OR REPLACE ", of: rows)
        case .revise(let columns):
            definition.insertion(of: rows) + " ON CONFLICT(id) DO UPDATE SET "
                + columns.map { "\"\($0)\" = excluded.\"\($0)\"" }.joined(separator: ", ")
                + " WHERE \(definition.name).side <> 'both'"
        case .update(let kept):
            definition.insertion(of: rows) + " ON CONFLICT(id) DO UPDATE SET "
                + definition.columns.filter { !kept.contains($0.name) }
                .map { "\"\($0.name)\" = excluded.\"\($0.name)\"" }.joined(separator: ", ")
        }
    }

    /// Number of its columns.
    var width: Int32 { Int32(columns.count) }

    /// The row of `SELECT * FROM` this table, whose columns begin at `first`.
    func row(_ statement: Statement, from first: Int32 = 0) -> Row {
        var row = blank
        for reader in readers { reader.read(&row, statement, first + reader.place) }
        return row
    }

    /// The columns of these names, which have blanks between them, as a bit for each place.
    func columns(of names: String) -> UInt64 {
        let names = Set(names.split(separator: " ").map(String.init))
        return columns.indices.reduce(0) { set, place in
            names.contains(columns[place].definition.name) ? set | 1 << UInt64(place) : set
        }
    }

    /// SQL of these columns in their places, with nulls in those of the others: SQLite takes each that is
    /// named out of a row, whether or not it is looked at.
    func columnList(_ prefix: String, only set: UInt64) -> String {
        columns.enumerated().map { place, column in
            set & (1 << UInt64(place)) != 0 ? prefix + column.definition.quotedName : "NULL"
        }.joined(separator: ",")
    }

    /// The same row with these columns alone, for rows of which millions are read.
    func row(_ statement: Statement, from first: Int32, only set: UInt64) -> Row {
        var row = blank
        for reader in readers where set & (1 << UInt64(reader.place)) != 0 {
            reader.read(&row, statement, first + reader.place)
        }
        return row
    }

    /// The row of stored values, one for each column.
    package func row(_ values: [StoredValue]) -> Row {
        var row = blank
        for (column, value) in zip(columns, values) { column.take?(&row, value) }
        return row
    }
}
