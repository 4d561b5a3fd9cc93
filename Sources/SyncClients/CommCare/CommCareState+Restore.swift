internal import Glibc
internal import Storage

extension CommCareState {
    /// Where a restore is downloaded to.
    public var download: String { "\(folder)/restore-download" }

    /// Reads the download to its end, and makes it count if nothing is wrong with it.
    ///
    /// One transaction, which ends in nothing where the restore is not whole and well.
    ///
    /// - Returns: What is wrong; the state is then as it was.
    public func swapIn(isFull: Bool) throws(CommCareClientError) -> String? {
        var problem: String?
        try told { () throws(StorageFault) in
            try connection.execute("BEGIN IMMEDIATE")
            defer { connection.rollBack() }
            problem = try apply(isFull)
            if problem == nil { try connection.execute("COMMIT") }
        }
        if problem == nil { unlink(download) }
        return problem
    }

    private func apply(_ isFull: Bool) throws(StorageFault) -> String? {
        if isFull { try rows.removeAll() }
        let reading = RestoreReading(rows)
        if let problem = try reading.read(download) { return problem }
        guard let token = reading.restoreID, !token.isEmpty else { return "it has no restore_id" }
        try Self.set("token", token, connection)
        if let user = reading.userID { try Self.set("user_id", user, connection) }
        if let place = reading.groups {
            // Where they cannot be told, the owners of what is there stand for them.
            let groups = GroupReader.read(download, place)
            try rows.setGroups(groups ?? [])
            try Self.set("has_groups", groups == nil ? nil : "1", connection)
        }
        try Self.set("is_purged", nil, connection)
        if isFull { try Self.set("recovers", nil, connection) }
        return nil
    }
}
