internal import Storage
internal import Wire

/// Keeps a trace within its bounds by deleting the oldest.
///
/// A line moves through the chunks in order of arrival. A connection that ended is evicted as a
/// whole when the line has passed its last chunk. Of any other, the part that the line has passed
/// is evicted: ended exchanges and messages with the chunks that hold nothing else, while the
/// exchange that opened a WebSocket or a tunnel stays with its chunks. The line moves by bytes, in
/// small steps, so that no more is evicted than necessary; the newest complete exchange is skipped
/// unless the size cannot be kept otherwise. Everything evicted is counted in gap rows: one for
/// each direction of a connection of which something stays, one for each direction of a session for
/// the connections that were evicted as a whole.
final class Retention {
    /// How much was evicted.
    struct Amount: Hashable {
        var chunks: Int64 = 0
        var bytes: Int64 = 0

        mutating func add(_ other: Self) {
            chunks += other.chunks
            bytes += other.bytes
        }
    }

    private let db: Connection
    private let indexer: SearchIndexer
    private let deletion: Deletion
    private let trimming: Trimming
    private let gaps: EvictedGaps
    private let bound: SizeBound?
    private let keepLast: Int64?
    /// Chunks up to this one were checked.
    private var line: Int64 = 0
    /// Connections that were cut, and of which something may be left.
    private var cut: Set<Int64> = []
    /// The connection whose newest exchange was skipped.
    private var spared: Int64?
    /// Connections up to this one were checked for having no chunk.
    private var connectionLine: Int64 = 0
    private let ages: SessionAges
    private let touched: Statement
    private let lastChunk: Statement
    private let silent: Statement
    private let next: Statement
    private let sizes: Statement
    private let newest: NewestExchange
    private let forget: Statement
    private let packets: PacketRetention
    private let shipped: ShippedBound
    private let evictsUnshipped: Bool
    /// The last chunk that may be evicted; nil for no bound.
    private var lastShipped: Int64?

    /// What the user has to know about rows that were not shipped.
    enum Unshipped: Hashable {
        /// The trace is beyond its size because of them.
        case kept
        /// They were evicted.
        case evicted
    }

    /// What happened last with rows that were not shipped; nil for nothing.
    private(set) var unshipped: Unshipped?

    /// Chunks that the line moves over in one transaction.
    private static let stride: Int64 = 256

    /// Keeps file and log within `maxSize` bytes, and nothing for longer than `keepLast`
    /// nanoseconds.
    ///
    /// - Parameters:
    ///   - db: The trace.
    ///   - indexer: The full-text search.
    ///   - maxSize: Bytes; nil for no bound.
    ///   - keepLast: Nanoseconds; nil for ever.
    ///   - shipped: What may be evicted, where the trace is shipped.
    ///   - evictsUnshipped: Whether more than that may be.
    /// - Throws: The error of SQLite.
    init(
        _ db: Connection, indexer: SearchIndexer, maxSize: Int64?, keepLast: Int64?,
        shipped: ShippedBound, evictsUnshipped: Bool
    )
        throws(StorageFault)
    {
        self.shipped = shipped
        self.evictsUnshipped = evictsUnshipped
        self.db = db
        self.indexer = indexer
        try db.execute(Schema.indexesByConnection)
        bound = maxSize.map { SizeBound($0) }
        self.keepLast = keepLast
        deletion = try Deletion(db, indexer: indexer)
        gaps = try EvictedGaps(db)
        trimming = try Trimming(db, deletion: deletion, gaps: gaps)
        ages = try SessionAges(db)
        touched = try db.prepare(
            "SELECT DISTINCT connection_id FROM chunk WHERE id > ? AND id <= ?")
        lastChunk = try db.prepare("SELECT max(id) FROM chunk WHERE connection_id = ?")
        silent = try db.prepare(
            """
            SELECT id FROM connection WHERE id > ? AND after_chunk_id <= ? ORDER BY id LIMIT 1000
            """)
        next = try db.prepare(
            "SELECT max(id) FROM (SELECT id FROM chunk WHERE id > ? ORDER BY id LIMIT ?)"
        )
        sizes = try db.prepare(
            "SELECT id, length(bytes) FROM chunk WHERE id > ? ORDER BY id LIMIT 512")
        newest = try NewestExchange(db)
        forget = try db.prepare(
            """
            INSERT INTO progress VALUES ('forgotten', ?)
            ON CONFLICT(name) DO UPDATE SET upto = excluded.upto
            """)
        packets = try PacketRetention(
            db, session: try db.integer("SELECT max(id) FROM session"))
        deletion.forgotten = try db.integer(
            "SELECT upto FROM progress WHERE name = 'forgotten'")
        // Debian's SQLite overwrites deleted data with zeros; here it would double the log.
        try db.execute("PRAGMA secure_delete = FAST")
        if let bound {
            try db.execute("PRAGMA journal_size_limit = \(min(bound.limit / 16, 8 << 20))")
        }
    }

    /// Bytes of the file that hold something.
    private func used() throws(StorageFault) -> Int64 {
        let pages = try db.integer("PRAGMA page_count")
        let free = try db.integer("PRAGMA freelist_count")
        return (pages - free) * (try db.integer("PRAGMA page_size"))
    }

