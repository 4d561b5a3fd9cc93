import Notation
internal import Simperium
internal import Storage
internal import Wire

/// The Simperium server's part of the state file.
///
/// A change writes its object's row, the new version and a line of the log, and nothing else. For
/// one thread at a time.
final class SimperiumStore {
    /// A bucket in the file.
    struct Row {
        var number: Int64
        /// Position of the newest line of its log; 0 is where it began.
        var position: Int64
        /// Objects removed since old removals were last dropped.
        var removals = 0
    }

    let connection: Connection
    var rows: [ServerModel.BucketID: Row] = [:]
    private let addBucket: Statement
    private let addLine: Statement
    private let putObject: Statement
    private let addVersion: Statement
    private let removeObject: Statement
    private let dropVersions: Statement
    private let addToken: Statement

    /// The tables, made where they are missing.
    init(_ connection: Connection) throws(StorageFault) {
        self.connection = connection
        try connection.execute(Self.schema)
        addBucket = try connection.prepare(
            "INSERT INTO simperium_bucket (app, account, name) VALUES (?, ?, ?) RETURNING id")
        addLine = try connection.prepare(
            "INSERT INTO simperium_log VALUES (?, ?, ?, ?, ?, ?)")
        putObject = try connection.prepare(
            """
            INSERT INTO simperium_object (bucket_id, key, number, place) VALUES (?1, ?2, ?3, ?4)
            ON CONFLICT DO UPDATE SET number = ?3, gone = NULL,
              place = CASE WHEN gone IS NULL THEN place ELSE ?4 END
            """)
        addVersion = try connection.prepare(
            "INSERT OR REPLACE INTO simperium_version VALUES (?, ?, ?, ?, ?)")
        removeObject = try connection.prepare(
            "UPDATE simperium_object SET number = ?3, gone = ?4 WHERE bucket_id = ?1 AND key = ?2")
        dropVersions = try connection.prepare(
            "DELETE FROM simperium_version WHERE bucket_id = ? AND key = ?")
        addToken = try connection.prepare(
            "INSERT OR REPLACE INTO simperium_token (token, app, user) VALUES (?, ?, ?)")
    }

    private static let schema = """
        CREATE TABLE IF NOT EXISTS simperium_bucket (
          id INTEGER PRIMARY KEY, app TEXT NOT NULL, account TEXT NOT NULL, name TEXT NOT NULL,
          UNIQUE (app, account, name)) STRICT;
        CREATE TABLE IF NOT EXISTS simperium_object (
          bucket_id INTEGER NOT NULL, key TEXT NOT NULL,
          number INTEGER NOT NULL, -- newest version, or that of the removal
          place INTEGER NOT NULL, -- position of the change that created it
          gone INTEGER, -- position of the change that removed it
          PRIMARY KEY (bucket_id, key)) STRICT, WITHOUT ROWID;
        CREATE INDEX IF NOT EXISTS simperium_removed ON simperium_object (bucket_id, gone)
          WHERE gone IS NOT NULL;
        CREATE TABLE IF NOT EXISTS simperium_version (
          bucket_id INTEGER NOT NULL, key TEXT NOT NULL, number INTEGER NOT NULL,
          data TEXT NOT NULL, -- JSON
          change TEXT, -- JSON: the operations that made it of the version before
          PRIMARY KEY (bucket_id, key, number)) STRICT, WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS simperium_log (
          bucket_id INTEGER NOT NULL, position INTEGER NOT NULL, cv TEXT NOT NULL,
          client TEXT, ccid TEXT, -- by which a change is known when it is sent again
          change BLOB, -- the c as it was sent; NULL where cv does not give it any more
          PRIMARY KEY (bucket_id, position)) STRICT, WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS simperium_known (
          bucket_id INTEGER NOT NULL, client TEXT NOT NULL, ccid TEXT NOT NULL,
          code INTEGER -- with which it is refused; NULL for a duplicate
          ) STRICT;
        CREATE TABLE IF NOT EXISTS simperium_token (
          token TEXT PRIMARY KEY, app TEXT NOT NULL, user TEXT NOT NULL) STRICT, WITHOUT ROWID;
        """

    /// Writes what happened, all or nothing.
    ///
    /// - Parameters:
    ///   - records: What happened, in order.
    ///   - server: The server after it.
    /// - Throws: `StorageFault` where the disk does not take it; nothing is written then.
    func write(
        _ records: [SimperiumServer.Record], of server: SimperiumServer
    ) throws(StorageFault) {
        guard !records.isEmpty else { return }
        try connection.transaction { () throws(StorageFault) in
            for record in records {
                switch record {
                case .opened(let id, let cv): try open(id, cv)
                case .changed(let id, let change): try write(change, id, server)
                case .token(let token, let account): try write(token, account)
                }
            }
        }
    }

    func write(_ token: String, _ account: SimperiumServer.Account) throws(StorageFault) {
        addToken.bind(1, token)
        addToken.bind(2, account.app)
        addToken.bind(3, account.user)
        try addToken.run()
    }

