internal import Notation
internal import Replaying
internal import Simperium
internal import Storage
internal import Wire

extension SimperiumStore {
    /// Writes what a server begins with into a file without buckets, all or nothing.
    ///
    /// Objects are placed before whatever comes later: at positions up to 0.
    func begin(
        with initial: InitialState, of server: SimperiumServer
    ) throws(StorageFault) {
        try connection.transaction { () throws(StorageFault) in
            for (token, account) in initial.tokens {
                try write(token, account)
            }
            for (id, held) in initial.buckets {
                guard let bucket = server.model.buckets[id] else { continue }
                // Nobody is at this change version, where the one before the log is unknown.
                let start = held.log.isEmpty ? bucket.cv : held.logStart ?? "-"
                try open(id, start)
                try add(held.known, held.log, to: id)
                try add(bucket.contents, to: id)
                try add(held.refusals, to: id)
            }
        }
    }

    private func add(
        _ known: [SimperiumChange<JSONValue>], _ log: [SimperiumChange<JSONValue>],
        to id: ServerModel.BucketID
    ) throws(StorageFault) {
        guard var row = rows[id] else { return }
        defer { rows[id] = row }
        for change in log {
            row.position += 1
            let reported = SimperiumMessage(0, .changes([change])).encoded(by: .server)
            try add(row.number, row.position, change, reported)
        }
        let addKnown = try connection.prepare(
            "INSERT INTO simperium_known (bucket_id, client, ccid) VALUES (?, ?, ?)")
        for change in known {
            for ccid in change.ccids {
                addKnown.bind(1, row.number)
                addKnown.bind(2, change.clientID ?? "")
                addKnown.bind(3, ccid)
                try addKnown.run()
            }
        }
    }

    private func add(
        _ refusals: [SimperiumChange<JSONValue>], to id: ServerModel.BucketID
    ) throws(StorageFault) {
        guard let row = rows[id] else { return }
        let add = try connection.prepare(
            "INSERT INTO simperium_known (bucket_id, client, ccid, code) VALUES (?, ?, ?, ?)")
        for refusal in refusals {
            guard let ccid = refusal.ccids.first, let code = refusal.error else { continue }
            add.bind(1, row.number)
            add.bind(2, refusal.clientID ?? "")
            add.bind(3, ccid)
            add.bind(4, Int64(code))
            try add.run()
        }
    }

    private func add(
        _ objects: [ServerObject], to id: ServerModel.BucketID
    ) throws(StorageFault) {
        guard let row = rows[id] else { return }
        let addObject = try connection.prepare(
            "INSERT INTO simperium_object (bucket_id, key, number, place, gone) VALUES (?, ?, ?, ?, ?)"
        )
        for (index, object) in objects.enumerated() {
            let place = Int64(index - objects.count)
            addObject.bind(1, row.number)
            addObject.bind(2, object.key)
            addObject.bind(3, object.number)
            addObject.bind(4, place)
            if object.isRemoved { addObject.bind(5, place) } else { addObject.bindNull(5) }
            try addObject.run()
            for version in object.versions {
                try add(version, object.key, row.number)
            }
        }
    }

    /// Reads what is known beside the log.
    func loadKnown(_ number: Int64, into bucket: inout ServerBucket) throws(StorageFault) {
        let lines = try connection.prepare(
            "SELECT client, ccid, code FROM simperium_known WHERE bucket_id = \(number)")
        while try lines.step() {
            if lines.isNull(2) {
                bucket.know(
                    SimperiumChange(ccids: [lines.string(1)], clientID: lines.string(0)))
            } else {
                bucket.refuse(
                    client: lines.string(0), ccid: lines.string(1), code: Int(lines.integer(2)))
            }
        }
    }
}
