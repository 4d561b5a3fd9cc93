import Storage
internal import Wire

/// The type of a column, for formats other than SQL.
package enum ColumnContent: Hashable, Sendable {
    /// A whole number, not below `least`.
    case number(least: Int64)
    /// A number that is written as the name at its index, or as itself where there is none.
    case word([String])
    /// Text.
    case text
    /// Bytes.
    case bytes
}

/// A Swift type whose values are stored in a column.
protocol ColumnType: Sendable {
    /// Type and constraints that `CREATE TABLE` has.
    static var declaration: String { get }
    /// The type of the column's values.
    static var content: ColumnContent { get }
    /// The value as it is stored.
    var stored: StoredValue { get }
    /// The value as readers receive it.
    var shown: ShownValue { get }
    /// The value that is stored; one out of range becomes the nearest valid one.
    init(stored: StoredValue)
    /// Adds the value to the row in progress.
    func put(into rows: RowBuffer)
    /// The value of a column of the current row.
    static func read(_ statement: Statement, _ column: Int32) -> Self
}

/// A type that is stored in a column as a whole number.
protocol ColumnNumber: ColumnType {
    /// The number.
    var columnNumber: Int64 { get }
    /// The value of a number.
    init(columnNumber: Int64)
}

extension ColumnNumber {
    static var declaration: String { "INTEGER NOT NULL" }
    static var content: ColumnContent { .number(least: 0) }
    var stored: StoredValue { .number(columnNumber) }
    var shown: ShownValue { .number(columnNumber) }
    init(stored: StoredValue) {
        let number = stored.number ?? 0
        self.init(columnNumber: min(max(number, -Statement.maxInteger), Statement.maxInteger))
    }
    func put(into rows: RowBuffer) { rows.put(columnNumber) }
    static func read(_ statement: Statement, _ column: Int32) -> Self {
        Self(columnNumber: statement.integer(column))
    }
}

/// A type that is stored in a column as text.
protocol ColumnText: ColumnType {
    /// The text.
    var columnText: String { get }
    /// The value of a text.
    init(columnText: String)
}

extension ColumnText {
    static var declaration: String { "TEXT NOT NULL" }
    static var content: ColumnContent { .text }
    var stored: StoredValue { .text(Array(columnText.utf8)) }
    var shown: ShownValue { .text(columnText) }
    init(stored: StoredValue) { self.init(columnText: stored.string ?? "") }
    func put(into rows: RowBuffer) { rows.put(columnText) }
    static func read(_ statement: Statement, _ column: Int32) -> Self {
        Self(columnText: statement.string(column))
    }
}

extension Optional: ColumnType where Wrapped: ColumnType {
    static var declaration: String { Wrapped.declaration.replacing(" NOT NULL", with: "") }
    static var content: ColumnContent { Wrapped.content }
    var stored: StoredValue { map(\.stored) ?? .null }
    var shown: ShownValue { map(\.shown) ?? .null }
    init(stored: StoredValue) { self = stored == .null ? nil : Wrapped(stored: stored) }
    func put(into rows: RowBuffer) {
        if let self { self.put(into: rows) } else { rows.putNull() }
    }
    static func read(_ statement: Statement, _ column: Int32) -> Self {
        statement.isNull(column) ? nil : Wrapped.read(statement, column)
    }
}

extension Int64: ColumnNumber {
    var columnNumber: Int64 { self }
    init(columnNumber: Int64) { self = columnNumber }
}

extension Int: ColumnNumber {
    var columnNumber: Int64 { Int64(self) }
    init(columnNumber: Int64) { self.init(columnNumber) }
}

extension UInt32: ColumnNumber {
    var columnNumber: Int64 { Int64(self) }
    init(columnNumber: Int64) { self.init(truncatingIfNeeded: columnNumber) }
}

extension Bool: ColumnNumber {
    var columnNumber: Int64 { self ? 1 : 0 }
    init(columnNumber: Int64) { self = columnNumber != 0 }
}

extension Instant: ColumnNumber {
    var columnNumber: Int64 { nanoseconds }
    init(columnNumber: Int64) {
        self.init(nanoseconds: min(max(columnNumber, -Self.maxStored), Self.maxStored))
    }

    /// Nanoseconds, 36 years, beyond which a stored time is a damaged or a hostile one.
    ///
    /// Sums and differences of several are then within range.
    private static var maxStored: Int64 { 1 << 60 }
}

extension Identifier: ColumnType, ColumnNumber {
    static var content: ColumnContent { .number(least: 1) }
    var columnNumber: Int64 { rawValue }
    init(columnNumber: Int64) { self.init(columnNumber) }
}

extension Peer: ColumnNumber {
    static var content: ColumnContent { .word(allCases.map(\.description)) }
    var shown: ShownValue { .text(description) }
    var columnNumber: Int64 { Int64(rawValue) }
    init(columnNumber: Int64) { self = columnNumber == 1 ? .server : .client }
}

extension Chunk.Origin: ColumnNumber {
    static var content: ColumnContent { .word(["peer", "tapedeck"]) }
    var shown: ShownValue { .text(self == .tapedeck ? "tapedeck" : "peer") }
    var columnNumber: Int64 { Int64(rawValue) }
    init(columnNumber: Int64) { self = columnNumber == 1 ? .tapedeck : .peer }
}

extension String: ColumnText {
    var columnText: String { self }
    init(columnText: String) { self = columnText }
}

extension FaultEffect: ColumnText {
    var columnText: String { description }
    init(columnText: String) { self.init(columnText) }
}

/// Beyond the range of an INTEGER, so stored as decimal text.
extension UInt64: ColumnText {
    var columnText: String { String(self) }
    init(columnText: String) { self = UInt64(columnText) ?? 0 }
}
