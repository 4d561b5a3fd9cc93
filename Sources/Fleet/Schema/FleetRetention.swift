/// Deletes days that are older than they are to be kept.
struct FleetRetention {
    private let server: ClickHouse
    private let sql: SchemaSQL
    private let today: Int

    /// Tables with the bytes that were recorded.
    private static let chunkTables: Set<String> = ["chunk", "patch", "delivery"]

    /// The retention on a server of `version`; `today` is the number of days since 1970.
    init(_ server: ClickHouse, version: ServerVersion, today: Int) {
        self.server = server
        sql = SchemaSQL(address: server.address, version: version)
        self.today = today
    }

    /// Deletes whole days, and has the server go on with that where it can.
    ///
    /// Where the tables are sharded, those of this server are meant: each shard has its own.
    ///
    /// - Parameters:
    ///   - days: How many days rows are kept; nil for ever.
    ///   - chunkDays: The same for recorded bytes; nil for as long as other rows.
    /// - Returns: How many partitions were deleted, and whether the server goes on.
    /// - Throws: ``FleetError``.
    func apply(days: Int?, chunkDays: Int?) throws(FleetError) -> (partitions: Int, goesOn: Bool) {
        var count = 0
        for table in FleetTables.all {
            let isChunks = Self.chunkTables.contains(table.name)
            let kept = isChunks ? [days, chunkDays].compactMap { $0 }.min() : days
            guard let kept else { continue }
            let name = sql.local(table.name)
            let limit = today - kept
            let old = try server.rows(
                """
                SELECT DISTINCT partition FROM system.parts
                WHERE database = \(TabSeparated.literal(server.address.database))
                AND table = \(TabSeparated.literal(name)) AND active
                AND toDate(partition) < \(DayText.literal(max(0, limit)))
                """)
            for row in old {
                guard let day = row.first ?? nil else { continue }
                try server.run("ALTER TABLE \(name) DROP PARTITION \(TabSeparated.literal(day))")
                count += 1
            }
            if sql.version.hasTimeToLive {
                try server.run("ALTER TABLE \(name) MODIFY TTL day + INTERVAL \(kept + 1) DAY")
            }
        }
        return (count, sql.version.hasTimeToLive)
    }
}
