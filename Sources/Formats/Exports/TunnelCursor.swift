internal import Storage

/// Where clients requested a tunnel from the proxy with `CONNECT`, and where it answered.
struct Tunnel: Hashable {
    /// Bytes of the head of a request or of its answer, in what the client had.
    struct Head: Hashable {
        /// Chunk with the first of them.
        var chunk: Int64
        /// Offset of the first in that chunk.
        var offset: Int
        /// How many.
        var count: Int
    }

    var connection: Int64
    var request: Head
    var response: Head
}

/// Returns the tunnels of a trace in the order in which they were requested.
///
/// In step with the chunks, since no index leads from a connection to its exchanges.
final class TunnelCursor {
    private let statement: Statement
    private var next: Tunnel?

    init(_ db: Connection) throws(StorageFault) {
        statement = try db.prepare(
            """
            SELECT x.connection_id, x.request_chunk_id, x.request_offset, q.head_size,
              x.response_chunk_id, x.response_offset, a.head_size
            FROM http_exchange x JOIN http_body q ON q.id = 2 * x.id
              JOIN http_body a ON a.id = 2 * x.id + 1
            WHERE x.method = 'CONNECT' AND x.status BETWEEN 200 AND 299
              AND x.response_chunk_id IS NOT NULL
            ORDER BY x.request_chunk_id
            """)
        try advance()
    }

    /// The tunnel whose request begins in `chunk`; chunks come in ascending order.
    func tunnel(at chunk: Int64) throws(StorageFault) -> Tunnel? {
        while let tunnel = next, tunnel.request.chunk < chunk { try advance() }
        guard let tunnel = next, tunnel.request.chunk == chunk else { return nil }
        try advance()
        return tunnel
    }

    private func advance() throws(StorageFault) {
        guard try statement.step() else {
            next = nil
            return
        }
        func head(_ first: Int32) -> Tunnel.Head {
            Tunnel.Head(
                chunk: statement.integer(first), offset: max(0, Int(statement.integer(first + 1))),
                count: max(0, Int(statement.integer(first + 2))))
        }
        next = Tunnel(
            connection: statement.integer(0), request: head(1), response: head(4))
    }
}
