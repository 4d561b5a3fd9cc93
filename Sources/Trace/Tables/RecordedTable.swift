/// A table of a trace as a recording has it.
///
/// A row is a JSON object whose first member is named like the table and holds the first column;
/// the members after it are named like the other columns. What is null is left out.
package struct RecordedTable: Sendable {
    /// Name in the trace and of the first member.
    package var name: String
    /// Name under which `counter` has the next free number; nil where there is none.
    package var counter: String?
    /// The columns in the order in which they are written; the first is the key.
    package var columns: [RecordedColumn]

    package init(_ name: String, counter: String? = nil, _ columns: [RecordedColumn]) {
        self.name = name
        self.counter = counter
        self.columns = columns
    }

    /// The place of the column `name`; nil where there is none.
    package func index(_ name: String) -> Int? { columns.firstIndex { $0.name == name } }

    /// The columns as SQL has them, each after `prefix`.
    package func columnList(_ prefix: String = "") -> String {
        columns.map { "\(prefix)\"\($0.name)\"" }.joined(separator: ",")
    }

    /// SQL that inserts a row.
    package var insertion: String {
        let places = columns.map { _ in "?" }.joined(separator: ",")
        return "INSERT INTO \(name)(\(columnList())) VALUES (\(places))"
    }
}

/// A column of a trace as a recording has it.
package struct RecordedColumn: Sendable {
    /// What a column holds.
    package enum Content: Sendable {
        /// A whole number, not below `least`.
        case number(least: Int64)
        /// A number that is written as the word at its place, or as itself where there is none.
        case word([String])
        /// Text.
        case text
        /// Bytes.
        case bytes
    }

    package var name: String
    package var content: Content
    /// Whether it may be null.
    package var isOptional = false

    /// A number of something, from 1 on.
    package static func id(_ name: String, isOptional: Bool = false) -> Self {
        Self(name: name, content: .number(least: 1), isOptional: isOptional)
    }

    /// A time, count or place, from 0 on.
    package static func count(_ name: String, isOptional: Bool = false) -> Self {
        Self(name: name, content: .number(least: 0), isOptional: isOptional)
    }

    package static func text(_ name: String, isOptional: Bool = false) -> Self {
        Self(name: name, content: .text, isOptional: isOptional)
    }

    package static func bytes(_ name: String) -> Self { Self(name: name, content: .bytes) }

    package static func peer(_ name: String, isOptional: Bool = false) -> Self {
        Self(name: name, content: .word(["client", "server"]), isOptional: isOptional)
    }
}

/// A value of a row.
package enum RecordedValue: Hashable, Sendable {
    case null
    case number(Int64)
    /// The bytes of a text, which SQLite does not hold to be UTF-8.
    case text([UInt8])
    case bytes([UInt8])

    /// The number; nil for anything else.
    package var number: Int64? {
        guard case .number(let number) = self else { return nil }
        return number
    }

    /// Bytes of memory, roughly.
    package var size: Int {
        switch self {
        case .null, .number: 8
        case .text(let bytes), .bytes(let bytes): bytes.count
        }
    }
}
