internal import Storage
internal import Wire

/// Deletes the rows of exchanges, messages and connections.
///
/// Everything here runs in the current transaction.
final class Deletion {
    private let indexer: SearchIndexer
    /// Bytes of texts that were deleted and whose words full-text search still has.
    var forgotten: Int64 = 0
    private let bodies: Statement
    private let size: Statement
    private let commands: Statement
    private let byExchange: [Statement]
    private let byMessage: [Statement]
    private let changes: [Statement]
    private let exchanges: Statement
    private let messages: Statement
    private let byConnection: [Statement]

    init(_ db: Connection, indexer: SearchIndexer) throws(StorageFault) {
        self.indexer = indexer
        let share = Tables.share
        bodies = try db.prepare(
            "SELECT id, size FROM http_body WHERE id BETWEEN 2 * ?1 AND 2 * ?1 + 1 AND is_text")
        size = try db.prepare(
            "SELECT size FROM any_message WHERE id = ? AND typeof(payload) = 'text'")
        commands = try db.prepare("SELECT id FROM any_command WHERE message_id = ?")
        let ofCommand = "id >= \(share) * ?1 AND id < \(share) * (?1 + 1)"
        changes = [
            try db.prepare(
                """
                DELETE FROM change_key WHERE (key, id) IN
                  (SELECT key, id FROM any_change WHERE \(ofCommand))
                """), try db.prepare("DELETE FROM any_change WHERE \(ofCommand)"),
        ]
        exchanges = try db.prepare("SELECT id FROM any_exchange WHERE connection_id = ?")
        messages = try db.prepare("SELECT id FROM any_message WHERE connection_id = ?")
        var prepared: [Statement] = []
        for sql in [
            "DELETE FROM http_body WHERE id BETWEEN 2 * ?1 AND 2 * ?1 + 1",
            "DELETE FROM part WHERE exchange_id = ?1",
            "DELETE FROM openrosa WHERE exchange_id = ?1",
            "DELETE FROM case_block WHERE id >= \(share) * 2 * ?1 AND id < \(share) * 2 * (?1 + 1)",
            "DELETE FROM note WHERE exchange_id = ?1",
            "DELETE FROM any_exchange WHERE id = ?1",
        ] {
            prepared.append(try db.prepare(sql))
        }
        byExchange = prepared
        prepared = []
        for sql in [
            "DELETE FROM any_command WHERE message_id = ?1",
            "DELETE FROM frame WHERE id >= \(share) * ?1 AND id < \(share) * (?1 + 1)",
            "DELETE FROM any_message WHERE id = ?1",
        ] {
            prepared.append(try db.prepare(sql))
        }
        byMessage = prepared
        prepared = []
        for sql in Schema.deletePatches(of: "connection_id = ?1") + [
            "DELETE FROM note WHERE connection_id = ?1",
            "DELETE FROM fault_verdict WHERE fault_id IN "
                + "(SELECT id FROM fault_statement WHERE connection_id = ?1)",
            "DELETE FROM fault_statement WHERE connection_id = ?1",
            "DELETE FROM finding_statement WHERE chunk_id IN "
                + "(SELECT id FROM chunk WHERE connection_id = ?1)",
            "DELETE FROM chunk WHERE connection_id = ?1",
            "DELETE FROM event WHERE connection_id = ?1",
            "DELETE FROM gap WHERE connection_id = ?1",
            "DELETE FROM leg WHERE connection_id = ?1",
            "DELETE FROM connection WHERE id = ?1",
        ] {
            prepared.append(try db.prepare(sql))
        }
        byConnection = prepared
    }

    /// Deletes an exchange with its bodies.
    func exchange(_ id: Int64) throws(StorageFault) {
        bodies.bind(1, id)
        while try bodies.step() {
            if indexer.covers(2 * bodies.integer(0)) { forgotten += bodies.integer(1) }
        }
        try run(byExchange, id)
    }

    /// Deletes a message with its frames and commands.
    func message(_ id: Int64) throws(StorageFault) {
        size.bind(1, id)
        while try size.step() {
            if indexer.covers(2 * id + 1) { forgotten += size.integer(0) }
        }
        for command in try list(commands, id) {
            try run(changes, command)
        }
        try run(byMessage, id)
    }

    /// Deletes a connection with all its rows.
    func connection(_ id: Int64) throws(StorageFault) {
        for exchange in try list(exchanges, id) { try self.exchange(exchange) }
        for message in try list(messages, id) { try self.message(message) }
        try run(byConnection, id)
    }

    private func list(_ statement: Statement, _ id: Int64) throws(StorageFault) -> [Int64] {
        statement.bind(1, id)
        var ids: [Int64] = []
        while try statement.step() { ids.append(statement.integer(0)) }
        return ids
    }

    private func run(_ statements: [Statement], _ id: Int64) throws(StorageFault) {
        for statement in statements {
            statement.bind(1, id)
            try statement.run()
        }
    }
}
