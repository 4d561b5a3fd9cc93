internal import Wire

/// Keeps a trace within its bounds by letting the oldest go.
///
/// A line moves through the chunks in order of arrival. A connection that ended is let go as a
/// whole when the line has passed its last chunk. Of one that lives, what the line has passed goes:
/// exchanges that ended and messages with the chunks that hold nothing else, while the exchange
/// that opened a WebSocket or a tunnel stays with its chunks. Everything that goes is counted in
/// gap rows: one for each direction of a connection that lives, one for each direction of a session
/// for the connections that went as a whole.
final class LettingGo {
    /// How much was let go.
    struct Amount: Hashable {
        var chunks: Int64 = 0
        var bytes: Int64 = 0
    }

    private let db: Connection
    private let indexer: SearchIndexer
    private let deletion: Deletion
    private let trimming: Trimming
    private let gaps: LetGoGaps
    private let maxSize: Int64?
    private let keepLast: Int64?
    /// Chunks up to this one were looked at.
    private var line: Int64 = 0
    /// Connections that live and were cut.
    private var cut: Set<Int64> = []
    /// Connections up to this one were looked at for lack of any chunk.
    private var connectionLine: Int64 = 0
    private let ages: SessionAges
    private let touched: Statement
    private let lastChunk: Statement
    private let silent: Statement
    private let next: Statement
    private let forget: Statement

    /// Chunks that the line moves over in one transaction.
    private static let stride: Int64 = 256

    /// Keeps file and log within `maxSize` bytes, and nothing for longer than `keepLast`
    /// nanoseconds.
    init(
        _ db: Connection, indexer: SearchIndexer, maxSize: Int64?, keepLast: Int64?
    )
        throws(StorageFault)
    {
        self.db = db
        self.indexer = indexer
        self.maxSize = maxSize.map { max($0, 4 << 20) }
        self.keepLast = keepLast
        deletion = try Deletion(db, indexer: indexer)
        gaps = try LetGoGaps(db)
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
        forget = try db.prepare(
            """
            INSERT INTO progress VALUES ('forgotten', ?)
            ON CONFLICT(name) DO UPDATE SET upto = excluded.upto
            """)
        deletion.forgotten = try db.integer(
            "SELECT upto FROM progress WHERE name = 'forgotten'")
        if let maxSize = self.maxSize {
            // The log lies beside the file and counts as well.
            let pages = max(64, maxSize / 16 / (try db.integer("PRAGMA page_size")))
            try db.execute("PRAGMA wal_autocheckpoint = \(min(pages, 1024))")
            try db.execute("PRAGMA journal_size_limit = \(maxSize / 16)")
        }
    }

    /// Bytes of the file that hold something.
    private func used() throws(StorageFault) -> Int64 {
        let pages = try db.integer("PRAGMA page_count")
        let free = try db.integer("PRAGMA freelist_count")
        return (pages - free) * (try db.integer("PRAGMA page_size"))
    }

    /// Lets go what is beyond the bounds.
    ///
    /// `unixNow` is the wall clock in nanoseconds since 1970; `isOver` is asked after every
    /// transaction, so that writing is not held up for long.
    func run(
        _ writer: SessionWriter, living: LivingConnections, unixNow: Int64, until isOver: () -> Bool
    ) throws(StorageFault) -> Amount {
        var amount = Amount()
        try renewSearch()
        if let maxSize, try used() > maxSize / 10 * 8 {
            while case let used = try used(), used > maxSize / 10 * 7 {
                // Writing waits only when the bound itself is near.
                if isOver(), used <= maxSize / 10 * 8 { break }
                guard let to = try nextLine() else { break }
                try move(to, writer, living, &amount)
                try renewSearch()
            }
        }
        if let keepLast {
            let limit = unixNow - keepLast
            for stride in [Self.stride, Self.stride / 16, 1] {
                while !isOver(), let to = try nextLine(stride), try ages.isOlder(to, than: limit) {
                    try move(to, writer, living, &amount)
                }
            }
        }
        return amount
    }

    /// Starts full-text search over when it is full of words that are gone.
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
        return next.optionalInteger(0)
    }

    private func move(
        _ to: Int64, _ writer: SessionWriter, _ living: LivingConnections, _ amount: inout Amount
    ) throws(StorageFault) {
        var gone = Amount()
        var nowCut = cut
        var nowConnectionLine = connectionLine
        try writer.transaction { position throws(StorageFault) in
            touched.bind(1, line)
            touched.bind(2, to)
            var connections: Set<Int64> = []
            while try touched.step() { connections.insert(touched.integer(0)) }
            connections.formUnion(cut.filter { !living.contains($0) })
            connections.formUnion(try silentConnections(upto: to, &nowConnectionLine))
            for connection in connections.sorted() {
                if living.contains(connection) {
                    gone.add(try trimming.trim(connection, upto: to, &position))
                    nowCut.insert(connection)
                } else if try last(of: connection) <= to {
                    gone.add(try gaps.close(connection, &position))
                    try deletion.connection(connection)
                    nowCut.remove(connection)
                }
            }
            forget.bind(1, deletion.forgotten)
            try forget.run()
        }
        line = to
        cut = nowCut
        connectionLine = nowConnectionLine
        amount.chunks += gone.chunks
        amount.bytes += gone.bytes
    }

    /// Connections that came before the line, which may have no chunk by which to find them.
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

extension LettingGo.Amount {
    fileprivate mutating func add(_ other: Self) {
        chunks += other.chunks
        bytes += other.bytes
    }
}
