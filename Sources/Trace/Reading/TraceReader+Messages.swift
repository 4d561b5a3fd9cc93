public import Dissection
public import Filters
internal import Storage
public import Wire

extension TraceReader {
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
