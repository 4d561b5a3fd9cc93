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
        try lines(filter, of: side, .all, with: messages, limit: limit, body)
    }

    func lines(
        _ filter: Filter?, of side: LineSide = .client, _ ranges: LineRanges,
        with messages: ListedMessages, _ detail: LineDetail = .whole, openToo: Bool = true,
        limit: Int? = nil, readsAhead: Bool = false, _ body: (TraceLine) -> Bool
    ) throws(TraceError) {
        try merged(
            filter, of: side, ranges, with: messages, detail, openToo: openToo, limit: limit,
            readsAhead: readsAhead
        ) { source, _ in body(source.line) }
    }

    func merged(
        _ filter: Filter?, of side: LineSide, _ ranges: LineRanges, with messages: ListedMessages,
        _ detail: LineDetail, openToo: Bool = true, limit: Int? = nil, readsAhead: Bool,
        until isUnwanted: @escaping () -> Bool = { false }, _ body: (LineSource, LineKey) -> Bool
    ) throws(TraceError) {
        try reported { () throws(StorageFault) in
            var sources: [LineSource] = []
            for (subject, range) in ranges.bySubject {
                guard let range,
                    let source = try LineSource(
                        db, subject, of: side, filter, range, detail, openToo: openToo,
                        messages: messages, ahead: readsAhead ? path : nil, until: isUnwanted)
                else { continue }
                sources.append(source)
            }
            var left = limit ?? .max
            while left > 0 {
                var next: (place: (key: LineKey, rank: Int), source: LineSource)?
                for source in sources {
                    guard let place = try source.peek() else { continue }
                    if let found = next, !Self.precedes(place, found.place) { continue }
                    next = (place, source)
                }
                guard let (place, source) = next else { return }
                left -= 1
                guard body(source, place.key) else { return }
                source.pop()
            }
        }
    }

    /// By session, time and kind, as ``TraceLine/precedes(_:)`` has it.
    private static func precedes(
        _ one: (key: LineKey, rank: Int), _ other: (key: LineKey, rank: Int)
    ) -> Bool {
        if one.key.session != other.key.session { return one.key.session < other.key.session }
        return one.key.at == other.key.at ? one.rank < other.rank : one.key.at < other.key.at
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