    /// Adds a version of an object.
    func add(
        _ version: ServerObject.Version, _ key: String, _ bucket: Int64
    ) throws(StorageFault) {
        addVersion.bind(1, bucket)
        addVersion.bind(2, key)
        addVersion.bind(3, version.number)
        addVersion.bind(4, copying: version.data.bytes(), asText: true)
        if let change = version.change {
            addVersion.bind(5, copying: change.bytes(), asText: true)
        } else {
            addVersion.bindNull(5)
        }
        try addVersion.run()
    }

    func open(_ id: ServerModel.BucketID, _ cv: String) throws(StorageFault) {
        addBucket.bind(1, id.app)
        addBucket.bind(2, id.account)
        addBucket.bind(3, id.name)
        var number: Int64 = 0
        while try addBucket.step() { number = addBucket.integer(0) }
        rows[id] = Row(number: number, position: 0)
        // The log begins where the bucket was before its first change.
        try add(number, 0, SimperiumChange<JSONValue>(cv: cv), nil)
    }

    private func write(
        _ change: SimperiumChange<JSONValue>, _ id: ServerModel.BucketID, _ server: SimperiumServer
    ) throws(StorageFault) {
        guard var row = rows[id], let bucket = server.model.buckets[id] else { return }
        row.position += 1
        defer { rows[id] = row }
        let reported = SimperiumMessage(0, .changes([change])).encoded(by: .server)
        try add(row.number, row.position, change, reported)
        let key = change.key ?? ""
        switch change.operation {
        case .modify:
            let number = change.ev ?? 0
            putObject.bind(1, row.number)
            putObject.bind(2, key)
            putObject.bind(3, number)
            putObject.bind(4, row.position)
            try putObject.run()
            // One that a later change of the same turn evicted need not be written.
            guard let data = bucket.data(of: key, at: number) else { break }
            try add(
                ServerObject.Version(number: number, data: data, change: change.value), key,
                row.number)
            if number % 10 == 0 { try thin(row.number, key, bucket) }
        case .remove:
            removeObject.bind(1, row.number)
            removeObject.bind(2, key)
            removeObject.bind(3, change.ev ?? 0)
            removeObject.bind(4, row.position)
            try removeObject.run()
            if !bucket.options.keepsVersionsOfRemoved {
                dropVersions.bind(1, row.number)
                dropVersions.bind(2, key)
                try dropVersions.run()
            }
            row.removals += 1
        default:
            try connection.execute(
                """
                UPDATE simperium_object SET number = number + 1, gone = \(row.position)
                  WHERE bucket_id = \(row.number) AND gone IS NULL
                """)
            if !bucket.options.keepsVersionsOfRemoved {
                try connection.execute(
                    "DELETE FROM simperium_version WHERE bucket_id = \(row.number)")
            }
            row.removals += 1000
        }
        if row.removals >= 1000 {
            row.removals = 0
            try forgetRemoved(row.number, bucket.options.removedObjects)
        }
        if row.position % 100 == 0 { try shorten(row, bucket.options) }
    }

    func add(
        _ bucket: Int64, _ position: Int64, _ change: SimperiumChange<JSONValue>,
        _ reported: [UInt8]?
    ) throws(StorageFault) {
        addLine.bind(1, bucket)
        addLine.bind(2, position)
        addLine.bind(3, change.cv ?? "")
        addLine.bind(4, change.clientID)
        addLine.bind(5, change.ccids.first)
        if let reported {
            addLine.bind(6, copying: reported, asText: false)
        } else {
            addLine.bindNull(6)
        }
        try addLine.run()
    }

    /// Deletes the versions that the bucket evicted.
    private func thin(
        _ number: Int64, _ key: String, _ bucket: ServerBucket
    ) throws(StorageFault) {
        guard let kept = bucket.history(of: key)?.versions.map(\.number) else { return }
        let statement = try connection.prepare(
            "DELETE FROM simperium_version WHERE bucket_id = ? AND key = ? AND number NOT IN ("
                + kept.map(String.init).joined(separator: ",") + ")")
        statement.bind(1, number)
        statement.bind(2, key)
        try statement.run()
    }

    /// Deletes the changes that `cv` no longer returns, and the lines that no longer detect a
    /// duplicate; one more marks the start.
    private func shorten(_ row: Row, _ options: BucketOptions) throws(StorageFault) {
        let most = Int64(max(options.knownChanges, options.loggedChanges))
        try connection.execute(
            """
            DELETE FROM simperium_log
              WHERE bucket_id = \(row.number) AND position < \(row.position - most);
            UPDATE simperium_log SET change = NULL
              WHERE bucket_id = \(row.number) AND change IS NOT NULL
                AND position <= \(row.position - Int64(options.loggedChanges))
            """)
    }

    /// Drops the objects that were removed longest ago.
    func forgetRemoved(_ bucket: Int64, _ most: Int) throws(StorageFault) {
        try connection.execute(
            """
            DELETE FROM simperium_object WHERE bucket_id = \(bucket) AND gone <= (
              SELECT gone FROM simperium_object WHERE bucket_id = \(bucket) AND gone IS NOT NULL
              ORDER BY gone DESC LIMIT 1 OFFSET \(max(most, 0)))
            """)
    }
}
