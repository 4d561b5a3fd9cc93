internal import Dissection
internal import Storage

/// The trace format, as SQL with a comment on the meaning and unit of every column.
///
/// Its tables are made of `Tables`. `truth` is append-only. Everything in `derived` can be
/// dropped and built again from it by `tapedeck rebuild`. `statements` point into the truth by
/// chunk and offset, so they survive that. `at_ns` and the like are nanoseconds since the start of
/// the row's session; `sender` is 0 for the client and 1 for the server.
public enum Schema {
    /// `application_id` of a trace: the letters `TAPE`.
    public static let applicationID: Int32 = 0x5441_5045

    /// Version of the format that this program writes, stored in `user_version`.
    public static let version: Int32 = 15

    /// The error for a trace of an earlier format, which was never released.
    package static func refusal(of version: Int64, _ path: String) -> String {
        "\(path) has format \(version), of a development version that was never released; this program "
            + "reads \(Self.version): export it as text with that version (tapedeck export \(path) FOLDER), "
            + "and import the text with this one"
    }

    /// The SQL that turns an empty file into a trace.
    static let whole = [truth, derived, statements, views, stateViews, search].joined(
        separator: "\n")

    /// Recorded rows: never updated.
    package static let truth = sql(truthTables)

    private static let truthTables = [
        Tables.session.definition, Tables.connection.definition, Tables.leg.definition,
        Tables.chunk.definition, Tables.patch.definition, Tables.delivery.definition,
        Tables.event.definition, Tables.packet.definition, Tables.secret.definition,
    ]

    /// Decoded rows: dropped and built again by `tapedeck rebuild`.
    package static let derived = sql(derivedTables)

    static let derivedTables = [
        Tables.exchange.definition, Tables.body.definition, Tables.part.definition,
        Tables.document.definition, Tables.caseBlock.definition, Tables.frame.definition,
        Tables.message.definition, Tables.command.definition, Tables.change.definition,
        Tables.changeKey, Tables.note.definition, Tables.decoder,
    ]

    /// Says which decoder makes the decoded rows.
    static let thisDecoder = """
        DELETE FROM decoder; INSERT INTO decoder VALUES (\(Dissector.version));
        """

    /// Statements about the session.
    package static let statements = sql(statementTables)

    private static let statementTables = [
        Tables.fault.definition, Tables.verdict.definition, Tables.finding.definition,
        Tables.undecided.definition, Tables.gap.definition, Tables.mark.definition, Tables.progress,
        Tables.late, Tables.counter,
    ]

    /// All tables.
    static let tables = truthTables + derivedTables + statementTables

    private static func sql(_ tables: [TableDefinition]) -> String {
        tables.map(\.sql).joined(separator: "\n")
    }

    /// The indexes of all rows of a connection, which only eviction needs.
    ///
    /// Created when a trace is first recorded with a bound, and maintained from then on. They cost
    /// a sixth of the writer's time: the entries of each connection lie apart from those of all
    /// others, so that every commit writes a page of each index for every connection.
    static let indexesByConnection =
        indexByChunk + """

            CREATE INDEX IF NOT EXISTS chunk_connection ON chunk(connection_id);
            CREATE INDEX IF NOT EXISTS any_exchange_connection ON any_exchange(connection_id);
            CREATE INDEX IF NOT EXISTS any_message_connection ON any_message(connection_id);
            """

    /// The index by which statements find the exchange that begins where they point to; made with the
    /// first of them, since it is three pages of the log for every commit.
    ///
    /// Without it the exchanges of each side of a connection are in the order of their numbers.
    private static let indexByChunk = """
        CREATE INDEX IF NOT EXISTS any_exchange_request_chunk ON any_exchange(request_chunk_id);
        """

    /// The index by which the view `fault` finds the exchange of a fault; made with the first fault
    /// of a trace, since it costs as much as the others for every exchange.
    static let indexForFaults = """
        CREATE INDEX IF NOT EXISTS any_exchange_of_connection
          ON any_exchange(connection_id, request_chunk_id, request_offset);
        """

    /// Makes the indexes that the statements of a trace need.
    ///
    /// - Parameters:
    ///   - db: A connection that may write.
    ///   - isRenumbered: Whether numbers of exchanges may not be in their order.
    /// - Throws: ``StorageFault`` where they cannot be written.
    static func indexStatements(
        _ db: Connection, isRenumbered: Bool = false
    ) throws(StorageFault) {
        func has(_ tables: String...) throws(StorageFault) -> Bool {
            let any = tables.map { "EXISTS (SELECT 1 FROM \($0))" }.joined(separator: " OR ")
            return try db.integer("SELECT \(any)") != 0
        }
        let pointsToExchanges = try has(
            "finding_statement", "undecided_statement", "fault_verdict")
        if pointsToExchanges || isRenumbered { try db.execute(indexByChunk) }
        if try has("fault_statement") { try db.execute(indexForFaults) }
    }

    /// Whether exchanges can be looked up by where they begin.
    static func hasIndexByChunk(_ db: Connection) throws(StorageFault) -> Bool {
        try db.integer("SELECT count(*) FROM pragma_index_info('any_exchange_request_chunk')") > 0
    }

    /// The deliveries of a chunk, in order.
    static let deliveriesOfChunk = rowsOfChunk("delivery")

    /// The patches of a chunk, in order.
    static let patchesOfChunk = rowsOfChunk("patch")

    private static func rowsOfChunk(_ table: String) -> String {
        """
        SELECT * FROM \(table)
        WHERE id >= \(Tables.share) * ?1 AND id < \(Tables.share) * (?1 + 1) ORDER BY id
        """
    }

    /// Deletes the patches and deliveries of those chunks that `condition` chooses.
    static func deletePatches(of condition: String) -> [String] {
        ["patch", "delivery"].map { table in
            """
            DELETE FROM \(table) WHERE id IN (
              SELECT p.id FROM chunk CROSS JOIN \(table) p
              WHERE p.id >= \(Tables.share) * chunk.id AND p.id < \(Tables.share) * (chunk.id + 1)
                AND \(condition))
            """
        }
    }
}
