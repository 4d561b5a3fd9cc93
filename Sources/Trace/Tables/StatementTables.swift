internal import Dissection
package import Wire

/// Statements about the session.
extension Tables {
    /// `fault_statement`.
    package static let fault: Table<FaultRow> = Table(
        "fault_statement",
        """
        something that was done to the traffic; the views intervention and fault add derived rows
        """,
        blank: FaultRow(at: .zero, rule: "", action: ""), counter: "fault",
        indexes: [
            TableIndex("fault_statement_connection", on: "fault_statement(connection_id, chunk_id)")
        ],
        [
            .given("id", "number", .id, isKey: true),
            .given("session_id", "the session", .session),
            .value("at_ns", "when", \.at, \.at),
            .value(
                "purpose", "fault: to break something; edit: to have it otherwise", \.purpose,
                \.purpose),
            .value("rule", "name of the rule that caused it", \.rule, \.rule),
            .value("action", "the action, in the notation of plans", \.action, \.action),
            .value(
                "effect",
                """
                what that did: altered, lost, delayed, repeated, answered, injected, ended, \
                stalled, refused, with a space between several; none where it could not be done; \
                null where unknown
                """, \.effect, \.effect),
            .value(
                "problem", "why it could not be done; null where it was done", \.problem,
                \.problem),
            .value(
                "detail",
                "what about the message no longer fits afterwards; null where nothing is known to",
                \.detail, \.detail),
            .value("connection_id", "the connection it was applied to", \.connection, \.connection),
            .value(
                "sender",
                "sender of the affected bytes: 0 client, 1 server; null where there are none",
                \.sender, \.sender),
            .value(
                "scope",
                """
                scope by which the rule counts: a connection, client or key; empty for all events \
                together
                """, \.scope, \.scope),
            .value(
                "occurrence",
                """
                ordinal of the event among those of that scope that the filter of the rule \
                matched, from 1
                """, \.occurrence, \.occurrence),
            .value("draw", "random number that decided it, in 0...2^64-1", \.draw, \.draw),
            .value(
                "chunk_id",
                """
                chunk that begins with the affected bytes, or the last one before them; null \
                without any
                """, \.chunk, \.chunk),
            .value("offset", "its offset in that chunk", \.offset, \.offset),
            .value(
                "position",
                "place of the command that it was done to among those of its message, from 0",
                \.position, \.position),
        ])

    /// The columns that the view `intervention` has as well.
    static let shownFault = fault.select(
        "at_ns purpose rule action effect problem detail connection_id sender scope occurrence draw"
    )

    /// `fault_verdict`.
    package static let verdict: Table<FaultVerdictRow> = Table(
        "fault_verdict",
        "whether the client recovered from a fault",
        blank: FaultVerdictRow(fault: 0, verdict: "", how: ""), onConflict: .replace,
        [
            .key("fault_id", "the fault", \.fault, \.fault),
            .value(
                "verdict",
                """
                recovered, not-recovered, or undecided: nothing showed it yet while the session \
                was running, or it ended before the client had to act
                """,
                \.verdict, \.verdict),
            .value("how", "the evidence, as text", \.how, \.how),
            .made(
                "chunk_id", "chunk with the first byte of the request or message that shows it",
                { $0.place?.chunk },
                read: { $0.place = $1.map { Place(chunk: $0, offset: 0) } }),
            .made(
                "offset", "its offset in that chunk", { $0.place?.offset },
                read: { $0.place?.offset = $1 ?? 0 }),
            .value(
                "position",
                "place among the commands of the message, from 0; null where an exchange shows it",
                \.position, \.position),
            .value("after_ns", "how long after the fault", \.afterNanoseconds, \.afterNanoseconds),
            .value("tries", "number of tries of the client until then", \.tries, \.tries),
        ])

    /// `finding_statement`.
    package static let finding: Table<FindingRow> = Table(
        "finding_statement",
        "a broken rule; the view finding adds derived rows",
        blank: FindingRow(
            at: .zero, rule: "", severity: .info, chunk: nil, offset: 0, detail: "", expected: ""),
        counter: "finding",
        nameWidth: 9,
        [
            .given("id", "number of the finding", .id, isKey: true),
            .given("session_id", "the session", .session),
            .value("at_ns", "when", \.at, \.at),
            .value("rule", "identifier of the rule", \.rule, \.rule),
            .value("severity", "error, warning or info", \.severity, \.severity),
            .value("chunk_id", "chunk that holds the evidence", \.chunk, \.chunk),
            .value("offset", "its offset in that chunk", \.offset, \.offset),
            .value("message", "what is wrong", \.detail, \.detail),
            .value("expected", "what should have been sent", \.expected, \.expected),
        ])
    /// `undecided_statement`.
    package static let undecided: Table<UndecidedRow> = Table(
        "undecided_statement",
        """
        what a peer had to do and had not done when the recording ended, before its time was up; \
        the view undecided adds derived rows
        """,
        blank: UndecidedRow(
            at: .zero, rule: "", waitedNanoseconds: 0, chunk: nil, offset: 0, detail: "",
            expected: ""),
        counter: "undecided",
        nameWidth: 9,
        [
            .given("id", "number of the row", .id, isKey: true),
            .given("session_id", "the session", .session),
            .value("at_ns", "when the wait began", \.at, \.at),
            .value(
                "rule", "identifier of the rule that would have been broken", \.rule, \.rule),
            .value(
                "waited_ns", "how long it had lasted when the recording ended",
                \.waitedNanoseconds, \.waitedNanoseconds),
            .value(
                "chunk_id", "chunk that holds what the wait began with", \.chunk, \.chunk),
            .value("offset", "its offset in that chunk", \.offset, \.offset),
            .value("message", "what the rule demands", \.detail, \.detail),
            .value("expected", "what was waited for", \.expected, \.expected),
        ])
}
