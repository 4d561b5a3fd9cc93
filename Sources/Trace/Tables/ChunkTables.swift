package import Wire

/// Bytes as received and as forwarded.
extension Tables {
    /// `chunk`.
    package static let chunk: Table<Chunk> = Table(
        "chunk",
        "bytes of one read",
        blank: Chunk(
            connection: ConnectionID(0), leg: LegID(0), sender: .client, at: .zero, bytes: []),
        counter: "chunk",
        [
            .given("id", "order of arrival over the whole trace", .id, isKey: true),
            .value("connection_id", "the connection", \.connection, \.connection),
            .value(
                "leg_id", "the leg they were received on, or sent on where Tapedeck made them",
                \.leg, \.leg),
            .value(
                "sender", "0 client, 1 server", \.sender, \.sender,
                constraint: " CHECK (sender IN (0, 1))"),
            .value(
                "origin", "0 a peer, 1 Tapedeck in its place", \.origin, \.origin,
                constraint: " CHECK (origin IN (0, 1))"),
            .value("at_ns", "when the read returned", \.at, \.at),
            .bytes("bytes", "as received, after TLS, before any patch", \.bytes, \.bytes),
        ])

    /// `patch`.
    package static let patch: Table<Patch> = Table(
        "patch",
        "where forwarded bytes differ from received ones",
        blank: Patch(offset: 0, removed: 0, inserted: [], reason: .fault), nameWidth: 10,
        [
            .given(
                "id", "16777216 * chunk_id + place among the patches of the chunk, from 0", .id,
                isKey: true),
            .given("chunk_id", "the chunk", .owner, constraint: " REFERENCES chunk(id)"),
            .value(
                "offset", "first removed byte, bytes from the start of the chunk", \.offset,
                \.offset),
            .value("removed", "number of removed bytes", \.removed, \.removed),
            .bytes("inserted", "the bytes inserted instead", \.inserted, \.inserted),
            .value(
                "reason",
                "request-target, host, origin, location, hop-by-hop, alt-svc, fault or undelivered",
                \.reason, \.reason
            ),
        ])

    /// `delivery`.
    package static let delivery: Table<Delivery> = Table(
        "delivery",
        "bytes that went on later than they were read, or not at all",
        blank: Delivery(offset: 0, count: 0, at: nil), nameWidth: 10,
        [
            .given(
                "id", "16777216 * chunk_id + place among the deliveries of the chunk, from 0", .id,
                isKey: true),
            .given("chunk_id", "the chunk", .owner, constraint: " REFERENCES chunk(id)"),
            .value(
                "offset", "first of the bytes, from the start of the chunk", \.offset, \.offset),
            .value("count", "number of bytes", \.count, \.count),
            .value("at_ns", "when they went on; null where they never did", \.at, \.at),
        ])
}
