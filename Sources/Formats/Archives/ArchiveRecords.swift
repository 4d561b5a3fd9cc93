internal import Framing
public import Wire

/// Synthesizes the connection and the bytes of an archived exchange.
///
/// An archive keeps meaning and times, no bytes. Each exchange becomes a separate connection, also
/// where the archive has several on one: how they shared it is unknown. Its bytes are HTTP/1.1
/// whatever version was used, with the fields as archived, and the frames of a WebSocket are
/// uncompressed, those of the client masked with a key derived from the place of the message. The
/// bytes count as sent by the peers, since their meaning was; ``Wire/ConnectionRow/Mode/archive``
/// marks that their form was not. The result depends only on the exchange and the given numbers.
public struct ArchiveRecords: Hashable, Sendable {
    /// A record and when it happened.
    public struct Timed: Hashable, Sendable {
        /// When.
        public let at: Instant
        /// The record.
        public let record: Record
    }

    /// The maximum size of a chunk in bytes; larger bodies and frames are several.
    static let largestChunk = 1 << 20

    /// Start of the session, in nanoseconds since 1970 UTC.
    public let startedUnixNanoseconds: Int64

    /// Makes records for a session that starts at this time; what is earlier counts as then.
    public init(startedUnixNanoseconds: Int64) {
        self.startedUnixNanoseconds = startedUnixNanoseconds
    }

    /// The records of one exchange, in order of time.
    ///
    /// - Parameters:
    ///   - exchange: The exchange.
    ///   - connection: A number for its connection.
    ///   - client: A number for the client's leg.
    ///   - server: A number for the server's leg.
    /// - Returns: The records; none where the URL is not one of `http`, `https`, `ws` and `wss`.
    public func records(
        of exchange: ArchivedExchange, connection: ConnectionID, client: LegID, server: LegID
    ) -> [Timed] {
        guard let url = ArchivedURL(exchange.url) else { return [] }
        var archived = ArchivedConnection(
            exchange, url, connection: connection, client: client, server: server,
            since: startedUnixNanoseconds)
        archived.tell()
        return archived.records
    }
}
