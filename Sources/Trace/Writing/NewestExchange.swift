internal import Storage

/// Finds the newest complete exchange, which stays for as long as the size allows it.
final class NewestExchange {
    /// An exchange that is kept.
    struct Kept: Hashable {
        var exchange: Int64
        var connection: Int64
        /// Chunk with the first byte of the request.
        var firstChunk: Int64
        /// When its last byte arrived, in nanoseconds since the start of its session.
        var endedAt: Int64
        /// Bytes of its contents on the wire.
        var size: Int64
    }

    private let newest: Statement

    init(_ db: Connection) throws(StorageFault) {
        newest = try db.prepare(
            """
            SELECT id, connection_id, request_chunk_id, coalesce(ended_ns, started_ns),
              request_size + response_size
            FROM any_exchange
            WHERE outcome = 'complete' AND method <> 'CONNECT' AND status IS NOT 101
            ORDER BY id DESC LIMIT 1
            """)
    }

    /// The newest complete exchange, if there is one.
    func find() throws(StorageFault) -> Kept? {
        defer { newest.reset() }
        guard try newest.step() else { return nil }
        return Kept(
            exchange: newest.integer(0), connection: newest.integer(1),
            firstChunk: newest.integer(2), endedAt: newest.integer(3),
            size: newest.integer(4))
    }
}
