package import Wire

/// Events of connections other than bytes, and gaps.
extension Tables {
    /// `event`.
    package static let event: Table<EventRow> = Table(
        "event",
        "events of connections and sessions other than bytes",
        blank: EventRow(.warning, at: .zero), counter: "event",
        indexes: [
            TableIndex("event_connection", on: "event(connection_id)")
        ],
        [
            .given("id", "order of happening", .id, isKey: true),
            .given("session_id", "the session", .session, constraint: " REFERENCES session(id)"),
            .value("connection_id", "the connection, if any", \.connection, \.connection),
            .value("leg_id", "the leg, if any", \.leg, \.leg),
            .given("after_chunk_id", "the last chunk written before it, 0 for none", .lastChunk),
            .given("step", "order among the rows after that chunk, from 1 over all tables", .step),
            .value("at_ns", "when", \.at, \.at),
            .value(
                "kind",
                """
                opened, ended, closed, refused, tls, tls-failed, socks, upstream, passthrough, \
                raw, undelivered, joined, warning, note, session-ended
                """, \.kind, \.kind),
            .value("detail", "the particulars, such as why a leg was closed", \.detail, \.detail),
        ])

    /// `gap`.
    package static let gap: Table<GapRow> = Table(
        "gap",
        "bytes known to be missing",
        blank: GapRow(
            connection: nil, leg: nil, sender: nil, at: .zero, until: .zero, count: 0, chunks: 0,
            reason: .notCaptured), counter: "gap", nameWidth: 14,
        indexes: [
            TableIndex("gap_connection", on: "gap(connection_id)")
        ],
        [
            .given("id", "order of writing", .id, isKey: true),
            .given("session_id", "the session", .session),
            .value("connection_id", "the connection, if one", \.connection, \.connection),
            .value("leg_id", "the leg, if one", \.leg, \.leg),
            .value("sender", "sender of the bytes; null for both", \.sender, \.sender),
            .given("after_chunk_id", "the last chunk before them, 0 for none", .lastChunk),
            .given(
                "step",
                """
                order among the rows after that chunk, from 1 over all tables; 0 for what was \
                evicted later
                """, .step),
            .value("at_ns", "when the first of them arrived", \.at, \.at),
            .value("until_ns", "when the last of them arrived", \.until, \.until),
            .value(
                "bytes",
                """
                number of bytes; 0 where it is unknown: nothing can be written since at_ns, or \
                the program was killed then
                """, \.count, \.count),
            .value("chunks", "how many chunks", \.chunks, \.chunks),
            .value(
                "reason",
                """
                disk-full, evicted, not-captured, encrypted (not read), locked (another \
                program held the trace) or trace-lost (the file was deleted, replaced or \
                truncated; this one continues where it ended)
                """, \.reason, \.reason),
        ])

    /// `mark`.
    package static let mark: Table<MarkRow> = Table(
        "mark",
        "a named point in time",
        blank: MarkRow(at: .zero, name: ""), counter: "mark", nameWidth: 6,
        [
            .given("id", "order of writing", .id, isKey: true),
            .given("session_id", "the session", .session),
            .value("at_ns", "when", \.at, \.at),
            .value("name", "the name", \.name, \.name),
        ])
}
