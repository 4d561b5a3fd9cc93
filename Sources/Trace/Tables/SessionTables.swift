package import Wire

/// Recorded rows of connections.
extension Tables {
    /// `session`.
    package static let session: Table<SessionStart> = Table(
        "session",
        "one run of Tapedeck that wrote to this trace",
        blank: SessionStart(
            provenance: .proxy, version: "", arguments: "", startedUnixNanoseconds: 0),
        counter: "session",
        [
            .given("id", "number of the session", .session, isKey: true),
            .value(
                "started_unix_ns", "wall clock at its start, nanoseconds since 1970 UTC",
                \.startedUnixNanoseconds, \.startedUnixNanoseconds),
            .value(
                "provenance", "source of the bytes: proxy, capture, pcap, har, mitmproxy",
                \.provenance, \.provenance),
            .value("version", "version of the program that wrote it", \.version, \.version),
            .value("arguments", "its command line", \.arguments, \.arguments),
            .value(
                "seed",
                "random seed of its faults, a number in 0...2^64-1; null without faults",
                \.seed, \.seed),
        ])

    /// `connection`.
    package static let connection: Table<ConnectionRow> = Table(
        "connection",
        "one client connection with everything that happened because of it",
        blank: ConnectionRow(
            id: ConnectionID(0), at: .zero, listener: "", client: "", mode: .forward),
        counter: "connection",
        nameWidth: 11,
        [
            .key("id", "number of the connection", \.id, \.id),
            .given("session_id", "the session", .session, constraint: " REFERENCES session(id)"),
            .value("at_ns", "when it was accepted", \.at, \.at),
            .value(
                "listener", "address the client connected to, HOST:PORT", \.listener, \.listener),
            .value("client", "address the client connected from, HOST:PORT", \.client, \.client),
            .value(
                "mode",
                """
                forward: the client uses a proxy; reverse: it addresses us as the server; \
                transparent: its connection to a server was redirected; capture: captured passively; archive: bytes are synthesized
                """, \.mode, \.mode),
            .given("after_chunk_id", "the last chunk written before it, 0 for none", .lastChunk),
            .given("step", "order among the rows after that chunk, from 1 over all tables", .step),
        ])

    /// `leg`.
    package static let leg: Table<LegRow> = Table(
        "leg",
        "one TCP connection: the client's, or one to a server",
        blank: LegRow(
            id: LegID(0), connection: ConnectionID(0), peer: .client, at: .zero, host: "", port: 0),
        counter: "leg",
        nameWidth: 14,
        indexes: [
            TableIndex("leg_connection", on: "leg(connection_id)")
        ],
        [
            .key("id", "number of the leg", \.id, \.id),
            .value(
                "connection_id", "the connection", \.connection, \.connection,
                constraint: " REFERENCES connection(id)"),
            .value(
                "peer", "the other end: 0 client, 1 server", \.peer, \.peer,
                constraint: " CHECK (peer IN (0, 1))"),
            .value("at_ns", "when it was accepted or requested", \.at, \.at),
            .value("host", "name or IP address of the other end", \.host, \.host),
            .value("port", "TCP port of the other end", \.port, \.port),
            .given("after_chunk_id", "the last chunk written before it, 0 for none", .lastChunk),
            .given("step", "order among the rows after that chunk: from 1 over all tables", .step),
            .value(
                "is_tls",
                "1: TLS is expected from the first byte on; null where that was unknown",
                \.isTLS, \.isTLS),
        ])
}
