internal import Storage
public import Wire

/// The parts of a trace that can be left out separately.
///
/// Connections, with all that belongs to them; exchanges, apart from those that made a tunnel or
/// opened a WebSocket, on which everything after them depends; WebSocket messages. Where the sides
/// differ, these are the rows of the client's side, and those of the server's that correspond to
/// none: with each goes the one of the other side that corresponds to it.
public struct TraceUnits: Hashable, Sendable {
    /// An exchange.
    public struct Exchange: Hashable, Sendable {
        /// Its number.
        public var id: ExchangeID
        /// The connection it went over.
        public var connection: ConnectionID
    }

    /// A WebSocket message.
    public struct Message: Hashable, Sendable {
        /// Its number.
        public var id: MessageID
        /// The connection it went over.
        public var connection: ConnectionID
        /// Channel of its first Simperium command; nil where it has none.
        public var channel: Int?
        /// Bucket of the object that its only command is about; nil without one.
        public var bucket: String?
        /// Key of that object.
        public var key: String?
    }

    /// All connections, in order.
    public var connections: [ConnectionID] = []
    /// All exchanges that can be left out, in order.
    public var exchanges: [Exchange] = []
    /// All messages that can be left out, in order.
    public var messages: [Message] = []

    /// The units of the trace at `path`.
    ///
    /// - Throws: ``FileError`` where it is not a trace, or one of another format.
    public init(of path: String) throws(FileError) {
        self = try mappingErrors(of: path) { () throws -> Self in
            let db = try TraceCut.open(path)
            defer { db.close() }
            return try Self(db)
        }
    }

    private init(_ db: Connection) throws {
        let connection = try db.prepare("SELECT id FROM connection ORDER BY id")
        while try connection.step() { connections.append(ConnectionID(connection.integer(0))) }
        // Rows of which the bytes were evicted cannot be built again without some of them.
        let whole = "connection_id NOT IN (SELECT connection_id FROM gap WHERE reason = 'evicted')"
        func own(_ row: String) -> String {
            "(\(row).side <> 'server' OR \(row).counterpart_id IS NULL)"
        }
        let exchange = try db.prepare(
            """
            SELECT x.id, x.connection_id FROM any_exchange x
            WHERE x.status IS NOT 101 AND x.method <> 'CONNECT' AND \(whole) AND \(own("x"))
              AND NOT EXISTS (SELECT 1 FROM any_exchange o
                WHERE o.id = x.counterpart_id AND (o.status IS 101 OR o.method = 'CONNECT'))
            ORDER BY x.id
            """)
        while try exchange.step() {
            exchanges.append(
                Exchange(
                    id: ExchangeID(exchange.integer(0)),
                    connection: ConnectionID(exchange.integer(1))))
        }
        // A compressed message that is incomplete in the trace cannot be rewritten, which is
        // required after a missing one.
        let message = try db.prepare(
            """
            SELECT m.id, m.connection_id, (SELECT c.channel FROM any_command c
                WHERE c.message_id = m.id ORDER BY c.id LIMIT 1), k.bucket, k.key
            FROM any_message m LEFT JOIN (SELECT message_id, max(bucket) bucket, max(key) key
                FROM any_command GROUP BY message_id HAVING count(*) = 1 AND count(key) = 1
              ) k ON k.message_id = m.id WHERE \(whole) AND \(own("m")) AND NOT EXISTS (
              SELECT 1 FROM any_message o WHERE o.connection_id = m.connection_id AND o.compressed
                AND o.size > length(CAST(o.payload AS BLOB))) ORDER BY m.id
            """)
        while try message.step() {
            messages.append(
                Message(
                    id: MessageID(message.integer(0)),
                    connection: ConnectionID(message.integer(1)),
                    channel: message.optionalInteger(2).map(Int.init),
                    bucket: message.optionalString(3), key: message.optionalString(4)))
        }
    }
}
