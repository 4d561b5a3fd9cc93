import Foundation
import Testing

@testable import Fleet

/// The schema as values, as SQL and as a document.
struct FleetSchemaTests {
    @Test func `the documentation is what the tables say`() throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../Sources/Fleet/FleetSchema.md").standardizedFileURL
        if ProcessInfo.processInfo.environment["TAPEDECK_REBASELINE"] == "1" {
            try Data(FleetSchemaDocument.markdown.utf8).write(to: file)
        }
        let written = try String(contentsOf: file, encoding: .utf8)
        #expect(
            written == FleetSchemaDocument.markdown,
            "the tables have changed: add a migration, and write the document with TAPEDECK_REBASELINE=1"
        )
    }

    @Test func `names and columns are unique`() {
        #expect(Set(FleetTables.all.map(\.name)).count == FleetTables.all.count)
        for table in FleetTables.all {
            #expect(Set(table.columns.map(\.name)).count == table.columns.count, "\(table.name)")
        }
        let shipped = FleetUnit.all.flatMap { $0.tables.map(\.name) }
        #expect(shipped == FleetTables.all.map(\.name))
    }

    @Test func `a cluster has local tables`() throws {
        let address = try FleetAddress(parsing: "clickhouse://a/b?cluster=lab&replicated=true")
        let sql = SchemaSQL(address: address, version: .oldest)
        let statements = sql.creation(of: FleetTables.mark)
        #expect(statements.count == 2)
        #expect(
            statements[0].contains(
                "ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/b/mark_local'"))
        #expect(statements[1].contains("Distributed(lab, b, mark_local, cityHash64(recorder))"))
        #expect(!statements[0].contains("CODEC"))
        let newer = SchemaSQL(address: address, version: ServerVersion(major: 24, minor: 8))
        #expect(newer.creation(of: FleetTables.chunk)[0].contains("`bytes` String CODEC(ZSTD)"))
    }
}
