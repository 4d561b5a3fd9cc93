internal import CSQLite
internal import Platform
internal import Storage

extension CommCareState {
    static func migrate(
        _ connection: Connection, in folder: String
    ) throws {
        switch try connection.integer("PRAGMA user_version") {
        case 2: return
        case 0:
            try connection.transaction { () throws(StorageFault) in
                try connection.execute(
                    """
                    CREATE TABLE fact (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
                    CREATE TABLE form (id INTEGER PRIMARY KEY AUTOINCREMENT,
                      instance TEXT NOT NULL UNIQUE, filename TEXT NOT NULL, xml BLOB,
                      state INTEGER NOT NULL, attempts INTEGER NOT NULL, message TEXT NOT NULL,
                      file TEXT, boundary TEXT) STRICT;
                    CREATE TABLE pause (kind INTEGER PRIMARY KEY, user INTEGER NOT NULL,
                      automatic INTEGER NOT NULL, failures INTEGER NOT NULL) STRICT;
                    \(CaseRows.schema)
                    PRAGMA user_version = 2;
                    """)
            }
        case 1: try migrateFirst(connection, in: folder)
        default: throw StorageFault(code: SQLITE_NOTADB, message: "it is of a newer version")
        }
    }

    /// Brings a state that kept restores as files up to date: its next restore brings everything.
    private static func migrateFirst(_ connection: Connection, in folder: String) throws {
        var written: [(id: Int64, name: String, boundary: String)] = []
        let forms = try connection.prepare(
            "SELECT id, xml, filename FROM form WHERE state <> 1 AND xml IS NOT NULL")
        while try forms.step() {
            let id = forms.integer(0)
            var parts: [SubmissionFile.Part] = []
            let files = try connection.prepare(
                "SELECT name, content FROM attachment WHERE form = ? ORDER BY position")
            files.bind(1, id)
            while try files.step() {
                parts.append(
                    SubmissionFile.Part(name: files.string(0), content: .bytes(files.bytes(1))))
            }
            let name = newFileName()
            let boundary = try SubmissionFile.write(
                forms.bytes(1), named: forms.string(2), with: parts, to: "\(folder)/\(name)")
            written.append((id, name, boundary))
        }
        guard LocalFile.sync(folder) else {
            throw CommCareClientError.storage("\(folder) cannot be written; make room")
        }
        try connection.transaction { () throws(StorageFault) in
            try connection.execute(
                """
                ALTER TABLE form ADD COLUMN file TEXT;
                ALTER TABLE form ADD COLUMN boundary TEXT;
                UPDATE form SET xml = NULL WHERE state = 1;
                DROP TABLE attachment;
                DROP TABLE document;
                DELETE FROM fact WHERE name = 'token';
                \(CaseRows.schema)
                PRAGMA user_version = 2;
                """)
            let update = try connection.prepare(
                "UPDATE form SET file = ?, boundary = ? WHERE id = ?")
            for form in written {
                update.bind(1, form.name)
                update.bind(2, form.boundary)
                update.bind(3, form.id)
                try update.run()
            }
        }
    }

    static func newFileName() -> String {
        "submission-" + String(UInt64.random(in: 0 ... .max), radix: 16)
    }
}
