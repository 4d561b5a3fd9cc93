internal import OpenRosa
internal import Platform
internal import Storage

extension CommCareState {
    /// Where a restore is downloaded to.
    public var download: String { "\(folder)/restore-download" }

    /// Reads the download to its end, and makes it count if nothing is wrong with it.
    ///
    /// One transaction, which ends in nothing where the restore is not whole and well.
    ///
    /// - Parameters:
    ///   - isFull: Whether it replaces what is there.
    ///   - now: Seconds since 1970, by the clock of the device.
    /// - Returns: What is wrong; the state is then as it was.
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

    /// Goes on as another device: what the state holds came from a backup.
    ///
    /// A sync token stands for what one device has. The next restore brings everything; forms that
    /// wait go on waiting.
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
            // Where they are not known whole, the owners of what is there stand for them.
            let groups = fixture.isCut ? nil : fixture.groups
            try rows.setGroups(groups ?? [])
            try Self.set("has_groups", groups == nil ? nil : "1", connection)
        }
        try Self.set("is_purged", nil, connection)
        if isFull { try Self.set("recovers", nil, connection) }
        return nil
    }
}
