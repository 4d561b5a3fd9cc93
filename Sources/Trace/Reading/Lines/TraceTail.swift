internal import Dissection
public import Filters
internal import Storage
internal import Wire

/// Follows a trace that is being written.
///
/// Passes on every command, every message of the sockets that have no commands and every exchange
/// once, an exchange when it has ended.
public struct TraceTail {
    private let filter: Filter?
    private var exchange: Int64
    private var command: Int64
    private var message: Int64
    private let messages: ListedMessages
    /// Exchanges that were running when they were passed.
    private var open: Set<Int64> = []

    /// Follows `reader`'s trace from its present end on.
    ///
    /// - Parameters:
    ///   - reader: Reads the trace.
    ///   - filter: Which lines are wanted; nil for all.
    ///   - fromStart: Whether existing rows are passed on as well.
    /// - Throws: ``TraceError`` with code `storage`.
    public init(
        _ reader: TraceReader, filter: Filter? = nil, fromStart: Bool = false
    )
        throws(TraceError)
    {
        self.filter = filter
        messages = ListedMessages(for: filter)
        (exchange, command, message) = fromStart ? (0, 0, 0) : try reader.lastNumbers()
        if !fromStart { open = try reader.openExchanges(upTo: exchange) }
    }

    /// Passes on the rows since the last call, in order of time within one call.
    ///
    /// - Parameters:
    ///   - reader: Reads the same trace as before.
    ///   - body: Receives each line.
    /// - Throws: ``TraceError`` with code `storage`.
    public mutating func poll(
        _ reader: TraceReader, _ body: (TraceLine) -> Void
    )
        throws(TraceError)
    {
        let last = try reader.lastNumbers()
        // The open ones are read first: one that ends in between is found by the next call.
        let stillOpen = try reader.openExchanges(
            among: open, after: exchange, upTo: last.exchange)
        var lines: [TraceLine] = []
        for id in open.subtracting(stillOpen).sorted() {
            try reader.lines(filter, LineRanges(exchanges: id...id), with: .none) {
                lines.append($0)
                return true
            }
        }
        let new = LineRanges(
            exchanges: Self.range(after: exchange, upTo: last.exchange),
            commands: Self.range(after: command, upTo: last.command),
            messages: Self.range(after: message, upTo: last.message))
        try reader.lines(filter, new, with: messages) { line in
            if case .exchange(_, let row) = line, stillOpen.contains(row.id.rawValue) {
                return true
            }
            lines.append(line)
            return true
        }
        lines.sort { $0.precedes($1) }
        open = stillOpen
        (exchange, command) = (max(exchange, last.exchange), max(command, last.command))
        message = max(message, last.message)
        for line in lines { body(line) }
    }

    private static func range(after first: Int64, upTo last: Int64) -> ClosedRange<Int64>? {
        first < last ? first + 1...last : nil
    }
}

extension TraceReader {
    /// The running exchanges with numbers up to `last`.
    ///
    /// None of a session that has ended is running, nor of one that was killed and followed by
    /// another. Looks at all exchanges of the session that is recorded, 0.2 µs each: an index would
    /// be a page of the log for every commit.
    func openExchanges(upTo last: Int64) throws(TraceError) -> Set<Int64> {
        let first = try reported { () throws(StorageFault) -> Int64? in
            let end = try db.text("SELECT kind FROM event WHERE id = (SELECT max(id) FROM event)")
            guard end != EventRow.Kind.sessionEnded.rawValue else { return nil }
            let session = try db.integer("SELECT max(id) FROM session")
            let next = try db.prepare(
                "SELECT id, session_id FROM any_exchange WHERE id >= ? ORDER BY id LIMIT 1")
            var (low, high) = (Int64(0), last)
            while low < high {
                let middle = low + (high - low) / 2
                defer { next.reset() }
                next.bind(1, middle)
                guard try next.step() else { return nil }
                if next.integer(1) < session { low = next.integer(0) + 1 } else { high = middle }
            }
            return low
        }
        guard let first, first <= last else { return [] }
        return try openExchanges(in: first...last)
    }

    /// The running exchanges with numbers in a range; looks at all exchanges in it.
    private func openExchanges(in range: ClosedRange<Int64>) throws(TraceError) -> Set<Int64> {
        try reported { () throws(StorageFault) in
            Set(
                try list(
                    "SELECT id FROM http_exchange WHERE outcome = 'open' AND id BETWEEN ? AND ?",
                    [range.lowerBound, range.upperBound]
                ) { $0.integer(0) })
        }
    }

    /// The running exchanges among those that were running, and those that are new.
    ///
    /// Takes as long as they are many: a trace has millions of others.
    func openExchanges(
        among known: Set<Int64>, after first: Int64, upTo last: Int64
    ) throws(TraceError) -> Set<Int64> {
        var open = first < last ? try openExchanges(in: first + 1...last) : []
        for id in known where try !openExchanges(in: id...id).isEmpty { open.insert(id) }
        return open
    }
}
