/// Rows of a trace that are shipped together: those of one table, and what belongs to each of them.
struct FleetUnit: Sendable {
    /// When a row of the first table is final.
    enum Readiness: Sendable {
        /// From the start on, and rows are written in the order of their numbers.
        case inOrder
        /// From the start on.
        case atOnce
        /// When this condition holds, or when the session has ended.
        case when(String)
        /// When the session has ended.
        case afterSession
    }

    /// Its tables; the numbers of the first one count.
    let tables: [FleetTable]
    /// About how many bytes a row of the first table takes with all that belongs to it.
    let size: String
    /// When it is final.
    let readiness: Readiness
    /// The column with the first chunk of a row of the first table that may have to wait.
    var place: String?

    /// A further condition for rows of the first table, in which ?5 is the last gap that there was
    /// when the trace was shipped first.
    var filter: String?

    /// The table whose numbers count.
    var lead: FleetTable { tables[0] }

    /// Its name.
    var name: String { lead.name }

    /// All units, in the order in which they are shipped.
    static let all = [
        FleetUnit(tables: [FleetTables.session], size: "1000", readiness: .inOrder),
        FleetUnit(tables: [FleetTables.connection], size: "300", readiness: .atOnce),
        FleetUnit(tables: [FleetTables.leg], size: "250", readiness: .atOnce),
        FleetUnit(
            tables: [FleetTables.chunk, FleetTables.patch, FleetTables.delivery],
            size: "length(t.bytes) + 200", readiness: .inOrder),
        FleetUnit(tables: [FleetTables.event], size: "300", readiness: .inOrder),
        // What is evicted after it was shipped is not missing in the fleet.
        FleetUnit(
            tables: [FleetTables.gap], size: "200", readiness: .afterSession,
            filter: "(t.reason <> 'evicted' OR t.id <= ?5)"),
        FleetUnit(tables: [FleetTables.mark], size: "200", readiness: .inOrder),
        FleetUnit(tables: [FleetTables.note], size: "300", readiness: .inOrder),
        FleetUnit(
            tables: [
                FleetTables.exchange, FleetTables.body, FleetTables.part, FleetTables.openRosa,
                FleetTables.caseBlock,
            ],
            size: "2 * (t.request_size + t.response_size) + 2000",
            readiness: .when("t.outcome <> 'open' AND t.side = 'both'"), place: "request_chunk_id"),
        FleetUnit(
            tables: [
                FleetTables.message, FleetTables.frame, FleetTables.command, FleetTables.change,
            ],
            size: "3 * t.size + 1500", readiness: .when("t.side = 'both'"), place: "chunk_id"),
        FleetUnit(
            tables: [FleetTables.fault], size: "800", readiness: .afterSession, place: "chunk_id"),
        FleetUnit(tables: [FleetTables.verdict], size: "600", readiness: .afterSession),
        FleetUnit(
            tables: [FleetTables.finding], size: "1000", readiness: .afterSession, place: "chunk_id"
        ),
        FleetUnit(
            tables: [FleetTables.undecided], size: "1000", readiness: .afterSession,
            place: "chunk_id"),
    ]

    /// Those that may come, and go, after their session was shipped.
    static let late = all.filter {
        [FleetTables.fault, FleetTables.verdict, FleetTables.finding, FleetTables.undecided]
            .map(\.name).contains($0.name)
    }

    /// Those of which rows are replaced by others, under new numbers.
    static let replaced = late.filter {
        [FleetTables.finding, FleetTables.undecided].map(\.name).contains($0.name)
    }

    /// The unit `name`; nil where there is none.
    static func named(_ name: String) -> FleetUnit? { all.first { $0.name == name } }
}
