internal import Storage

/// Deletes the packets that were kept beside chunks that are evicted.
///
/// Everything here runs in the current transaction.
final class PacketRetention {
    private let db: Connection
    private let session: Int64
    private let oldest: Statement
    private let delete: Statement
    private let deleteSecrets: Statement

    /// Packets that are checked, and deleted, at once.
    private static let stride: Int64 = 512

    /// Evicts packets while `session` is written, whose secrets stay.
    init(_ db: Connection, session: Int64) throws(StorageFault) {
        self.db = db
        self.session = session
        oldest = try db.prepare(
            "SELECT id, at_unix_ns, after_chunk_id FROM packet ORDER BY id LIMIT \(Self.stride)")
        delete = try db.prepare("DELETE FROM packet WHERE id <= ?")
        deleteSecrets = try db.prepare(
            """
            DELETE FROM secret WHERE session_id < ?1 AND session_id <
              coalesce((SELECT session_id FROM packet ORDER BY id LIMIT 1), ?1)
            """)
    }

    /// Deletes the packets that were written before a chunk after `chunk`.
    func delete(upto chunk: Int64) throws(StorageFault) {
        while try deleteOldest(where: { $0.integer(2) < chunk }) {}
    }

    /// Deletes the packets captured before `unixNanoseconds`, in limited steps; returns whether
    /// there may be more.
    func delete(olderThan unixNanoseconds: Int64) throws(StorageFault) -> Bool {
        try deleteOldest(where: { $0.integer(1) < unixNanoseconds })
    }

    /// Deletes the oldest, in limited steps; returns whether there were any.
    func deleteOldest() throws(StorageFault) -> Bool {
        guard try db.integer("SELECT max(id) FROM packet") > 0 else { return false }
        _ = try deleteOldest(where: { _ in true })
        return true
    }

    /// Deletes the oldest for which all of `goes` holds; returns whether it held for all checked.
    private func deleteOldest(where goes: (Statement) -> Bool) throws(StorageFault) -> Bool {
        var last: Int64 = 0
        var seen: Int64 = 0
        var isWhole = true
        while isWhole, try oldest.step() {
            isWhole = goes(oldest)
            seen += 1
            if isWhole { last = oldest.integer(0) }
        }
        oldest.reset()
        guard last > 0 else { return false }
        delete.bind(1, last)
        try delete.run()
        deleteSecrets.bind(1, session)
        try deleteSecrets.run()
        return isWhole && seen == Self.stride
    }
}
