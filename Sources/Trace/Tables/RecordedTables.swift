/// The tables of which a recording has rows.
///
/// A row is a JSON object whose first member is named like the table and holds the first column;
/// the members after it are named like the other columns. Null values are left out.
extension TableDefinition {
    /// Sessions, which the head of a recording has.
    package static let session = Tables.session.definition
    /// Connections.
    package static let connection = Tables.connection.definition
    /// Legs.
    package static let leg = Tables.leg.definition
    /// Chunks.
    package static let chunk = Tables.chunk.definition
    /// Patches, which are in the line of their chunk; their first two columns follow from that.
    package static let patch = Tables.patch.definition
    /// Deliveries, which are in the line of their chunk like patches.
    package static let delivery = Tables.delivery.definition
    /// Events of connections and sessions other than bytes.
    package static let event = Tables.event.definition
    /// Gaps.
    package static let gap = Tables.gap.definition
    /// Named points in time.
    package static let mark = Tables.mark.definition
    /// Packets that are kept.
    package static let packet = Tables.packet.definition
    /// Secrets that decrypt packets.
    package static let secret = Tables.secret.definition
    /// Faults.
    package static let fault = Tables.fault.definition
    /// Verdicts on faults.
    package static let verdict = Tables.verdict.definition
    /// Findings.
    package static let finding = Tables.finding.definition
    /// What could not be decided.
    package static let undecided = Tables.undecided.definition
    /// The next free numbers, as far as they do not follow from the rows.
    package static let counter = Tables.counter

    /// The tables whose rows are lines of the timeline.
    package static let timeline = [
        connection, leg, chunk, event, gap, packet, secret, mark, fault, verdict, finding,
        undecided,
    ]

    /// All tables of which a recording has rows.
    package static let recorded = [session, patch, delivery, counter] + timeline

    /// Tables whose rows are numbered by decoding.
    package static let numberedByDecoding = [
        Tables.exchange.definition, Tables.message.definition, Tables.command.definition,
        Tables.note.definition,
    ]
}
