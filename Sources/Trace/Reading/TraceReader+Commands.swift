public import Dissection
internal import Storage
public import Wire

extension TraceReader {
    /// A command with its text and changes; nil where there is none of that number.
    public func command(_ id: CommandID) throws(TraceError) -> CommandDetail? {
        try reported { () throws(StorageFault) in
            try db.transaction("BEGIN") { () throws(StorageFault) -> CommandDetail? in
                var detail = try commands("c.id = ?", [id.rawValue]).first
                if let row = detail?.row {
                    detail?.notes = try notes(about: row.message, on: row.connection)
                    detail?.faults = try faults(
                        on: row.connection, where: "f.message_id = ?", [row.message.rawValue])
                    let place = try list(
                        "SELECT chunk_id, \"offset\" FROM any_message WHERE id = ?",
                        [row.message.rawValue]
                    ) { $0.place(0) }.first
                    if let place {
                        detail?.findings = try findings(at: place)
                        detail?.undecided = try undecided(at: place)
                    }
                }
                return detail
            }
        }
    }

    /// The whole text of a command, which listings show the beginning of; empty where there is
    /// none.
    public func text(of id: CommandID) throws(TraceError) -> [UInt8] {
        try reported { () throws(StorageFault) in
            try list(
                "SELECT coalesce(c.text, m.payload) FROM any_command c "
                    + "LEFT JOIN any_message m ON m.id = c.message_id WHERE c.id = ?",
                [id.rawValue]
            ) { $0.bytes(0) }.first ?? []
        }
    }

    /// The commands about one object before another command, the last first, with their changes and
    /// without notes and findings.
    ///
    /// They show what a change changed: an entity or the changes since.
    public func commands(
        about key: String, in bucket: String, connection: ConnectionID? = nil,
        before: CommandID, limit: Int = 100
    ) throws(TraceError) -> [CommandDetail] {
        try reported { () throws(StorageFault) in
            try db.transaction("BEGIN") { () throws(StorageFault) -> [CommandDetail] in
                let found = try list(
                    """
                    SELECT id FROM simperium_command WHERE id < ?1 AND bucket = ?2
                      AND (?4 IS NULL OR connection_id = ?4)
                      AND (key = ?3 OR id IN (
                        SELECT id / \(Tables.share) FROM change_key WHERE key = ?3
                        UNION ALL SELECT command_id FROM any_change WHERE key = ?3 AND id >
                          coalesce((SELECT upto FROM progress WHERE name = 'change'), 0)))
                    ORDER BY id DESC LIMIT ?5
                    """,
                    bind: {
                        $0.bind(1, before.rawValue)
                        $0.bind(2, bucket)
                        $0.bind(3, key)
                        $0.bind(4, connection?.rawValue)
                        $0.bind(5, limit)
                    }
                ) { $0.integer(0) }
                var details: [CommandDetail] = []
                for id in found { details += try commands("c.id = ?", [id]) }
                return details
            }
        }
    }

    private func commands(
        _ condition: String, _ arguments: [Int64]
    ) throws(StorageFault)
        -> [CommandDetail]
    {
        var details = try list(
            "SELECT c.*, coalesce(c.text, m.payload) FROM any_command c "
                + "LEFT JOIN any_message m ON m.id = c.message_id WHERE \(condition)", arguments
        ) {
            CommandDetail(
                session: SessionID($0.integer(1)), row: Tables.command.row($0),
                text: $0.bytes(Tables.command.width))
        }
        for index in details.indices {
            let row = details[index].row
            details[index].changes = try changes(row.id)
        }
        return details
    }

    /// The changes of a command, in order; none where there is none of that number.
    public func changes(of id: CommandID) throws(TraceError) -> [ChangeRow] {
        try reported { () throws(StorageFault) in try changes(id) }
    }

    private func changes(_ id: CommandID) throws(StorageFault) -> [ChangeRow] {
        try list(
            "SELECT * FROM any_change WHERE id >= \(Tables.share) * ?1 "
                + "AND id < \(Tables.share) * (?1 + 1) ORDER BY id", [id.rawValue]
        ) { Tables.change.row($0) }
    }

    /// Passes on the commands of the client's side that bring objects or changes of them, in the order
    /// of their numbers: `c`, `e` and index pages.
    ///
    /// - Parameters:
    ///   - first: Those after this one.
    ///   - last: Those before this one.
    ///   - body: Receives the sender, the bucket and the text of each.
    /// - Throws: ``TraceError`` with code `storage`.
    public func objectCommands(
        after first: CommandID, before last: CommandID, _ body: (Peer, String, [UInt8]) -> Void
    ) throws(TraceError) {
        let sql = """
            SELECT c.sender, c.bucket, coalesce(c.text, m.payload)
            FROM simperium_command c LEFT JOIN any_message m ON m.id = c.message_id
            WHERE c.id > ?1 AND c.id < ?2 AND c.bucket IS NOT NULL
              AND (c.name IN ('c', 'e') OR c.name = 'i' AND c.sender = 1) ORDER BY c.id
            """
        try reported { () throws(StorageFault) in
            let statement = try statement(sql)
            defer { giveBack(statement, sql) }
            statement.bind(1, first.rawValue)
            statement.bind(2, last.rawValue)
            while try statement.step() {
                body(statement.peer(0), statement.string(1), statement.bytes(2))
            }
        }
    }
}
