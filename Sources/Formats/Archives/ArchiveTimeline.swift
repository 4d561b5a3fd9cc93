public import Wire

/// Puts the records of archived exchanges in one order of time, exchange by exchange.
///
/// Holds the records of those exchanges that overlap, and no others, up to ``maxHeld``; beyond that
/// the earliest are given before their turn, so that what comes after may have happened before.
public struct ArchiveTimeline {
    /// The records of an exchange that are still to come, of which there is at least one.
    private struct Rest {
        var records: ArraySlice<ArchiveRecords.Timed>
        /// The ordinal of the exchange.
        let order: Int

        /// What decides on the order: the time of the next record, then that of the exchanges.
        var key: (Int64, Int) { (records.first?.at.nanoseconds ?? .max, order) }
    }

    /// The maximum number of bytes of buffered records, apart from those of one exchange: 256 MiB.
    public static let maxHeld = 256 << 20

    private let maker: ArchiveRecords
    private let nextConnection: () -> ConnectionID
    private let nextLeg: () -> LegID
    /// A heap, the earliest first.
    private var waiting: [Rest] = []
    private var count = 0
    /// Bytes of the buffered records, with the overhead of each.
    private(set) var held = 0
    /// ``maxHeld``, or less for tests.
    var limit = Self.maxHeld
    /// The time of the last record that was given.
    public private(set) var last = Instant.zero

    /// A timeline of a session that starts at this time.
    ///
    /// - Parameters:
    ///   - startedUnixNanoseconds: Start of the session, in nanoseconds since 1970 UTC.
    ///   - nextConnection: Gives out numbers of connections.
    ///   - nextLeg: Gives out numbers of legs.
    public init(
        startedUnixNanoseconds: Int64, nextConnection: @escaping () -> ConnectionID,
        nextLeg: @escaping () -> LegID
    ) {
        maker = ArchiveRecords(startedUnixNanoseconds: startedUnixNanoseconds)
        self.nextConnection = nextConnection
        self.nextLeg = nextLeg
    }

    /// Processes the next exchange; they come in order of their starts.
    ///
    /// - Returns: The records of earlier exchanges that happened before it.
    public mutating func add(_ exchange: ArchivedExchange) -> [Record] {
        let records = maker.records(
            of: exchange, connection: nextConnection(), client: nextLeg(), server: nextLeg())
        guard let first = records.first else { return [] }
        var earlier = take(before: first.at.nanoseconds)
        earlier += take(before: .max, until: limit)
        count += 1
        held += records.reduce(0) { $0 + Self.cost($1.record) }
        push(Rest(records: records[...], order: count))
        return earlier
    }

    /// The records that are left.
    public mutating func finish() -> [Record] { take(before: .max) }

    /// Removes the records before `end`, as long as more than `least` bytes are buffered.
    private mutating func take(before end: Int64, until least: Int = -1) -> [Record] {
        var taken: [Record] = []
        while held > least, var first = waiting.first, let next = first.records.first,
            next.at.nanoseconds < end
        {
            held -= Self.cost(next.record)
            taken.append(next.record)
            last = max(last, next.at)
            first.records = first.records.dropFirst()
            if first.records.isEmpty {
                let end = waiting.removeLast()
                if !waiting.isEmpty { sink(end) }
            } else {
                sink(first)
            }
        }
        return taken
    }

    private static func cost(_ record: Record) -> Int {
        if case .chunk(let chunk) = record { chunk.bytes.count + 256 } else { 256 }
    }

    // MARK: The heap

    private mutating func push(_ rest: Rest) {
        var index = waiting.count
        waiting.append(rest)
        while index > 0, waiting[index].key < waiting[(index - 1) / 2].key {
            waiting.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    /// Puts `rest` in the place of the first and restores the order.
    private mutating func sink(_ rest: Rest) {
        var index = 0
        waiting[0] = rest
        while true {
            var least = 2 * index + 1
            guard least < waiting.count else { return }
            if least + 1 < waiting.count, waiting[least + 1].key < waiting[least].key { least += 1 }
            guard waiting[least].key < waiting[index].key else { return }
            waiting.swapAt(index, least)
            index = least
        }
    }
}
