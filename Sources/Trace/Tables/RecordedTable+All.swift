/// Everything that a recording has, named once; a test compares it with the schema of the trace.
extension RecordedTable {
    package static let session = RecordedTable(
        "session", counter: "session",
        [
            .id("id"), .count("started_unix_ns"), .text("provenance"), .text("version"),
            .text("arguments"), .text("seed", isOptional: true),
        ])

    package static let connection = RecordedTable(
        "connection", counter: "connection",
        [
            .id("id"), .id("session_id"), .count("at_ns"), .text("listener"), .text("client"),
            .text("mode"), .count("after_chunk_id"), .count("step"),
        ])

    package static let leg = RecordedTable(
        "leg", counter: "leg",
        [
            .id("id"), .id("connection_id"), .peer("peer"), .count("at_ns"), .text("host"),
            .count("port"), .count("after_chunk_id"), .count("step"),
            .count("is_tls", isOptional: true),
        ])

    package static let chunk = RecordedTable(
        "chunk", counter: "chunk",
        [
            .id("id"), .id("connection_id"), .id("leg_id"), .peer("sender"),
            RecordedColumn(name: "origin", content: .word(["peer", "tapedeck"])), .count("at_ns"),
            .bytes("bytes"),
        ])

    /// Stands in the line of its chunk; its first two columns follow from that.
    package static let patch = RecordedTable(
        "patch",
        [
            .id("id"), .id("chunk_id"), .count("offset"), .count("removed"), .bytes("inserted"),
            .text("reason"),
        ])

    package static let event = RecordedTable(
        "event", counter: "event",
        [
            .id("id"), .id("session_id"), .id("connection_id", isOptional: true),
            .id("leg_id", isOptional: true), .count("at_ns"), .text("kind"), .text("says"),
            .count("after_chunk_id"), .count("step"),
        ])

    package static let fault = RecordedTable(
        "fault_statement", counter: "fault",
        [
            .id("id"), .id("session_id"), .count("at_ns"), .text("rule"), .text("action"),
            .id("connection_id", isOptional: true), .peer("sender", isOptional: true),
            .text("scope"), .count("occurrence"), .text("draw"),
            .id("chunk_id", isOptional: true), .count("offset"), .bytes("came"), .bytes("sent"),
        ])

    package static let verdict = RecordedTable(
        "fault_verdict",
        [
            .id("fault_id"), .text("verdict"), .text("how"), .id("exchange_id", isOptional: true),
            .id("command_id", isOptional: true), .count("after_ns", isOptional: true),
            .count("tries"),
        ])

    package static let finding = RecordedTable(
        "finding_statement", counter: "finding",
        [
            .id("id"), .id("session_id"), .count("at_ns"), .text("rule"), .text("severity"),
            .id("chunk_id", isOptional: true), .count("offset"), .text("says"), .text("expected"),
        ])

    package static let gap = RecordedTable(
        "gap", counter: "gap",
        [
            .id("id"), .id("session_id"), .id("connection_id", isOptional: true),
            .id("leg_id", isOptional: true), .peer("sender", isOptional: true), .count("at_ns"),
            .count("until_ns"), .count("bytes"), .count("chunks"), .text("reason"),
            .count("after_chunk_id"), .count("step"),
        ])

    package static let mark = RecordedTable(
        "mark", counter: "mark",
        [.id("id"), .id("session_id"), .count("at_ns"), .text("name")])

    package static let packet = RecordedTable(
        "packet", counter: "packet",
        [
            .id("id"), .id("session_id"), .count("at_unix_ns"), .count("link_type"),
            .count("original_size"), .bytes("bytes"), .count("after_chunk_id"), .count("step"),
        ])

    package static let secret = RecordedTable(
        "secret", counter: "secret",
        [
            .id("id"), .id("session_id"), .bytes("key_log"), .count("after_chunk_id"),
            .count("step"),
        ])

    package static let counter = RecordedTable("counter", [.text("name"), .id("next")])

    /// The tables whose rows are lines of the timeline.
    package static let timeline = [
        connection, leg, chunk, event, gap, packet, secret, mark, fault, verdict, finding,
    ]

    /// All tables of which a recording has rows.
    package static let all = [session, patch, counter] + timeline

    /// Tables whose rows are numbered by decoding, by their names in `counter`.
    package static let derivedCounters = [
        ("exchange", "http_exchange"), ("message", "message"), ("command", "simperium_command"),
        ("note", "note"),
    ]

    /// Numbers of what hangs on something of number `n` begin with `n` times this.
    package static let share: Int64 = 1 << 24
}
