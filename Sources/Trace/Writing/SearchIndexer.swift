internal import Dissection
internal import Storage
internal import Wire

/// Builds full-text search after the commits, a slice at a time.
final class SearchIndexer {
    /// Its progress.
    struct Progress: Hashable {
        /// Last `body.id` that is done.
        var body: Int64 = 0
        /// Last `message.id` that is done.
        var message: Int64 = 0
    }

    private let db: Connection
    private(set) var progress = Progress()
    private let nextBody: Statement
    private let nextMessage: Statement
    private let nextLate: Statement
    private let lateBody: Statement
    private let lateMessage: Statement
    private let add: Statement
    private let mark: Statement
    private let lay: Statement
    private let drop: Statement
    /// Whether a slice found nothing to do and nothing was written since.
    private(set) var isDone = false
    private var hasLate = true

    init(_ db: Connection) throws(StorageFault) {
        self.db = db
        progress.body = try db.integer("SELECT upto FROM progress WHERE name = 'body'")
        progress.message = try db.integer("SELECT upto FROM progress WHERE name = 'message'")
        nextBody = try db.prepare(
            "SELECT id, content FROM body WHERE id > ? ORDER BY id LIMIT 1000")
        nextMessage = try db.prepare(
            "SELECT id, payload FROM any_message WHERE id > ? ORDER BY id LIMIT 1000")
        nextLate = try db.prepare("SELECT id FROM late ORDER BY id LIMIT 1")
        lateBody = try db.prepare("SELECT content FROM body WHERE id = ?")
        lateMessage = try db.prepare("SELECT payload FROM any_message WHERE id = ?")
        add = try db.prepare("INSERT INTO search(rowid, text) VALUES (?, ?)")
        mark = try db.prepare(
            "INSERT INTO progress VALUES (?, ?) ON CONFLICT(name) DO UPDATE SET upto = excluded.upto"
        )
        lay = try db.prepare("INSERT OR IGNORE INTO late VALUES (?)")
        drop = try db.prepare("DELETE FROM late WHERE id = ?")
    }

    /// Records a row that is being written in the current transaction.
    func noteWritten(_ row: borrowing DerivedRow) throws(StorageFault) {
        switch row {
        case .body(let row):
            isDone = false
            if row.number <= progress.body { try layAside(2 * row.number) }
        case .message(let row):
            isDone = false
            if row.id.rawValue <= progress.message { try layAside(2 * row.id.rawValue + 1) }
        case .exchange, .part, .openRosa, .caseBlock, .frame, .command, .change, .note: break
        }
    }

    private func layAside(_ rowid: Int64) throws(StorageFault) {
        lay.bind(1, rowid)
        try lay.run()
        hasLate = true
    }

    /// Indexes the next rows, in a separate transaction.
    ///
    /// `isOver` is called after every row, so that a slice stays short. True where there is more to
    /// do.
    func slice(until isOver: () -> Bool) throws(StorageFault) -> Bool {
        guard !isDone else { return false }
        var next = progress
        var stillLate = hasLate
        let isComplete = try db.transaction { () throws(StorageFault) -> Bool in
            if hasLate {
                while !isOver(), let rowid = try first() { try addLate(rowid) }
                stillLate = try first() != nil
                if stillLate { return false }
            }
            next.body = try run(nextBody, from: next.body, until: isOver) { 2 * $0 }
            next.message = try run(nextMessage, from: next.message, until: isOver) { 2 * $0 + 1 }
            if next.body != progress.body { try store("body", next.body) }
            if next.message != progress.message { try store("message", next.message) }
            return next == progress && !isOver()
        }
        progress = next
        hasLate = stillLate
        isDone = isComplete
        return !isComplete
    }

    /// Whether the row with this `rowid` in `search` may have been indexed.
    func covers(_ rowid: Int64) -> Bool {
        rowid >> 1 <= (rowid & 1 == 0 ? progress.body : progress.message)
    }

    /// Drops all words, to be built again from the rows that are left.
    ///
    /// Words of deleted rows are not removed one by one: FTS5 would only record their deletion, and
    /// the index of a trace of constant size would grow for ever. A number
    /// is never used twice, so an entry of a deleted row finds nothing.
    func startOver() throws(StorageFault) {
        try db.transaction { () throws(StorageFault) in
            try db.execute(
                """
                INSERT INTO search(search) VALUES ('delete-all');
                DELETE FROM progress WHERE name <> 'change';
                DELETE FROM late;
                """)
        }
        progress = Progress()
        hasLate = false
        isDone = false
    }

    /// The indexed share of all rows, in 0...1.
    func share() throws(StorageFault) -> Double {
        let all = try db.integer(
            "SELECT coalesce((SELECT max(id) FROM http_body), 0) + coalesce((SELECT max(id) FROM any_message), 0)"
        )
        guard all > 0 else { return 1 }
        return min(1, Double(progress.body + progress.message) / Double(all))
    }

    private func first() throws(StorageFault) -> Int64? {
        guard try nextLate.step() else { return nil }
        defer { nextLate.reset() }
        return nextLate.integer(0)
    }

    private func addLate(_ rowid: Int64) throws(StorageFault) {
        let source = rowid & 1 == 0 ? lateBody : lateMessage
        source.bind(1, rowid >> 1)
        if try source.step() { try index(rowid, source, column: 0) }
        source.reset()
        drop.bind(1, rowid)
        try drop.run()
    }

    private func run(
        _ source: Statement, from start: Int64, until isOver: () -> Bool,
        rowid: (Int64) -> Int64
    ) throws(StorageFault) -> Int64 {
        var last = start
        while !isOver() {
            source.bind(1, last)
            defer { source.reset() }
            let before = last
            while !isOver(), try source.step() {
                last = source.integer(0)
                try index(rowid(last), source, column: 1)
            }
            if last == before { break }
        }
        return last
    }

    private func index(_ rowid: Int64, _ source: Statement, column: Int32) throws(StorageFault) {
        guard source.isText(column) else { return }
        try source.withBytes(column) { (bytes) throws(StorageFault) in
            guard bytes.count > 0 else { return }
            add.bind(1, rowid)
            add.bind(2, borrowed: bytes, asText: true)
            try add.run()
        }
    }

    private func store(_ name: String, _ upto: Int64) throws(StorageFault) {
        mark.bind(1, name)
        mark.bind(2, upto)
        try mark.run()
    }
}
