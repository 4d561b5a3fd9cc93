public import Filters
internal import Storage
internal import Wire

extension TraceReader {
    /// Passes on exchanges, Simperium commands and WebSocket messages in order of session and time.
    ///
    /// - Parameters:
    ///   - filter: Which; nil for all.
    ///   - messages: Which messages are among them.
    ///   - side: Whose conversation.
    ///   - limit: The maximum number of lines; nil for no bound.
    ///   - body: Receives each line and returns whether to go on.
    /// - Throws: ``TraceError`` with code `storage`.
    public func lines(
        _ filter: Filter? = nil, with messages: ListedMessages = .none,
        of side: LineSide = .client, limit: Int? = nil, _ body: (TraceLine) -> Bool
    ) throws(TraceError) {
        let all = 1...Int64.max
        try lines(
            filter, of: side, LineRanges(exchanges: all, commands: all, messages: all),
            with: messages, limit: limit, body)
    }

    func lines(
        _ filter: Filter?, of side: LineSide = .client, _ ranges: LineRanges,
        with messages: ListedMessages, openToo: Bool = true, limit: Int? = nil,
        _ body: (TraceLine) -> Bool
    ) throws(TraceError) {
        try reported { () throws(StorageFault) in
            var sources: [LineSource] = []
            for (subject, range) in ranges.bySubject {
                guard let range,
                    let source = try LineSource(
                        db, subject, of: side, filter, range, openToo: openToo, messages: messages)
                else { continue }
                sources.append(source)
            }
            var left = limit ?? .max
            while left > 0 {
                var next: (line: TraceLine, source: LineSource)?
                for source in sources {
                    guard let line = try source.peek() else { continue }
                    if let found = next, !line.precedes(found.line) { continue }
                    next = (line, source)
                }
                guard let next else { return }
                next.source.pop()
                left -= 1
                guard body(next.line) else { return }
            }
        }
    }

    /// The numbers of the last exchange, command and message, 0 for none.
    public func lastNumbers() throws(TraceError) -> (
        exchange: Int64, command: Int64, message: Int64
    ) {
        try reported { () throws(StorageFault) in
            (
                try db.integer("SELECT max(id) FROM any_exchange"),
                try db.integer("SELECT max(id) FROM any_command"),
                try db.integer("SELECT max(id) FROM any_message")
            )
        }
    }
}
