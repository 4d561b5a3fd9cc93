internal import Dissection
internal import Storage
public import Wire

extension ReplayReader {
    /// The position of a WebSocket message in the chunks; nil where there is none of that number.
    ///
    /// - Throws: ``TraceError`` with code `storage`.
    public func place(of id: MessageID) throws(TraceError) -> ReplayMessagePlace? {
        try reader.reported { () throws(StorageFault) in
            try reader.list("SELECT * FROM any_message WHERE id = ?", [id.rawValue]) {
                let row = Tables.message.row($0)
                return ReplayMessagePlace(
                    id: row.id, connection: row.connection, exchange: row.exchange,
                    sender: row.sender, size: row.size, isCompressed: row.isCompressed,
                    chunk: row.place.chunk, offset: row.place.offset, side: row.side)
            }.first
        }
    }

    /// Passes on the text, binary and close messages of WebSockets that carry something else than
    /// Simperium, in order.
    ///
    /// - Throws: ``TraceError`` with code `storage`.
    public func messages(_ body: (ReplayMessageRow) -> Void) throws(TraceError) {
        try reader.reported { () throws(StorageFault) in
            let messages = try db.prepare(
                """
                SELECT id, exchange_id, sender, opcode, ended_ns, session_id, close_code FROM message
                WHERE opcode IN (1, 2, 8)\(ofSession) AND exchange_id IN
                  (SELECT id FROM http_exchange WHERE status = 101 AND api <> 'simperium.socket')
                ORDER BY id
                """)
            while try messages.step() {
                let kind: ReplayMessageRow.Kind =
                    switch messages.integer(3) {
                    case 1: .text
                    case 2: .binary
                    default: .close(code: messages.optionalInt(6))
                    }
                body(
                    ReplayMessageRow(
                        id: MessageID(messages.integer(0)),
                        exchange: ExchangeID(messages.integer(1)), sender: messages.peer(2),
                        kind: kind,
                        at: messages.instant(4, shifts[messages.integer(5)] ?? 0)))
            }
        }
    }

    /// The payload of a message as the trace keeps it; nil where there is none of that number.
    ///
    /// - Returns: The payload, and whether it is the whole of it; else these are its first bytes.
    /// - Throws: ``TraceError`` with code `storage`.
    public func payload(
        of id: MessageID
    ) throws(TraceError) -> (bytes: [UInt8], isWhole: Bool)? {
        try reader.reported { () throws(StorageFault) in
            let statement = try kept(
                &payloadStatement, "SELECT payload, size FROM any_message WHERE id = ?")
            defer { statement.reset() }
            statement.bind(1, id.rawValue)
            guard try statement.step() else { return nil }
            let bytes = statement.bytes(0)
            return (bytes, statement.integer(1) <= Int64(bytes.count))
        }
    }
}
