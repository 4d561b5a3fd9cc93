/// A column of a table of the trace.
package struct ColumnDefinition: Sendable {
    /// Its name.
    package var name: String
    /// Type and constraints that `CREATE TABLE` has.
    var declaration: String
    /// Meaning and unit.
    package var comment: String
    /// The type of its values.
    package var content: ColumnContent

    /// Whether it may be null.
    package var isOptional: Bool {
        !declaration.contains("NOT NULL") && !declaration.contains("PRIMARY KEY")
    }

    /// The name as SQL has it.
    package var quotedName: String { name == "offset" ? "\"offset\"" : name }
}

/// An index of a table of the trace.
struct TableIndex: Sendable {
    /// Its name.
    let name: String
    /// The table with the columns, and for which of its rows.
    private let rows: String

    /// An index by a name, on rows as `CREATE INDEX` has them behind `ON`.
    init(_ name: String, on rows: String) {
        self.name = name
        self.rows = rows
    }

    /// SQL that makes it.
    var sql: String { "CREATE INDEX \(name) ON \(rows);" }
}

/// The definition of a table of the trace, independent of the Swift type of its rows.
package struct TableDefinition: Sendable {
    /// Its name.
    package var name: String
    /// The meaning of a row.
    package var comment: String
    /// Its columns; the first is the key.
    package var columns: [ColumnDefinition]
    /// Name under which `counter` has the next free number; nil where there is none.
    package var counter: String?
    /// Characters of a line of ``sql`` for the name of a column; nil for those of the longest.
    var nameWidth: Int?
    /// Its indexes.
    var indexes: [TableIndex] = []
    /// The columns by which its rows are ordered, where they have no number of their own.
    var order: [String] = []

    /// The place of the column `name`; nil where there is none.
    package func index(_ name: String) -> Int? { columns.firstIndex { $0.name == name } }

    /// The columns as SQL has them, each after `prefix`.
    package func columnList(_ prefix: String = "") -> String {
        columns.map { "\(prefix)\"\($0.name)\"" }.joined(separator: ",")
    }

    /// SQL that inserts a row, with a parameter for each column.
    package var insertion: String {
        insertion(of: "VALUES (" + columns.map { _ in "?" }.joined(separator: ",") + ")")
    }

    /// SQL that inserts `rows`, which is SQL; `conflict` follows `INSERT`.
    func insertion(_ conflict: String = "", of rows: String) -> String {
        "INSERT \(conflict)INTO \(name)(\(columnList())) \(rows)"
    }

    /// SQL that makes the table, one column to a line with its comment, and its indexes.
    var sql: String {
        let width = nameWidth ?? (columns.map(\.quotedName.utf8.count).max() ?? 0) + 1
        let margin = max(28, width + 22)
        let codes = columns.enumerated().map { index, column in
            let name = column.quotedName
            let end = index + 1 < columns.count || !order.isEmpty ? "," : ""
            return name + Self.blanks(max(1, width - name.utf8.count)) + column.declaration + end
        }
        var lines = ["CREATE TABLE \(name)("]
        lines[0] += Self.blanks(33 - lines[0].utf8.count) + "-- \(comment)"
        for (index, column) in columns.enumerated() {
            // Lines beyond the margin have their comments below each other as well.
            var place = margin
            if codes[index].utf8.count >= margin {
                var first = index
                var last = index
                while first > 0, codes[first - 1].utf8.count >= margin { first -= 1 }
                while last + 1 < codes.count, codes[last + 1].utf8.count >= margin { last += 1 }
                place = (codes[first...last].map(\.utf8.count).max() ?? 0) + 2
            }
            let gap = Self.blanks(place - codes[index].utf8.count)
            lines.append("  \(codes[index])\(gap)-- \(column.comment)")
        }
        if !order.isEmpty {
            lines.append("  PRIMARY KEY (\(order.joined(separator: ", ")))")
            return (lines + [") STRICT, WITHOUT ROWID;"] + indexes.map(\.sql)).joined(
                separator: "\n")
        }
        return (lines + [") STRICT;"] + indexes.map(\.sql)).joined(separator: "\n")
    }

    private static func blanks(_ count: Int) -> String {
        String(repeating: " ", count: max(0, count))
    }
}
