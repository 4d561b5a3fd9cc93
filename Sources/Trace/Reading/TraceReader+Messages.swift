public import Dissection
public import Filters
internal import Storage
public import Wire

/// What the messages of a WebSocket have together.
public struct SocketSize: Hashable, Sendable {
    /// How many there are, pings and the like included.
    public var messages: Int64 = 0
    /// Bytes of the payloads that the client sent, inflated.
    public var clientBytes: Int64 = 0
    /// Bytes of the payloads that the server sent, inflated.
    public var serverBytes: Int64 = 0

    /// No message.
    package init() {}

    /// Counts a message; what is written in a file may be more than a number can be.
    mutating func count(_ bytes: Int64, fromClient: Bool) {
        messages += 1
        if fromClient { clientBytes &+= bytes } else { serverBytes &+= bytes }
    }
}

extension TraceReader {
    /// What the messages of each WebSocket have together, by the exchange that opened it.
    ///
    /// - Parameter side: Whose messages.
    /// - Returns: Those with messages.
    /// - Throws: ``TraceError`` with code `storage`.
    public func socketSizes(
        of side: LineSide = .client
    ) throws(TraceError) -> [ExchangeID: SocketSize] {
        try reported { () throws(StorageFault) in
            var sizes: [ExchangeID: SocketSize] = [:]
            // Summed here: SQLite would sort all of them first.
            let rows = try db.prepare(
                "SELECT m.exchange_id, m.sender, m.size FROM any_message m "
                    + "WHERE \(side.condition("m"))")
            while try rows.step() {
                let bytes = rows.integer(2)
                sizes[ExchangeID(rows.integer(0)), default: SocketSize()]
                    .count(bytes, fromClient: rows.integer(1) == 0)
            }
            return sizes
        }
    }

    /// The first messages of the WebSocket that an exchange opened.
    ///
    /// - Parameters:
    ///   - exchange: The exchange.
    ///   - limit: The maximum number of messages.
    /// - Returns: The messages in order, and how many there are.
    /// - Throws: ``TraceError`` with code `storage`.
    public func messages(
        of exchange: ExchangeRow, limit: Int
    ) throws(TraceError) -> (rows: [MessageRow], count: Int64) {
        try reported { () throws(StorageFault) in
            let condition =
                "FROM any_message m WHERE m.exchange_id = ?1 OR m.exchange_id = ?2 AND m.side = 'both'"
            let ids = [exchange.id.rawValue, exchange.counterpart?.rawValue ?? 0]
            let count = try list("SELECT count(*) \(condition)", ids) { $0.integer(0) }
            let rows = try list(
                "SELECT m.* \(condition) ORDER BY m.id LIMIT \(limit)", ids
            ) { Tables.message.row($0) }
            return (rows, count.first ?? 0)
        }
    }

    /// Passes on WebSocket messages in the order of their numbers, which is that of their last
    /// bytes.
    ///
    /// - Parameters:
    ///   - filter: Which; nil for all.
    ///   - body: Receives the session and the message, and returns whether to go on.
    /// - Throws: ``TraceError`` with code `storage`.
    public func messages(
        _ filter: Filter? = nil, _ body: (SessionID, MessageRow) -> Bool
    ) throws(TraceError) {
        try reported { () throws(StorageFault) in
            let condition = filter?.sql(for: .message) ?? .always
            guard condition != .never else { return }
            let statement = try db.prepare(
                "SELECT * FROM message m WHERE \(condition.text) AND m.id > ? AND m.id <= ? "
                    + "ORDER BY m.id")
            for (index, argument) in zip(Int32(1)..., condition.arguments) {
                statement.bind(index, argument)
            }
            let low = Int32(condition.arguments.count) + 1
            let end = try db.integer("SELECT max(id) FROM message")
            var last: Int64 = 0
            while last < end {
                // A few at a time, since they come with their payloads.
                let upper = min(end, last + 256)
                statement.bind(low, last)
                statement.bind(low + 1, upper)
                var page: [(SessionID, MessageRow)] = []
                while try statement.step() {
                    page.append((SessionID(statement.integer(1)), Tables.message.row(statement)))
                }
                for (session, row) in page where !body(session, row) { return }
                last = upper
            }
        }
    }
}
