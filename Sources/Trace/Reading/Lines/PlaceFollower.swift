internal import Dissection
public import Filters
internal import Storage
internal import Wire

/// Which rows a listing has, in its order, and which follow while the trace is being written.
///
/// Unlike ``TraceTail`` it passes on an exchange when it begins, and says when that has ended. What comes
/// later stands behind what came before, whenever it began.
public struct PlaceFollower: Sendable {
    private let filter: Filter?
    private let side: LineSide
    private let messages: ListedMessages
    private var last: (exchange: Int64, command: Int64, message: Int64)
    /// The changes that were looked at; nil before the first look.
    private var seen: Int64?
    /// Exchanges that are running, and those of them that were passed on.
    private var open: Set<Int64>
    private var passed: Set<Int64> = []

    /// What is new.
    public struct News: Hashable, Sendable {
        /// Rows that the listing has now, in the order of listings.
        public var added: [LinePlace] = []
        /// Exchanges passed on before that have ended.
        public var changed: [LinePlace] = []

        /// Whether nothing is.
        public var isEmpty: Bool { added.isEmpty && changed.isEmpty }
    }

    /// Begins with the present end of the trace, up to which ``existing(_:until:_:)`` reads.
    ///
    /// - Parameters:
    ///   - reader: Reads the trace.
    ///   - filter: Which rows; nil for all.
    ///   - side: Whose exchanges and commands.
    /// - Throws: ``TraceError`` with code `storage`.
    public init(
        _ reader: TraceReader, filter: Filter?, of side: LineSide
    ) throws(TraceError) {
        self.filter = filter
        self.side = side
        messages = ListedMessages(for: filter)
        last = try reader.lastNumbers()
        open = try reader.openExchanges(upTo: last.exchange)
    }

    /// Reads the rows that there were at the beginning; once, before any ``poll(_:)``.
    ///
    /// - Parameters:
    ///   - reader: Reads the same trace.
    ///   - isUnwanted: Asked now and then, also where there is no row for long; it ends once that is so.
    ///   - body: Receives each place and returns whether to go on.
    /// - Throws: ``TraceError`` with code `storage`.
    public mutating func existing(
        _ reader: TraceReader, until isUnwanted: @escaping () -> Bool = { false },
        _ body: (LinePlace) -> Bool
    ) throws(TraceError) {
        try existing(reader, .place, until: isUnwanted) { source, key in
            body(LinePlace(source.subject, key.id))
        }
    }

    /// Reads the rows that there were at the beginning, in full; once, before any ``poll(_:)``.
    ///
    /// - Parameters:
    ///   - reader: Reads the same trace.
    ///   - body: Receives each line and returns whether to go on.
    /// - Throws: ``TraceError`` with code `storage`.
    public mutating func existingLines(
        _ reader: TraceReader, _ body: (TraceLine) -> Bool
    ) throws(TraceError) {
        try existing(reader, .whole) { source, _ in body(source.line) }
    }

    private mutating func existing(
        _ reader: TraceReader, _ detail: LineDetail,
        until isUnwanted: @escaping () -> Bool = { false }, _ body: (LineSource, LineKey) -> Bool
    ) throws(TraceError) {
        let ranges = LineRanges(
            exchanges: 1...max(1, last.exchange), commands: 1...max(1, last.command),
            messages: 1...max(1, last.message))
        let open = open
        var passed = passed
        try reader.merged(
            filter, of: side, ranges, with: messages, detail, readsAhead: true,
            until: isUnwanted
        ) { source, key in
            if source.subject == .exchange, open.contains(key.id) { passed.insert(key.id) }
            return body(source, key)
        }
        self.passed = passed
    }

    /// Reads what has come since the last call.
    ///
    /// - Parameter reader: Reads the same trace; the same one each time.
    /// - Returns: What is new; empty where nothing is.
    /// - Throws: ``TraceError`` with code `storage`.
    public mutating func poll(_ reader: TraceReader) throws(TraceError) -> News {
        let changes = try reader.changesOfOthers()
        guard changes != seen else { return News() }
        seen = changes
        let now = try reader.lastNumbers()
        // The open ones are read first: one that ends in between is found by the next call.
        let stillOpen = try reader.openExchanges(
            among: open, after: last.exchange, upTo: now.exchange)
        var news = News()
        for id in open.subtracting(stillOpen).sorted() {
            if passed.remove(id) != nil {
                news.changed.append(LinePlace(.exchange, id))
            } else {
                try read(LineRanges(exchanges: id...id), reader, &news.added)
            }
        }
        let new = LineRanges(
            exchanges: Self.range(after: last.exchange, upTo: now.exchange),
            commands: Self.range(after: last.command, upTo: now.command),
            messages: Self.range(after: last.message, upTo: now.message))
        let before = news.added.count
        try read(new, reader, &news.added)
        for place in news.added[before...]
        where place.subject == .exchange && stillOpen.contains(place.id) {
            passed.insert(place.id)
        }
        open = stillOpen
        last = (
            max(last.exchange, now.exchange), max(last.command, now.command),
            max(last.message, now.message)
        )
        return news
    }

    private func read(
        _ ranges: LineRanges, _ reader: TraceReader, _ places: inout [LinePlace]
    ) throws(TraceError) {
        try reader.merged(
            filter, of: side, ranges, with: messages, .place, readsAhead: false
        ) { source, key in
            places.append(LinePlace(source.subject, key.id))
            return true
        }
    }

    private static func range(after first: Int64, upTo last: Int64) -> ClosedRange<Int64>? {
        first < last ? first + 1...last : nil
    }
}
