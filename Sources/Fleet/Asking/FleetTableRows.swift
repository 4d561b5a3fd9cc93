import Trace

/// Rows of the trace's tables out of answers of the server.
enum FleetTableRows {
    /// The columns of a table as a query names them.
    static func columns(_ table: TableDefinition) -> String {
        table.columns.map { "`\($0.name)`" }.joined(separator: ", ")
    }

    /// The values of the columns of a table.
    ///
    /// - Parameters:
    ///   - fields: A value for each column.
    ///   - table: The table.
    ///   - isText: Whether what may be text or bytes is text.
    /// - Returns: The values as SQLite keeps them.
    static func values(
        _ fields: ArraySlice<[UInt8]?>, of table: TableDefinition, isText: Bool = false
    ) -> [StoredValue] {
        zip(fields, table.columns).map { field, column in
            guard let field else { return .null }
            return switch column.content {
            case .number, .word: .number(number(field))
            case .text: .text(field)
            case .bytes: isText ? .text(field) : .bytes(field)
            }
        }
    }

    /// The decimal number that `field` writes; 0 for anything else.
    static func number(_ field: [UInt8]?) -> Int64 {
        field.flatMap { Int64(String(decoding: $0, as: UTF8.self)) } ?? 0
    }

    /// The text of a field, empty for NULL.
    static func text(_ field: [UInt8]?) -> String {
        String(decoding: field ?? [], as: UTF8.self)
    }
}
