internal import OpenRosa
internal import Platform
internal import Storage

extension CommCareState {
    /// Where a restore is downloaded to.
    public var download: String { "\(folder)/restore-download" }

    /// Reads the whole download, and applies it if it is valid.
    ///
    /// One transaction, which is rolled back where the restore is incomplete or invalid.
    ///
    /// - Parameters:
    ///   - isFull: Whether it replaces what is there.
    ///   - now: Seconds since 1970, by the clock of the device.
    /// - Returns: The error, in which case the state is unchanged; nil for success.
    /// - Throws: ``CommCareClientError`` where the state cannot be written.
    public func swapIn(isFull: Bool, at now: Int64 = 0) throws(CommCareClientError) -> String? {
        var problem: String?
        try mappingErrors { () throws(StorageFault) in
            try connection.execute("BEGIN IMMEDIATE")
            defer { connection.rollBack() }
            problem = try apply(isFull)
            if problem == nil, now > 0 { try Self.set("synced", String(now), connection) }
            if problem == nil { try connection.execute("COMMIT") }
        }
        if problem == nil { unlink(download) }
        return problem
    }

    /// Whole days since the last restore; nil where there was none, or the clock went back.
    func daysSinceSync(at now: Int64) throws(CommCareClientError) -> Int? {
        guard let last = try fact("synced").flatMap({ Int64($0) }), now >= last else { return nil }
        return Int((now - last) / 86_400)
    }

    /// Continues as another device: what the state holds came from a backup.
    ///
    /// A sync token denotes the cases of one device. The next restore is a full one; queued forms
    /// stay queued.
    public func move(to device: String) throws(CommCareClientError) {
        try mappingErrors { () throws(StorageFault) in
            try connection.transaction { () throws(StorageFault) in
                try Self.set("device", device, connection)
                try Self.set("token", nil, connection)
            }
        }
    }

    private func apply(_ isFull: Bool) throws(StorageFault) -> String? {
        if isFull { try rows.removeAll() }
        let reading = RestoreReading(rows)
        if let problem = try reading.read(download) { return problem }
        guard let token = reading.restoreID, !token.isEmpty else { return "it has no restore_id" }
        try Self.set("token", token, connection)
        if let user = reading.userID { try Self.set("user_id", user, connection) }
        if let fixture = reading.groups {
            // Where they are not completely known, the owners of the present cases are used.
            let groups = fixture.isCut ? nil : fixture.groups
            try rows.setGroups(groups ?? [])
            try Self.set("has_groups", groups == nil ? nil : "1", connection)
        }
        try Self.set("is_purged", nil, connection)
        if isFull { try Self.set("recovers", nil, connection) }
        return nil
    }
}
