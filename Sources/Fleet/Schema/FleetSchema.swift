/// Brings the tables of a fleet to the form of this program, and refuses others.
public struct FleetSchema {
    private let server: ClickHouse
    private let sql: SchemaSQL
    private let program: String
    private let unixNow: @Sendable () -> Int64

    /// The schema on a server of `version`, for `program`, the version of this program; `unixNow` is
    /// the wall clock, nanoseconds since 1970.
    public init(
        _ server: ClickHouse, version: ServerVersion, program: String,
        unixNow: @escaping @Sendable () -> Int64
    ) {
        self.server = server
        sql = SchemaSQL(address: server.address, version: version)
        self.program = program
        self.unixNow = unixNow
    }

    /// Creates what is missing, and checks the rest.
    ///
    /// - Throws: ``FleetError``, with code `schema` where the tables are not those of this program.
    public func prepare() throws(FleetError) {
        let latest = try number()
        // A user who may only insert can ship to tables that are there.
        guard latest < Migration.latest else { return try check() }
        let database = server.address.database
        try server.run("CREATE DATABASE IF NOT EXISTS \(database)", database: nil)
        try server.run(SchemaSQL.migrationTable)
        for migration in Migration.all where migration.number > latest {
            for statement in migration.statements(sql) { try server.run(statement) }
            try server.run(
                """
                INSERT INTO fleet_migration VALUES (\(migration.number), \
                \(TabSeparated.literal(migration.name)), \(TabSeparated.literal(program)), \(unixNow()))
                """)
        }
        try check()
    }

    /// Checks the tables without changing anything.
    ///
    /// - Throws: ``FleetError``, with code `schema` where they are not those of this program.
    public func check() throws(FleetError) {
        let place = "\(server.address.place), database \(server.address.database)"
        let latest = try number()
        guard latest > 0 else {
            throw FleetError(
                .schema, "\(place), has no tables of a fleet; tapedeck ship creates them")
        }
        guard latest <= Migration.latest else {
            throw FleetError(
                .schema,
                "\(place), has schema \(latest) of a later tapedeck, this one supports \(Migration.latest): use a newer tapedeck"
            )
        }
        let rows = try server.rows(
            """
            SELECT table, name, type FROM system.columns
            WHERE database = \(TabSeparated.literal(server.address.database))
            """)
        var found: [String: [String: String]] = [:]
        for row in rows where row.count == 3 {
            found[row[0] ?? "", default: [:]][row[1] ?? ""] = row[2] ?? ""
        }
        for table in FleetTables.all {
            for name in Set([table.name, sql.local(table.name)]).sorted() {
                if let mistake = Self.mistake(table, found[name]) {
                    throw FleetError(
                        .schema,
                        "\(place): somebody changed table \(name): \(mistake); undo that, or ship to another database"
                    )
                }
            }
        }
    }

    private static func mistake(_ table: FleetTable, _ found: [String: String]?) -> String? {
        guard let found else { return "it is gone" }
        for column in table.columns {
            guard let type = found[column.name] else { return "column \(column.name) is missing" }
            guard type == column.kind.sql else {
                return "column \(column.name) is \(type) instead of \(column.kind.sql)"
            }
        }
        return nil
    }

    /// The number of the last migration, 0 without a database or a table of migrations.
    private func number() throws(FleetError) -> Int64 {
        do throws(FleetError) {
            return try server.number("SELECT max(number) FROM fleet_migration")
        } catch {
            // 60: no such table; 81: no such database.
            guard error.number == 60 || error.number == 81 else { throw error }
            return 0
        }
    }
}
