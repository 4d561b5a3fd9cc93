internal import Dissection
public import Filters
internal import Storage
internal import Wire

/// Follows a trace that is being written.
///
/// Passes on every command and every exchange once, an exchange when it has ended.
public struct TraceTail {
    private let filter: Filter?
    private var exchange: Int64
    private var command: Int64
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
        (exchange, command) = fromStart ? (0, 0) : try reader.lastNumbers()
        if !fromStart { open = try reader.openExchanges(in: 0...exchange) }
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
        let stillOpen = try reader.openExchanges(in: 0...max(last.exchange, exchange))
        var lines: [TraceLine] = []
        for id in open.subtracting(stillOpen).sorted() {
            try reader.lines(filter, exchanges: id...id, commands: nil) {
                lines.append($0)
                return true
            }
        }
        let new = exchange < last.exchange ? exchange + 1...last.exchange : nil
        let commands = command < last.command ? command + 1...last.command : nil
        try reader.lines(filter, exchanges: new, commands: commands) { line in
            if case .exchange(_, let row) = line, stillOpen.contains(row.id.rawValue) {
                return true
            }
            lines.append(line)
            return true
        }
        lines.sort { $0.precedes($1) }
        open = stillOpen
        (exchange, command) = (max(exchange, last.exchange), max(command, last.command))
        for line in lines { body(line) }
    }
}

extension TraceReader {
    /// The running exchanges.
    func openExchanges(in range: ClosedRange<Int64>) throws(TraceError) -> Set<Int64> {
        try reported { () throws(StorageFault) in
            Set(
                try list(
                    "SELECT id FROM http_exchange WHERE outcome = 'open' AND id BETWEEN ? AND ?",
                    [range.lowerBound, range.upperBound]
                ) { $0.integer(0) })
        }
    }
}
