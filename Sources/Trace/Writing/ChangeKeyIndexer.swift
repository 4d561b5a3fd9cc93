internal import Dissection
internal import Storage
internal import Wire

/// Builds the index of changes by the keys of their objects after the commits, many rows at a time.
///
/// Each new entry lies in another page than the last. An index that SQLite keeps itself would have
/// every commit write a page for each change; entries that are sorted first share them.
final class ChangeKeyIndexer {
    private let db: Connection
    /// Last `any_change.id` that is done.
    private var progress: Int64
    /// Whether a slice found nothing to do and nothing was written since.
    private(set) var isDone = false
    private let last: Statement
    private let add: Statement
    private let addLate: Statement
    private let mark: Statement

    /// Rows that are sorted and added at a time, while others wait and at the end.
    private static let few: Int64 = 4_096
    private static let many: Int64 = 262_144

    init(_ db: Connection) throws(StorageFault) {
        self.db = db
        progress = try db.integer("SELECT upto FROM progress WHERE name = 'change'")
        last = try db.prepare(
            "SELECT max(id) FROM (SELECT id FROM any_change WHERE id > ? ORDER BY id LIMIT ?)")
        add = try db.prepare(
            """
            INSERT OR IGNORE INTO change_key SELECT key, id FROM any_change
            WHERE id > ? AND id <= ? AND key IS NOT NULL ORDER BY key, id
            """)
        addLate = try db.prepare("INSERT OR IGNORE INTO change_key VALUES (?, ?)")
        mark = try db.prepare(
            """
            INSERT INTO progress VALUES ('change', ?)
            ON CONFLICT(name) DO UPDATE SET upto = excluded.upto
            """)
    }

    /// Records a row that is being written in the current transaction.
    func noteWritten(_ row: borrowing DerivedRow) throws(StorageFault) {
        switch row {
        case .change(let row): try noteWritten(row)
        case .exchange, .body, .part, .openRosa, .caseBlock, .frame, .message, .command, .note:
            break
        }
    }

    private func noteWritten(_ row: ChangeRow) throws(StorageFault) {
        isDone = false
        let id = Tables.share * row.command.rawValue + Int64(row.position)
        guard id <= progress, row.position < Tables.share, let key = row.key else { return }
        addLate.bind(1, key)
        addLate.bind(2, id)
        try addLate.run()
    }

    /// Indexes the next rows, in separate transactions.
    ///
    /// `isOver` is called after some thousand rows. True where there is more to do.
    func slice(isEnd: Bool = false, until isOver: () -> Bool) throws(StorageFault) -> Bool {
        while !isDone, !isOver() {
            last.bind(1, progress)
            last.bind(2, isEnd ? Self.many : Self.few)
            let next = try last.step() && !last.isNull(0) ? last.integer(0) : progress
            last.reset()
            guard next > progress else {
                isDone = true
                break
            }
            try db.transaction { () throws(StorageFault) in
                add.bind(1, progress)
                add.bind(2, next)
                try add.run()
                mark.bind(1, next)
                try mark.run()
            }
            progress = next
        }
        return !isDone
    }
}
