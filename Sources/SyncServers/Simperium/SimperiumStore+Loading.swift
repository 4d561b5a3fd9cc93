internal import Notation
internal import Simperium
internal import Storage
internal import Wire

extension SimperiumStore {
    /// Loads the file into an unused server.
    func load(into server: inout SimperiumServer) throws(StorageFault) {
        let tokens = try connection.prepare("SELECT token, app, user FROM simperium_token")
        while try tokens.step() {
            server.tokens[tokens.string(0)] = SimperiumServer.Account(
                app: tokens.string(1), user: tokens.string(2))
        }
        server.takeAnyToken()
        rows = [:]
        let buckets = try connection.prepare(
            """
            SELECT id, app, account, name, (SELECT max(position) FROM simperium_log
              WHERE bucket_id = id) FROM simperium_bucket ORDER BY id
            """)
        while try buckets.step() {
            let id = ServerModel.BucketID(
                app: buckets.string(1), account: buckets.string(2), name: buckets.string(3))
            rows[id] = Row(number: buckets.integer(0), position: buckets.integer(4))
        }
        for (id, row) in rows {
            let options =
                server.options(app: id.app, bucket: id.name)
                ?? SimperiumServer.usualOptions.bucket
            // A full disk must not keep what is there from being read.
            try? forgetRemoved(row.number, options.removedObjects)
            let bucket = try bucket(id.name, row, options, ChangeVersions(seed: server.model.seed))
            server.model.seed &+= 2
            server.model.put(bucket, as: id)
        }
    }

    private func bucket(
        _ name: String, _ row: Row, _ options: BucketOptions, _ versions: ChangeVersions
    ) throws(StorageFault) -> ServerBucket {
        let (start, known, reported) = try log(row.number)
        var seeding = options
        // Changes kept only to detect duplicates must not be sent.
        if !known.isEmpty {
            seeding.loggedChanges = min(options.loggedChanges, max(reported.count, 1))
        }
        var bucket = ServerBucket(
            name: name, options: seeding, versions: versions, objects: [],
            cv: reported.last?.cv ?? known.last?.cv ?? start, log: known + reported, logStart: start
        )
        try addObjects(of: row.number, to: &bucket)
        try loadKnown(row.number, into: &bucket)
        bucket.options = options
        return bucket
    }

    /// Where the log begins, the changes that are kept only to detect duplicates, and those that
    /// are sent.
    private func log(
        _ bucket: Int64
    ) throws(StorageFault) -> (
        start: String, known: [SimperiumChange<JSONValue>], reported: [SimperiumChange<JSONValue>]
    ) {
        let lines = try connection.prepare(
            """
            SELECT cv, client, ccid, change, position FROM simperium_log WHERE bucket_id = \(bucket)
              ORDER BY position
            """)
        var start: String?
        var known: [SimperiumChange<JSONValue>] = []
        var reported: [SimperiumChange<JSONValue>] = []
        while try lines.step() {
            let cv = lines.string(0)
            // The first line only marks where the log begins.
            guard start != nil else {
                start = cv
                continue
            }
            let text = lines.bytes(3)
            let read = SimperiumMessage(SimperiumCommand.parse(text, from: .server), in: text)
            if !text.isEmpty {
                guard case .changes(let changes) = read?.body else {
                    throw .damaged(
                        "simperium_log", "bucket_id \(bucket) and position \(lines.integer(4))",
                        "change")
                }
                reported += changes
            } else {
                // What precedes a gap is not sent any more.
                known += reported
                reported = []
                known.append(
                    SimperiumChange<JSONValue>(
                        cv: cv, ccids: lines.optionalString(2).map { [$0] } ?? [],
                        clientID: lines.optionalString(1)))
            }
        }
        return (start ?? "", known, reported)
    }

    /// Adds the objects in the order of the index, then the removed ones in the order of their
    /// removal, one after the other: all at once would take many times the memory.
    private func addObjects(
        of number: Int64, to bucket: inout ServerBucket
    ) throws(StorageFault) {
        let versions = try connection.prepare(
            """
            SELECT number, data, change FROM simperium_version WHERE bucket_id = \(number)
              AND key = ? ORDER BY number
            """)
        let rows = try connection.prepare(
            """
            SELECT key, number, gone FROM simperium_object WHERE bucket_id = \(number)
              ORDER BY gone IS NOT NULL, coalesce(gone, place), place
            """)
        while try rows.step() {
            let key = rows.string(0)
            var object = ServerObject(
                key: key, number: rows.integer(1), isRemoved: !rows.isNull(2), versions: [])
            versions.bind(1, key)
            while try versions.step() {
                guard let data = try? JSONValue(parsing: versions.string(1)) else {
                    throw .damaged(
                        "simperium_version",
                        "bucket_id \(number), key \(key) and number \(versions.integer(0))", "data")
                }
                object.versions.append(
                    ServerObject.Version(
                        number: versions.integer(0), data: data,
                        change: versions.optionalString(2).flatMap { try? JSONValue(parsing: $0) }))
            }
            bucket.add(object)
        }
    }
}
