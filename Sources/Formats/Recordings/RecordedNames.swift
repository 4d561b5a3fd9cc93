internal import Notation
internal import Trace

/// What changed between versions of the text form.
enum RecordedNames {
    /// The columns of version 1 that have other names now: those names by table and column.
    private static let first = [
        "event": ["detail": "says"], "finding_statement": ["message": "says"],
    ]

    /// Reasons of gaps of version 1, and what they are called now.
    private static let firstReasons: [StoredValue: StoredValue] = [
        .text(Array("let-go".utf8)): .text(Array("evicted".utf8)),
        .text(Array("sealed".utf8)): .text(Array("encrypted".utf8)),
    ]

    /// The members of a chunk in `version` that hold rows of other tables.
    static func parts(_ version: Int64) -> [String] {
        version < 3 ? ["patches"] : ["patches", "deliveries"]
    }

    /// The name that a column has as a member in `version`.
    static func member(
        _ column: ColumnDefinition, of table: TableDefinition, _ version: Int64
    ) -> String {
        guard version == 1 else { return column.name }
        return first[table.name]?[column.name] ?? column.name
    }

    /// Whether a member of `version` is no longer there: verdicts named rows by numbers that decoding
    /// gives, and faults copied the bytes that they were done to.
    static func isGone(_ member: JSONNode, of table: TableDefinition, _ version: Int64) -> Bool {
        guard version <= 2 else { return false }
        return switch table.name {
        case "fault_verdict": member.spells("exchange_id") || member.spells("command_id")
        case "fault_statement": member.spells("came") || member.spells("sent")
        default: false
        }
    }

    /// The value of a column that `version` does not have; nil for others.
    static func added(
        _ column: ColumnDefinition, of table: TableDefinition, _ version: Int64
    ) -> StoredValue? {
        guard table.name == "fault_statement" else { return nil }
        return switch column.name {
        case "position" where version <= 2: .number(0)
        case "purpose" where version <= 3: .text(Array("fault".utf8))
        default: nil
        }
    }

    /// What a value of `version` is now.
    static func value(
        _ value: StoredValue, of column: ColumnDefinition, _ version: Int64
    ) -> StoredValue {
        guard version == 1, column.name == "reason" else { return value }
        return firstReasons[value] ?? value
    }
}