    /// Deletes what is beyond the bounds.
    ///
    /// `unixNow` is the wall clock in nanoseconds since 1970; `isOver` is called after every
    /// transaction, so that writing is not delayed for long.
    func run(
        _ writer: SessionWriter, living: LivingConnections, unixNow: Int64, until isOver: () -> Bool
    ) throws(StorageFault) -> Amount {
        var amount = Amount()
        lastShipped = shipped.last()
        unshipped = nil
        try renewSearch()
        try shrink(writer, living, &amount, until: isOver)
        if let keepLast {
            let limit = unixNow - keepLast
            var isMore = true
            while isMore, !isOver() {
                try writer.transaction(deletes: true) { _ throws(StorageFault) in
                    isMore = try packets.delete(olderThan: limit)
                }
            }
            for stride in [Self.stride, Self.stride / 16, 1] {
                while !isOver(), let to = try nextLine(stride), try ages.isOlder(to, than: limit) {
                    try move(to, keeping: nil, writer, living, &amount)
                }
            }
        }
        return amount
    }

    /// Evicts the oldest until the size is kept.
    private func shrink(
        _ writer: SessionWriter, _ living: LivingConnections, _ amount: inout Amount,
        until isOver: () -> Bool
    ) throws(StorageFault) {
        guard let bound, try used() > bound.high else { return }
        let kept = try newest.find()
        while case let used = try used(), used > bound.low {
            // Writing waits only when the bound itself is near.
            if isOver(), used <= bound.high { break }
            if let kept, line >= kept.firstChunk, used <= bound.low(sparing: kept) { break }
            if let to = try nextLine(worth: bound.step) {
                try move(to, keeping: kept, writer, living, &amount)
            } else if try letPacketsGo(writer) {
                // Packets between the last chunks and of no stream at all.
                continue
            } else if used > bound.limit, kept != nil, spared == kept?.connection {
                try move(line, keeping: nil, writer, living, &amount)
                break
            } else {
                break
            }
            try renewSearch()
        }
    }

    /// Evicts the oldest packets; returns whether there were any.
    private func letPacketsGo(_ writer: SessionWriter) throws(StorageFault) -> Bool {
        var wereThere = false
        try writer.transaction(deletes: true) { _ throws(StorageFault) in
            wereThere = try packets.deleteOldest()
        }
        return wereThere
    }

    /// Restarts full-text search when it is full of words of evicted rows.
    private func renewSearch() throws(StorageFault) {
        guard deletion.forgotten > 0, try deletion.forgotten > used() / 4 else { return }
        try indexer.startOver()
        deletion.forgotten = 0
    }

    /// The chunk that the line can move to next, over `stride` chunks at most.
    private func nextLine(_ stride: Int64 = stride) throws(StorageFault) -> Int64? {
        next.bind(1, line)
        next.bind(2, stride)
        defer { next.reset() }
        guard try next.step() else { return nil }
        return next.optionalInteger(0).flatMap(allowed)
    }

    /// The chunk `to`, or the last one before it that may be evicted; nil without any.
    private func allowed(_ to: Int64) -> Int64? {
        guard let lastShipped, to > lastShipped else { return to }
        if evictsUnshipped {
            unshipped = .evicted
            return to
        }
        if lastShipped > line { return lastShipped }
        unshipped = .kept
        return nil
    }

    /// The chunk that the line can move to next, so that about `bytes` are freed.
    private func nextLine(worth bytes: Int64) throws(StorageFault) -> Int64? {
        sizes.bind(1, line)
        defer { sizes.reset() }
        var to: Int64?
        var cost: Int64 = 0
        while cost < bytes, try sizes.step() {
            to = sizes.integer(0)
            cost += SizeBound.cost(ofChunk: sizes.integer(1))
        }
        return to.flatMap(allowed)
    }

    /// Moves the line, and deletes what it passes apart from `kept`.
    private func move(
        _ to: Int64, keeping kept: NewestExchange.Kept?, _ writer: SessionWriter,
        _ living: LivingConnections, _ amount: inout Amount
    ) throws(StorageFault) {
        var gone = Amount()
        var nowCut = cut
        var nowSpared: Int64?
        var nowConnectionLine = connectionLine
        try writer.transaction(deletes: true) { position throws(StorageFault) in
            touched.bind(1, line)
            touched.bind(2, to)
            var connections: Set<Int64> = []
            while try touched.step() { connections.insert(touched.integer(0)) }
            connections.formUnion(cut.filter { !living.contains($0) })
            connections.formUnion(try silentConnections(upto: to, &nowConnectionLine))
            if let spared { connections.insert(spared) }
            for connection in connections.sorted() {
                let spare = kept.flatMap { $0.connection == connection ? $0 : nil }
                if spare == nil, !living.contains(connection), try last(of: connection) <= to {
                    gone.add(try gaps.close(connection, &position))
                    try deletion.connection(connection)
                    nowCut.remove(connection)
                } else {
                    gone.add(
                        try trimming.trim(connection, upto: to, keeping: spare, &position))
                    nowCut.insert(connection)
                    if spare != nil { nowSpared = connection }
                }
            }
            try packets.delete(upto: to)
            forget.bind(1, deletion.forgotten)
            try forget.run()
        }
        line = to
        cut = nowCut
        spared = nowSpared
        connectionLine = nowConnectionLine
        amount.chunks += gone.chunks
        amount.bytes += gone.bytes
    }

    /// Connections before the line, which may have no chunk.
    private func silentConnections(
        upto: Int64, _ line: inout Int64
    ) throws(StorageFault)
        -> [Int64]
    {
        silent.bind(1, line)
        silent.bind(2, upto)
        var found: [Int64] = []
        while try silent.step() { found.append(silent.integer(0)) }
        if let last = found.last { line = last }
        return found
    }

    private func last(of connection: Int64) throws(StorageFault) -> Int64 {
        lastChunk.bind(1, connection)
        defer { lastChunk.reset() }
        return try lastChunk.step() ? lastChunk.integer(0) : 0
    }
}
