internal import Filters
internal import Wire

/// Asks the tables of a fleet.
///
/// For one thread at a time, which each call blocks until the server has answered.
public struct FleetReader {
    let server: ClickHouse

    /// A reader of the tables that `server` has.
    ///
    /// - Throws: ``FleetError`` where there is no such server, or no tables that this program knows.
    public init(_ server: ClickHouse) throws(FleetError) {
        self.server = server
        try FleetSchema(server, version: try server.version(), program: "", unixNow: { 0 }).check()
    }

    /// The rows of a query, as bytes; nil for NULL.
    func rows(_ sql: String) throws(FleetError) -> [[[UInt8]?]] {
        var settings: [ClickHouse.Setting] = []
        // The rows of a recorder are on one shard, so subqueries need that alone.
        if server.address.cluster != nil { settings.append(("distributed_product_mode", "local")) }
        if sql.utf8.count > Self.usualSize {
            settings += [
                ("max_query_size", String(2 * sql.utf8.count)), ("max_ast_elements", "1000000"),
                ("max_expanded_ast_elements", "2000000"),
            ]
        }
        return TabSeparated.values(
            try server.run(sql + "\nFORMAT TabSeparated", settings: settings))
    }

    /// Bytes of a query that every server takes, with its usual settings.
    private static let usualSize = 100_000

    /// Adds their labels to sessions.
    func label(_ sessions: inout [FleetSession]) throws(FleetError) {
        var places: [String: [Int64: Int]] = [:]
        for (place, session) in sessions.enumerated() {
            places[session.recorder, default: [:]][session.number.rawValue] = place
        }
        // Names and values one below the other, so that no sign between them is needed.
        let found = try rows(
            """
            SELECT recorder, session_id, name, value FROM session ARRAY JOIN label.name AS name, \
            label.value AS value WHERE (recorder, session_id) IN (\
            \(sessions.map(\.literal).joined(separator: ", ")))
            """)
        for row in found where row.count == 4 {
            let recorder = FleetTableRows.text(row[0])
            guard let place = places[recorder]?[FleetTableRows.number(row[1])] else { continue }
            let label = FleetSession.Label(
                name: FleetTableRows.text(row[2]), value: FleetTableRows.text(row[3]))
            // A row that was sent twice and not replaced yet has them twice.
            if !sessions[place].labels.contains(label) { sessions[place].labels.append(label) }
        }
    }
}
