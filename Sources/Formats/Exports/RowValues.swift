internal import Trace
internal import Wire

/// Rows of ``Timeline`` as the values they are in a trace.
enum RowValues {
    static func connection(
        _ values: [RecordedValue]
    ) -> (session: Int64, row: ConnectionRow) {
        let row = Named(.connection, values)
        return (
            row.number("session_id"),
            ConnectionRow(
                id: ConnectionID(row.number("id")),
                at: Instant(nanoseconds: row.number("at_ns")), listener: row.text("listener"),
                client: row.text("client"),
                mode: ConnectionRow.Mode(rawValue: row.text("mode")) ?? .forward)
        )
    }

    static func chunk(_ row: Timeline.Row) -> (id: Int64, row: Chunk) {
        let values = Named(.chunk, row.values)
        let patches = row.patches.map { patch in
            let patch = Named(.patch, patch)
            return Patch(
                offset: Int(patch.number("offset")), removed: Int(patch.number("removed")),
                inserted: patch.bytes("inserted"),
                reason: Patch.Reason(rawValue: patch.text("reason")) ?? .fault)
        }
        return (
            values.number("id"),
            Chunk(
                connection: ConnectionID(values.number("connection_id")),
                leg: LegID(values.number("leg_id")), sender: values.peer("sender") ?? .client,
                origin: Chunk.Origin(rawValue: Int(values.number("origin"))) ?? .peer,
                at: Instant(nanoseconds: values.number("at_ns")), bytes: values.bytes("bytes"),
                patches: patches)
        )
    }

    static func event(_ values: [RecordedValue]) -> EventRow {
        let row = Named(.event, values)
        return EventRow(
            EventRow.Kind(rawValue: row.text("kind")) ?? .warning,
            connection: row.optional("connection_id").map { ConnectionID($0) },
            leg: row.optional("leg_id").map { LegID($0) },
            at: Instant(nanoseconds: row.number("at_ns")), says: row.text("says"))
    }

    static func gap(_ values: [RecordedValue]) -> GapRow {
        let row = Named(.gap, values)
        return GapRow(
            connection: row.optional("connection_id").map { ConnectionID($0) },
            leg: row.optional("leg_id").map { LegID($0) }, sender: row.peer("sender"),
            at: Instant(nanoseconds: row.number("at_ns")),
            until: Instant(nanoseconds: row.number("until_ns")), count: row.number("bytes"),
            chunks: row.number("chunks"),
            reason: GapRow.Reason(rawValue: row.text("reason")) ?? .notCaptured)
    }

    /// The values of a row by the names of its columns.
    private struct Named {
        let table: RecordedTable
        let values: [RecordedValue]

        init(_ table: RecordedTable, _ values: [RecordedValue]) {
            self.table = table
            self.values = values
        }

        func optional(_ name: String) -> Int64? { table.index(name).flatMap { values[$0].number } }

        func number(_ name: String) -> Int64 { optional(name) ?? 0 }

        func peer(_ name: String) -> Peer? { optional(name).flatMap { Peer(rawValue: Int($0)) } }

        func bytes(_ name: String) -> [UInt8] {
            switch table.index(name).map({ values[$0] }) {
            case .text(let bytes)?, .bytes(let bytes)?: bytes
            default: []
            }
        }

        func text(_ name: String) -> String { String(decoding: bytes(name), as: UTF8.self) }
    }
}
