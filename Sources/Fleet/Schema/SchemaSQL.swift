/// The fleet's schema as SQL of one server.
struct SchemaSQL: Sendable {
    let address: FleetAddress
    let version: ServerVersion

    /// Where a table's rows are on this server: on a cluster the name is that of all shards
    /// together.
    func local(_ table: String) -> String {
        address.cluster == nil ? table : table + "_local"
    }

    /// Statements that create a table.
    func creation(of table: FleetTable) -> [String] {
        let place = local(table.name)
        var statements = [
            """
            CREATE TABLE IF NOT EXISTS \(place) (
            \(table.columns.map { "  " + declaration($0) }.joined(separator: ",\n"))
            ) ENGINE = \(engine(place)) PARTITION BY day ORDER BY (recorder, session_id, \(table.key))
            """
        ]
        if let cluster = address.cluster {
            statements.append(
                """
                CREATE TABLE IF NOT EXISTS \(table.name) AS \(place)
                ENGINE = Distributed(\(cluster), \(address.database), \(place), cityHash64(recorder))
                """)
        }
        return statements
    }

    private func engine(_ place: String) -> String {
        guard address.isReplicated else { return "ReplacingMergeTree" }
        return """
            ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/\(address.database)/\(place)', '{replica}')
            """
    }

    private func declaration(_ column: FleetColumn) -> String {
        var text = "\(column.quotedName) \(column.kind.sql)"
        if version.hasCodecs {
            switch column.kind {
            case .number where column.name.hasSuffix("_ns") || column.name.hasSuffix("id"):
                text += " CODEC(Delta, ZSTD)"
            case .optionalText, .text, .texts: text += " CODEC(ZSTD)"
            default: break
            }
        }
        return text
    }

    /// The statement that creates the table of migrations.
    static let migrationTable = """
        CREATE TABLE IF NOT EXISTS fleet_migration (
          number Int64, name String, program String, applied_unix_ns Int64
        ) ENGINE = MergeTree PARTITION BY tuple() ORDER BY number
        """
}
