import Dissection
import Wire

/// The tables of the trace.
package enum Tables {
    /// Numbers of rows that belong to row `n` begin with `n` times this.
    package static let share: Int64 = 1 << 24

    /// The number of one side of an exchange.
    static func bodyNumber(_ exchange: ExchangeID, _ sender: Peer) -> Int64 {
        2 &* exchange.rawValue &+ Int64(sender.rawValue)
    }

    /// The number of the document in a body or one of its parts.
    static func documentNumber(_ exchange: ExchangeID, _ sender: Peer, part: Int?) -> Int64 {
        share &* bodyNumber(exchange, sender) &+ Int64((part ?? -1) + 1)
    }

    /// The progress of background work after the commits.
    static let progress = TableDefinition(
        name: "progress", comment: "progress of background work after the commits",
        columns: [
            ColumnDefinition(
                name: "name", declaration: "TEXT PRIMARY KEY",
                comment: """
                    body: full-text search of bodies; message: of messages; change: change_key; \
                    forgotten: bytes of evicted text whose words search still has
                    """, content: .text),
            ColumnDefinition(
                name: "upto", declaration: "INTEGER NOT NULL",
                comment: """
                    last id that is done, apart from those in late; a size for forgotten
                    """, content: .number(least: 0)),
        ])

    /// Rows that background work handles next.
    static let late = TableDefinition(
        name: "late",
        comment: "rows that were written after progress had passed their id; they are done next",
        columns: [
            ColumnDefinition(
                name: "id", declaration: "INTEGER PRIMARY KEY",
                comment: "rowid they will have in search", content: .number(least: 1))
        ])

    /// The changes of each key.
    static let changeKey = TableDefinition(
        name: "change_key",
        comment: "changes by the key of their object, built after the commits, up to progress",
        columns: [
            ColumnDefinition(
                name: "key", declaration: "TEXT NOT NULL", comment: "key of the object",
                content: .text),
            ColumnDefinition(
                name: "id", declaration: "INTEGER NOT NULL", comment: "the row of any_change",
                content: .number(least: 1)),
        ], order: ["key", "id"])

    /// The decoder of the decoded rows.
    static let decoder = TableDefinition(
        name: "decoder", comment: "the decoder that made the decoded rows",
        columns: [
            ColumnDefinition(
                name: "version", declaration: "INTEGER PRIMARY KEY",
                comment: """
                    its version; where the program has a later one, tapedeck rebuild makes the rows anew
                    """, content: .number(least: 1))
        ])

    /// The next free numbers.
    package static let counter = TableDefinition(
        name: "counter",
        comment: "numbers that are free although none above is used: rows were evicted",
        columns: [
            ColumnDefinition(
                name: "name", declaration: "TEXT PRIMARY KEY", comment: "the table",
                content: .text),
            ColumnDefinition(
                name: "next", declaration: "INTEGER NOT NULL",
                comment: "least id of the next row; a higher one where the table has rows",
                content: .number(least: 1)),
        ])
}
