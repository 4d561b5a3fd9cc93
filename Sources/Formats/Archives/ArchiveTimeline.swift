public import Trace
public import Wire

/// Puts the records of archived exchanges in one order of time, exchange by exchange.
///
/// Holds the records of those exchanges that overlap, and no others, up to ``maxHeld``. Beyond that
/// it keeps of an exchange only when it goes on, and reads it again then.
public struct ArchiveTimeline {
    /// Reads an exchange of the archive again.
    public typealias Reading = () throws(FileError) -> ArchivedExchange

    /// Takes records, with the time of the last of them.
    public typealias Putting = ([Record], Instant) throws(FileError) -> Void

    /// The records of an exchange that are still to come, of which there is at least one.
    private struct Rest {
        /// The records; empty where the exchange is read again for them.
        var records: ArraySlice<ArchiveRecords.Timed>
        /// When the next of them happened.
        var next: Int64
        /// How many were given.
        var given = 0
        /// The ordinal of the exchange.
        let order: Int
        let connection: ConnectionID
        let client: LegID
        let server: LegID
        let read: Reading

        /// What decides on the order: the time of the next record, then that of the exchanges.
        var key: (Int64, Int) { (next, order) }

        /// The memory of its records, in bytes.
        var cost: Int { records.reduce(0) { $0 + ArchiveTimeline.cost($1.record) } }
    }

    /// The maximum number of bytes of buffered records, apart from those of one exchange: 64 MiB.
    public static let maxHeld = 64 << 20

    private let maker: ArchiveRecords
    private let nextConnection: () -> ConnectionID
    private let nextLeg: () -> LegID
    /// A heap, the earliest first.
    private var waiting: [Rest] = []
    private var count = 0
    /// Bytes of the buffered records, with the overhead of each.
    private(set) var held = 0
    /// The maximum number of exchanges that run at once: 4096; of more, the earliest are given to
    /// their end before their turn, so that what comes after may have happened before.
    public static let maxOpen = 4_096
    /// ``maxOpen``, or less for tests.
    var maxOpen = Self.maxOpen
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
    /// - Parameters:
    ///   - exchange: The exchange.
    ///   - put: Gets the records of earlier exchanges that happened before it, in pieces.
    ///   - read: Reads it again, where it has to wait for long.
    /// - Throws: What `put` and the reading of an exchange throw.
    public mutating func add(
        _ exchange: ArchivedExchange, put: Putting,
        read: @escaping Reading
    ) throws(FileError) {
        let numbers = (connection: nextConnection(), client: nextLeg(), server: nextLeg())
        let records = maker.records(
            of: exchange, connection: numbers.connection, client: numbers.client,
            server: numbers.server)
        guard let first = records.first else { return }
        try take(before: first.at.nanoseconds, put)
        count += 1
        var rest = Rest(
            records: records[...], next: first.at.nanoseconds, order: count,
            connection: numbers.connection, client: numbers.client, server: numbers.server,
            read: read)
        let cost = rest.cost
        // One alone is given at once.
        if waiting.isEmpty || held + cost <= limit { held += cost } else { rest.records = [] }
        push(rest)
        // Each keeps what decodes it busy until it ends.
        while waiting.count > maxOpen { try takeFirst(put) }
    }

    /// Gives the records that are left.
    ///
    /// - Parameter put: Gets them, in pieces.
    /// - Throws: What `put` and the reading of an exchange throw.
    public mutating func finish(
        _ put: Putting
    ) throws(FileError) {
        try take(before: .max, put)
    }

    /// Gives all records of the exchange that goes on first.
    private mutating func takeFirst(_ put: Putting) throws(FileError) {
        guard var first = waiting.first else { return }
        try load(&first)
        held -= first.cost
        last = max(last, first.records.last?.at ?? last)
        removeFirst()
        try put(first.records.map(\.record), last)
    }

    /// Reads an exchange again, where its records were not kept.
    private mutating func load(_ rest: inout Rest) throws(FileError) {
        guard rest.records.isEmpty else { return }
        rest.records =
            maker.records(
                of: try rest.read(), connection: rest.connection, client: rest.client,
                server: rest.server
            ).dropFirst(rest.given)
        held += rest.cost
        // The exchange was another when it was read first.
        guard !rest.records.isEmpty else { throw Self.hasChanged }
    }

    private mutating func removeFirst() {
        let end = waiting.removeLast()
        if !waiting.isEmpty { sink(end) }
    }

    /// Gives the records before `end`.
    private mutating func take(
        before end: Int64, _ put: Putting
    ) throws(FileError) {
        var taken: [Record] = []
        var size = 0
        while var first = waiting.first, first.next < end {
            try load(&first)
            guard let next = first.records.popFirst() else { throw Self.hasChanged }
            let cost = Self.cost(next.record)
            held -= cost
            size += cost
            taken.append(next.record)
            last = max(last, next.at)
            first.given += 1
            if let following = first.records.first {
                first.next = following.at.nanoseconds
                if held > limit, isOvertaken(first.key) {
                    held -= first.cost
                    first.records = []
                }
                sink(first)
            } else {
                removeFirst()
            }
            if size > Self.piece {
                try put(taken, last)
                taken = []
                size = 0
            }
        }
        try put(taken, last)
    }

    /// Bytes of records that are given at once.
    private static let piece = 1 << 20

    private static let hasChanged = FileError(
        .storage, "the archive changed while it was read; try again")

    /// The memory of a record, roughly: as it is in an array that grew, with its texts.
    private static func cost(_ record: Record) -> Int {
        let own = 2 * MemoryLayout<ArchiveRecords.Timed>.stride + 128
        return if case .chunk(let chunk) = record { chunk.bytes.count + own } else { own }
    }

    /// Whether another exchange goes on before one that is the first now would.
    private func isOvertaken(_ key: (Int64, Int)) -> Bool {
        waiting.dropFirst().prefix(2).contains { $0.key < key }
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
