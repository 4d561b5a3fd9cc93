package import Wire

/// Packets that a capture kept for other tools; nothing is decoded from them.
extension Tables {
    /// `packet`.
    package static let packet: Table<PacketRow> = Table(
        "packet",
        """
        a packet kept as it was captured, on request; nothing is decoded from it, and \
        eviction leaves no gap row for it
        """,
        blank: PacketRow(atUnixNanoseconds: 0, linkType: 0, originalSize: 0, bytes: []),
        counter: "packet",
        nameWidth: 14,
        [
            .given("id", "order of capture", .id, isKey: true),
            .given("session_id", "the session", .session, constraint: " REFERENCES session(id)"),
            .value(
                "at_unix_ns", "when it was captured, nanoseconds since 1970 UTC",
                \.atUnixNanoseconds, \.atUnixNanoseconds),
            .value(
                "link_type", "what its bytes begin with: number of a LINKTYPE_ of libpcap",
                \.linkType, \.linkType),
            .value(
                "original_size", "bytes that it had on the wire", \.originalSize, \.originalSize),
            .given("after_chunk_id", "the last chunk written before it, 0 for none", .lastChunk),
            .given("step", "order among the rows after that chunk, from 1 over all tables", .step),
            .bytes("bytes", "the bytes that were captured", \.bytes, \.bytes),
        ])

    /// `secret`.
    package static let secret: Table<SecretRow> = Table(
        "secret",
        "what decrypts packets that are kept",
        blank: SecretRow(keyLog: []), counter: "secret", nameWidth: 14,
        [
            .given("id", "order of writing", .id, isKey: true),
            .given("session_id", "the session", .session, constraint: " REFERENCES session(id)"),
            .bytes("key_log", "lines of an NSS key log", \.keyLog, \.keyLog),
            .given("after_chunk_id", "the last chunk written before it, 0 for none", .lastChunk),
            .given("step", "order among the rows after that chunk, from 1 over all tables", .step),
        ])
}
