/// Compiled statements of one connection between their uses, by their text.
///
/// To compile a statement takes longer than to read a few rows with it, and who shows one row after
/// another asks the same of each. A statement in use is not among them, so that a use within
/// another of the same text has its own.
package struct StatementCache {
    private var idle: [String: Statement] = [:]

    /// The most that are kept: far more than there are texts, unless numbers are written into them.
    private static let most = 64

    /// No statement yet.
    package init() {}

    /// A statement of this text, compiled where none waits.
    package mutating func take(
        _ sql: String, of connection: Connection
    ) throws(StorageFault) -> Statement {
        if let statement = idle.removeValue(forKey: sql) { return statement }
        return try connection.prepare(sql)
    }

    /// Keeps a statement for its next use, without its arguments.
    package mutating func give(back statement: Statement, _ sql: String) {
        statement.clear()
        if idle.count >= Self.most { idle = [:] }
        idle[sql] = statement
    }
}
