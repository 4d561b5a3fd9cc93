internal import Storage

/// The age of a chunk by the wall clock.
final class SessionAges {
    private let age: Statement

    init(_ db: Connection) throws(StorageFault) {
        age = try db.prepare(
            """
            SELECT s.started_unix_ns + k.at_ns FROM chunk k
            JOIN connection c ON c.id = k.connection_id JOIN session s ON s.id = c.session_id
            WHERE k.id = ?
            """)
    }

    /// Whether `chunk` is older than `limit`, in nanoseconds since 1970.
    func isOlder(_ chunk: Int64, than limit: Int64) throws(StorageFault) -> Bool {
        age.bind(1, chunk)
        defer { age.reset() }
        return try age.step() && age.integer(0) < limit
    }
}
