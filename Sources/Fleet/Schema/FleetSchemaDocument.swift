/// The documentation of the fleet's schema, written from its tables.
enum FleetSchemaDocument {
    /// All of it, in Markdown.
    static var markdown: String {
        var text = """
            # The schema of a fleet

            Tables in ClickHouse, 18.16 or newer, that `tapedeck ship` creates and fills. Their rows are those of
            the tables of the same name in a trace ([TraceFormat.md](../Trace/TraceFormat.md)), with the same columns; each
            begins with the recorder, the day, the wall clock, the batch and the session. `packet` and `secret` are not
            shipped, and neither are `head` and `content` of `http_body`: the bytes are in `chunk`, decoded content
            is beside the exchange.

            - A row is identified by `recorder`, `session_id` and its number. It is there once; the engine
              (`ReplacingMergeTree`) would merge rows that are there twice, and no query relies on that.
            - Partitions are days in UTC, rows are sorted by recorder, session and number. A query that names a day
              reads that day, one that names a recorder and a session as good as nothing else.
            - Columns that end in `_ns` are nanoseconds since the start of the session, those in `_unix_ns` since 1970 UTC.
              Numbers are Int64, text and bytes are String.
            - On a cluster a table has its rows in `NAME_local` of each shard, and `NAME` is `Distributed` over these by
              `cityHash64(recorder)`: what one recorder sent is on one shard, so that `IN (SELECT ...)` about
              rows of the same recorder needs no other.
            - Statements about places (`finding_statement`, `undecided_statement`) belong to the row that begins there:
              `(recorder, request_chunk_id, request_offset)` of an exchange, `(recorder, chunk_id, offset)` of a message,
              `(recorder, message_chunk_id, message_offset)` of a command.
            - `fleet_migration` has a row for each change of the schema: number, name, version of the program, time.

            This file is generated from `Schema/FleetTables.swift`; a test compares them.

            """
        for table in FleetTables.all {
            text +=
                "\n## \(table.name)\n\n\(table.comment)\n\n| column | type | meaning |\n|---|---|---|\n"
            for column in table.columns {
                text += "| `\(column.name)` | `\(column.kind.sql)` | \(column.comment) |\n"
            }
        }
        return text
    }
}
