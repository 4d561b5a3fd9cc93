internal import CSQLite
internal import Dispatch
internal import Dissection
internal import Platform
internal import Storage
internal import Synchronization
internal import Wire

/// Builds full-text search of rows while they are written, on a thread and in a file of its own.
///
/// For traces that are made as a whole: nobody reads them before they are done, and the processor
/// that does not write has time. The file lies beside the trace, where there has to be room for the
/// index anyway, and has no name, so that nothing stays behind.
final class SearchBuilder {
    /// Texts in a row with the rows in `search` they are of.
    private struct Batch: Sendable {
        var texts: [UInt8] = []
        var rows: [(rowid: Int64, text: Range<Int>)] = []
    }

    /// The index so far, in a transaction that only ends with it.
    private struct Index {
        let db: Connection
        let add: Statement
        var failure: StorageFault?

        /// Words of rows in ascending order are collected in memory until they are many; a row before
        /// the last one ends that.
        mutating func add(_ batch: Batch) {
            guard failure == nil else { return }
            let rows = batch.rows.sorted { $0.rowid < $1.rowid }
            failure = batch.texts.withUnsafeBytes { [add] texts in
                do throws(StorageFault) {
                    for row in rows {
                        add.bind(1, row.rowid)
                        add.bind(
                            2, borrowed: UnsafeRawBufferPointer(rebasing: texts[row.text]),
                            asText: true)
                        try add.run()
                    }
                    return nil
                } catch {
                    return error
                }
            }
        }

        /// Ends the transaction, which writes the last words; whether all of them are there.
        func finish() -> Bool {
            guard failure == nil else { return false }
            return (try? db.execute("COMMIT")) != nil
        }

        /// Copies the tables that FTS5 keeps its index in.
        ///
        /// Into tables that are empty SQLite copies rows as they are stored.
        func publish(
            _ progress: SearchIndexer.Progress, into path: String, isUnseen: Bool
        ) throws(StorageFault) {
            let attach = try db.prepare("ATTACH ? AS trace")
            attach.bind(1, path)
            try attach.run()
            try db.execute(
                isUnseen
                    ? "PRAGMA trace.journal_mode = MEMORY; PRAGMA trace.synchronous = OFF"
                    : "PRAGMA trace.synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0")
            try db.transaction { () throws(StorageFault) in
                for table in ["search_data", "search_idx", "search_docsize"] {
                    try db.execute(
                        "DELETE FROM trace.\(table); INSERT INTO trace.\(table) SELECT * FROM \(table)"
                    )
                }
                let mark = try db.prepare("INSERT OR REPLACE INTO trace.progress VALUES (?, ?)")
                for (name, upto) in [("body", progress.body), ("message", progress.message)]
                where upto > 0 {
                    mark.bind(1, name)
                    mark.bind(2, upto)
                    try mark.run()
                }
            }
        }
    }

    /// What both threads use.
    private final class Work: Sendable {
        let index: Mutex<Index>
        let queue = BlockingWork.queue("search", .userInitiated)
        /// Whether another batch may be passed.
        let room = DispatchSemaphore(value: 1)

        init(_ index: sending Index) { self.index = Mutex(index) }
    }

    private let path: String
    private let isUnseen: Bool
    private let work: Work
    private var batch = Batch()
    private var progress = SearchIndexer.Progress()
    private let most: Int

    /// Begins an index for the trace at `path`; nil where no file can be made beside it.
    ///
    /// One that `isUnseen` until it is finished is written without durability. Texts of `most` bytes
    /// are sorted at a time, and words of about as many are collected in memory. Its file has at most
    /// so many `pages`, of ``TraceFile/pageSize`` bytes each.
    init?(
        beside path: String, isUnseen: Bool = false, atOnce most: Int = 4 << 20,
        pages: Int64 = 1 << 31
    ) {
        self.most = most
        self.path = path
        self.isUnseen = isUnseen
        guard let folder = try? Folder.makeBeside(Folder.absolute(path)) else { return nil }
        defer { Folder.remove(folder) }
        do {
            work = Work(try Self.open(folder + "/search", most, pages))
        } catch {
            return nil
        }
    }

    private static func open(
        _ path: String, _ most: Int, _ pages: Int64
    ) throws(StorageFault) -> Index {
        let db = try Connection(path: path, flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
        try db.splitWords()
        try db.execute(
            """
            PRAGMA page_size = \(TraceFile.pageSize);
            PRAGMA journal_mode = OFF;
            PRAGMA synchronous = OFF;
            PRAGMA max_page_count = \(pages);
            \(Schema.search)
            BEGIN;
            INSERT INTO search(search, rank) VALUES ('hashsize', \(most)), ('automerge', 0);
            """)
        return Index(db: db, add: try db.prepare("INSERT INTO search(rowid, text) VALUES (?, ?)"))
    }

    /// Takes a row that was written; waits while the thread is behind.
    func add(_ row: borrowing DerivedRow) {
        switch row {
        case .body(let row):
            progress.body = max(progress.body, row.number)
            if row.isText { add(2 * row.number, row.content) }
        case .message(let row):
            progress.message = max(progress.message, row.id.rawValue)
            if row.isText { add(2 * row.id.rawValue + 1, row.payload) }
        case .exchange, .part, .openRosa, .caseBlock, .frame, .command, .change, .note: break
        }
    }

    private func add(_ rowid: Int64, _ text: [UInt8]) {
        guard !text.isEmpty else { return }
        let start = batch.texts.count
        batch.texts += text
        batch.rows.append((rowid, start..<batch.texts.count))
        if batch.texts.count >= most { pass() }
    }

    private func pass() {
        let full = batch
        batch = Batch()
        work.room.wait()
        work.queue.async { [work] in
            work.index.withLock { $0.add(full) }
            work.room.signal()
        }
    }

    /// Writes the index of all rows so far into the trace, which has none, in one transaction.
    ///
    /// Connections that have used `search` go on with what they know of it.
    ///
    /// - Returns: False where the index could not be built, and the trace is as it was.
    @discardableResult func publish() throws(StorageFault) -> Bool {
        pass()
        work.queue.sync {}
        let (path, isUnseen, progress) = (path, isUnseen, progress)
        return try work.index.withLock { (index) throws(StorageFault) -> Bool in
            guard index.finish() else { return false }
            try index.publish(progress, into: path, isUnseen: isUnseen)
            return true
        }
    }
}
