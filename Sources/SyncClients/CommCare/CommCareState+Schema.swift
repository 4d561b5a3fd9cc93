internal import CSQLite
internal import Platform
internal import Storage

extension CommCareState {
    /// Creates the tables of a new state, and refuses one of another version.
    static func prepare(_ connection: Connection) throws(StorageFault) {
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
        case 1:
            throw StorageFault(
                code: SQLITE_NOTADB,
                message: "it is of a development version that was never released: "
                    + "send its forms with that version, or name another folder")
        default: throw StorageFault(code: SQLITE_NOTADB, message: "it is of a newer version")
        }
    }

    static func newFileName() -> String {
        "submission-" + String(UInt64.random(in: 0 ... .max), radix: 16)
    }
}
