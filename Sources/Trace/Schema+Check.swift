internal import CSQLite
internal import Storage

extension Schema {
    /// Refuses a file with the marks of a trace that this program cannot have written, since a
    /// file from elsewhere may be made to harm whoever opens it.
    ///
    /// - Parameters:
    ///   - connection: Of the file.
    ///   - path: Its name, for the message.
    /// - Throws: ``TraceError`` with code `not-a-trace`.
    static func check(_ connection: Connection, path: String) throws(TraceError) {
        let mistake: String?
        do throws(StorageFault) {
            let pages = try connection.integer("PRAGMA page_count")
            connection.limitWork(units: workOfSmallest + min(pages, maxPages))
            try connection.trustSchema(false)
            if let found = try schemaMistake(connection) {
                mistake = found
            } else {
                // What it has is this program's own: its views call functions for JSON.
                try connection.trustSchema(true)
                mistake = try numberMistake(connection)
            }
        } catch {
            throw error.traceError(at: path)
        }
        guard let mistake else { return }
        throw TraceError(
            .notATrace,
            "\(path) is no trace as tapedeck writes it: \(mistake); it is damaged or was changed by "
                + "another program")
    }

    /// Units of work that a statement may take without a row in the smallest trace, and besides for
    /// each page: about a hundred times what the slowest view needs.
    private static let workOfSmallest: Int64 = 2_000
    private static let maxPages: Int64 = 1 << 40

    // MARK: The schema

    /// A table, a view or a trigger.
    struct Object: Hashable, Sendable {
        var type: String
        var sql: String
    }

    /// What is wrong with the tables and views, nil for nothing.
    ///
    /// A view in place of a table can keep SQLite busy for ever, and a trigger changes what is
    /// written. Further tables and views are nobody's harm, since no statement of this program names
    /// them, nor are further indexes that compute nothing.
    private static func schemaMistake(_ connection: Connection) throws(StorageFault) -> String? {
        var missing = objects
        if let name = try connection.text(
            """
            SELECT s.name FROM sqlite_schema s JOIN pragma_index_xinfo(s.name) x
            WHERE s.type = 'index' AND x.cid = -2 LIMIT 1
            """)
        {
            return "it has an index on an expression, \(name)"
        }
        for (name, object) in try objects(of: connection) {
            if object.type == "trigger" { return "it has a trigger, \(name)" }
            guard let expected = missing.removeValue(forKey: name) else {
                // SQLite itself refuses two of one name, unless somebody wrote them into its table.
                if objects[name] != nil { return "it has \(name) twice" }
                continue
            }
            guard object.type == expected.type else {
                return "\(name) is a \(object.type) there"
            }
            guard object.sql == expected.sql || code(of: object.sql) == code(of: expected.sql)
            else {
                return "its \(object.type) \(name) has another definition"
            }
        }
        return missing.keys.min().map { "\($0) is missing" }
    }

    /// The tables and views of the format.
    private static let objects = Dictionary(objects(in: whole)) { first, _ in first }

    /// The tables and views that `sql` makes, as SQLite keeps them; to make them and to ask it takes
    /// ten times as long.
    ///
    /// - Parameter sql: Statements that begin and end with a line each, and have no comment behind.
    /// - Returns: Them, in that order.
    static func objects(in sql: String) -> [(name: String, object: Object)] {
        var found: [(name: String, object: Object)] = []
        var start: String.Index?
        for line in sql.utf8.split(separator: UInt8(ascii: "\n")) {
            let first = start ?? line.startIndex
            guard line.last == UInt8(ascii: ";") else {
                start = first
                continue
            }
            start = nil
            let statement = sql[first..<sql.utf8.index(before: line.endIndex)]
            let words = statement.split(maxSplits: 4) { $0 == " " || $0 == "(" }
            guard words.count > 3, words[0] == "CREATE" else { continue }
            switch words[1] {
            case "TABLE":
                found.append((String(words[2]), Object(type: "table", sql: String(statement))))
            case "VIRTUAL":
                found.append((String(words[3]), Object(type: "table", sql: String(statement))))
            case "VIEW":
                found.append((String(words[2]), Object(type: "view", sql: String(statement))))
            default: break
            }
        }
        return found
    }

    /// The tables, views and triggers of a file, without those that SQLite makes of itself, whose
    /// SQL depends on its version.
    static func objects(
        of connection: Connection
    ) throws(StorageFault) -> [(name: String, object: Object)] {
        let statement = try connection.prepare(
            """
            SELECT name, type, sql FROM sqlite_schema WHERE type <> 'index'
              AND name NOT GLOB 'sqlite_*' AND name NOT GLOB 'search_*'
            """)
        var found: [(name: String, object: Object)] = []
        while try statement.step() {
            found.append(
                (statement.string(0), Object(type: statement.string(1), sql: statement.string(2))))
        }
        return found
    }

    /// SQL without its comments and its spacing, neither of which changes its meaning.
    private static func code(of sql: String) -> String {
        sql.split(separator: "\n").map { line in
            let code = line.firstRange(of: "--").map { line[..<$0.lowerBound] } ?? line
            return code.split(separator: " ").joined(separator: " ")
        }.filter { !$0.isEmpty }.joined(separator: " ")
    }

    // MARK: The numbers

    /// What is wrong with the numbers of rows, nil for nothing.
    ///
    /// The numbers of other rows are computed from them, so they have to leave room for that.
    private static func numberMistake(_ connection: Connection) throws(StorageFault) -> String? {
        let numbered = tables.filter { $0.counter != nil }.map(\.name)
        let ends = numbered.map {
            "SELECT '\($0)', (SELECT min(id) FROM \($0)), (SELECT max(id) FROM \($0))"
        }
        let statement = try connection.prepare(
            (ends + ["SELECT 'counter', min(next), max(next) FROM counter"]).joined(
                separator: " UNION ALL "))
        while try statement.step() {
            for column: Int32 in [1, 2] where !statement.isNull(column) {
                let number = statement.integer(column)
                guard !(1...maxNumber).contains(number) else { continue }
                return "\(statement.string(0)) has the number \(number)"
            }
        }
        return nil
    }

    /// The largest number of a row: that of the last document of its exchange is in range as well.
    private static let maxNumber: Int64 = 1 << 37
}
