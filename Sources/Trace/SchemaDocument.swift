/// The documentation of the trace format, generated from the comments in its SQL.
struct SchemaDocument {
    /// A table or view.
    struct Table: Hashable {
        var name: String
        /// Whether it is a view.
        var isView: Bool
        var detail: String
        var columns: [Column] = []
    }

    /// A column of a table or view.
    struct Column: Hashable {
        var name: String
        /// The declared type with its constraints; empty in a view.
        var type: String
        var detail: String
    }

    /// A part of the schema with its title and description.
    struct Chapter {
        var title: String
        var detail: String
        var tables: [Table]
    }

    /// The whole format.
    static let chapters = [
        Chapter(
            title: "Recorded rows",
            detail: """
                Written once, in the order of arrival, and never updated. Deleted only by
                `--max-size` and `--keep-last`, which leave a row in `gap`.
                """, tables: tables(in: Schema.truth)),
        Chapter(
            title: "Decoded rows",
            detail: "Dropped and built again from the recorded rows by `tapedeck rebuild`.",
            tables: tables(in: Schema.derived)),
        Chapter(
            title: "Statements",
            detail: "Refer to recorded rows by chunk and offset, so that they survive a rebuild.",
            tables: tables(in: Schema.statements)),
        Chapter(
            title: "Views", detail: "For users and programs that query a trace.",
            tables: tables(in: Schema.views)),
        Chapter(
            title: "What each side held",
            detail: """
                As far as SQL can compute it from the rows above, at the end of the trace: versions
                of objects, changes without acknowledgement, forms, syncs and cases. `tapedeck state`
                shows it for any time, applies changes to objects, and differs from the views of
                cases in this:

                - It has the files of cases, and properties of any size.
                - It purges cases with every sync from a token; `commcare_device_case` does so
                  once, as of the last. A case that was purged before and came back also has the
                  blocks from before in the view. Where cases refer to each other in a circle,
                  devices delete nothing, and the view does.
                - It finds the user or the device of a request that has none by its sync token
                  and by its credentials.
                - What a fault lost or altered counts for each side as it was there; the views know
                  what was received.
                """, tables: tables(in: Schema.stateViews)),
        Chapter(
            title: "Full-text search",
            detail: """
                Built after the commits, up to `progress`. `rowid` is 2 * `body.id` for bodies
                and 2 * `message.id` + 1 for messages. Contentless: the words are here, the text is in
                `body` and `message`.
                """, tables: tables(in: Schema.search)),
    ]

    /// The tables that `sql` creates, one column to a line with its comment.
    static func tables(in sql: String) -> [Table] {
        var tables: [Table] = []
        for line in sql.split(separator: "\n") {
            let (code, comment) = split(line)
            let words = code.split(separator: " ", omittingEmptySubsequences: true)
            if words.first == "CREATE" {
                guard let comment, words.count > 2 else { continue }
                let name = words[1] == "VIRTUAL" ? words[3] : words[2]
                tables.append(
                    Table(
                        name: String(name.prefix { $0 != "(" }), isView: words[1] == "VIEW",
                        detail: comment))
                continue
            }
            guard let comment, let last = tables.indices.last else { continue }
            if tables[last].isView {
                // `… AS name,` or `… AS name` before the comment.
                guard let name = words.last, words.dropLast().last == "AS" else { continue }
                tables[last].columns.append(
                    Column(name: unquoted(name), type: "", detail: comment))
            } else if let name = words.first {
                let type = words.dropFirst().joined(separator: " ")
                tables[last].columns.append(
                    Column(
                        name: unquoted(name),
                        type: type.hasSuffix(",") ? String(type.dropLast()) : type, detail: comment)
                )
            }
        }
        return tables
    }

    /// The code of a line and its comment.
    private static func split(_ line: Substring) -> (code: Substring, comment: String?) {
        var previous: Character?
        for index in line.indices {
            if line[index] == "-", previous == "-" {
                let comment = line[line.index(after: index)...]
                return (line[..<line.index(before: index)], String(comment.drop { $0 == " " }))
            }
            previous = line[index]
        }
        return (line, nil)
    }

    private static func unquoted(_ name: Substring) -> String {
        String(name.filter { $0 != "\"" && $0 != "," })
    }

    /// The documentation as Markdown.
    static var markdown: String {
        var text = """
            # The trace format

            A trace is a SQLite file with `application_id` \(Schema.applicationID) (the letters `TAPE`) and
            `user_version` \(Schema.version), the version of the format. It can be read with any SQLite from 3.37
            on, also while it is being written.

            Columns that end in `_ns` are nanoseconds since the start of the row's session, unless
            stated otherwise. `sender` is 0 for the client and 1 for the server. Numbers are never
            used twice, also when rows are evicted.

            The order of recording is that of `chunk.id`; rows of other tables come after the
            chunk in `after_chunk_id`, in the order of `step`.

            Tapedeck refuses a file whose tables and views are not exactly these, that has triggers or
            indexes on expressions, or whose rows have numbers beyond 2^37; other tables, views and
            indexes may be added. Times are read up to 2^60 ns and other numbers up to 2^62.

            This file is generated from the tables in `Tables` and the comments in
            `Schema+….swift`; a test compares them.

            """
        for chapter in chapters {
            text += "\n## \(chapter.title)\n\n\(chapter.detail)\n"
            for table in chapter.tables {
                text += "\n### \(table.name)\n\n\(table.detail)\n\n"
                text +=
                    table.isView
                    ? "| column | meaning |\n|---|---|\n"
                    : "| column | type | meaning |\n|---|---|---|\n"
                for column in table.columns {
                    let type = table.isView ? "" : " `\(column.type)` |"
                    text += "| `\(column.name)` |\(type) \(column.detail) |\n"
                }
            }
        }
        text += """

            ## Questions

            In the views, with any SQLite: `sqlite3 -box app.tape < question.sql`. A `time` is one of the wall
            clock in UTC, `2026-11-21T14:03:05.123456Z`, and compares as text. `tapedeck ls` answers the usual ones
            without SQL: `--stats`, `--group-by`, `--sort`, `--columns`.

            """
        for example in ExampleQueries.all {
            text += "\n\(example.question)\n\n```sql\n\(example.sql)\n```\n"
        }
        return text
    }
}
