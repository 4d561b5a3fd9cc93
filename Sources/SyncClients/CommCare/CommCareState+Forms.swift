internal import OpenRosa
internal import Platform
internal import Storage

extension CommCareState {
    /// What is sent of a form.
    struct Prepared {
        var filename: String
        var path: String
        var contentType: String
    }

    /// Stores a form before it is sent.
    ///
    /// - Returns: Its state: `queued`, or `sent` where its answer is stored.
    /// - Throws: ``CommCareClientError/badForm(_:)`` where another form has its instanceID, or the
    ///   server has refused it permanently.
    public func add(_ form: CommCareForm) throws(CommCareClientError) -> CommCareClient.FormState {
        guard let known = try entries().first(where: { $0.instanceID == form.instanceID }) else {
            try insert(form)
            return .queued
        }
        switch known.state {
        case .sent: return .sent
        case .aside:
            throw .badForm("the server refused \(form.filename) permanently: \(known.message)")
        case .queued, .held:
            guard try xml(known.id) == form.xml else {
                throw .badForm(
                    "another form with the instanceID \(form.instanceID) is queued already")
            }
            // What the server refused for its size may be submitted again with other files.
            if known.state == .held, !form.attachments.isEmpty { try replaceFile(known.id, form) }
            try store(known.id, .queued, attempts: 0, message: "")
            return .queued
        }
    }

    private func insert(_ form: CommCareForm) throws(CommCareClientError) {
        let (name, boundary) = try write(form)
        try removing(name) { () throws(StorageFault) in
            let insert = try connection.prepare(
                "INSERT INTO form (instance, filename, xml, state, attempts, message, file, "
                    + "boundary) VALUES (?, ?, ?, 0, 0, '', ?, ?)")
            insert.bind(1, form.instanceID)
            insert.bind(2, form.filename)
            insert.bind(3, copying: form.xml, asText: false)
            insert.bind(4, name)
            insert.bind(5, boundary)
            try insert.run()
        }
    }

    private func replaceFile(_ id: Int64, _ form: CommCareForm) throws(CommCareClientError) {
        let old = try file(id)
        let (name, boundary) = try write(form)
        try removing(name) { () throws(StorageFault) in
            let update = try connection.prepare(
                "UPDATE form SET file = ?, boundary = ? WHERE id = ?")
            update.bind(1, name)
            update.bind(2, boundary)
            update.bind(3, id)
            try update.run()
        }
        if let old { unlink("\(folder)/\(old)") }
    }

    private func write(
        _ form: CommCareForm
    ) throws(CommCareClientError) -> (name: String, boundary: String) {
        let name = Self.newFileName()
        let boundary = try SubmissionFile.write(
            form.xml, named: form.filename,
            with: form.attachments.map {
                SubmissionFile.Part(name: $0.name, content: .file(path: $0.path))
            }, to: "\(folder)/\(name)")
        guard LocalFile.sync(folder) else {
            throw .storage("\(folder) cannot be written: \(String(cString: strerror(errno)))")
        }
        return (name, boundary)
    }

    /// Carries out `body`; its file is deleted where it fails.
    private func removing(
        _ name: String, _ body: () throws(StorageFault) -> Void
    ) throws(CommCareClientError) {
        do throws(CommCareClientError) { try mappingErrors(body) } catch {
            unlink("\(folder)/\(name)")
            throw error
        }
    }

    /// All forms, in the order of submission.
    public func entries() throws(CommCareClientError) -> [Entry] {
        try mappingErrors { () throws(StorageFault) in
            let rows = try connection.prepare(
                "SELECT id, instance, state, message, attempts FROM form ORDER BY id")
            var entries: [Entry] = []
            while try rows.step() {
                entries.append(
                    Entry(
                        id: rows.integer(0), instanceID: rows.string(1),
                        state: CommCareClient.FormState(rawValue: rows.integer(2)) ?? .held,
                        message: rows.string(3), attempts: Int(rows.integer(4))))
            }
            return entries
        }
    }

    /// A form's XML; nil where it is not needed any more.
    func xml(_ id: Int64) throws(CommCareClientError) -> [UInt8]? {
        try mappingErrors { () throws(StorageFault) in
            let row = try connection.prepare("SELECT xml FROM form WHERE id = ?")
            row.bind(1, id)
            guard try row.step(), !row.isNull(0) else { return nil }
            return row.bytes(0)
        }
    }

    private func file(_ id: Int64) throws(CommCareClientError) -> String? {
        try mappingErrors { () throws(StorageFault) in
            let row = try connection.prepare("SELECT file FROM form WHERE id = ?")
            row.bind(1, id)
            return try row.step() ? row.optionalString(0) : nil
        }
    }

    /// What is sent of a form; nil where it is not needed any more.
    func prepared(_ id: Int64) throws(CommCareClientError) -> Prepared? {
        try mappingErrors { () throws(StorageFault) in
            let row = try connection.prepare(
                "SELECT filename, file, boundary FROM form WHERE id = ? AND file IS NOT NULL")
            row.bind(1, id)
            guard try row.step(),
                let encoder = try? SubmissionEncoder(boundary: row.string(2))
            else { return nil }
            return Prepared(
                filename: row.string(0), path: "\(folder)/\(row.string(1))",
                contentType: encoder.contentType)
        }
    }

    /// Stores the outcome of a form.
    ///
    /// One that is sent becomes part of the case set in the same step, and its content goes.
    public func store(
        _ id: Int64, _ state: CommCareClient.FormState, attempts: Int, message: String
    ) throws(CommCareClientError) {
        let name = state == .sent ? try file(id) : nil
        let xml = state == .sent ? try xml(id) : nil
        try mappingErrors { () throws(StorageFault) in
            try connection.transaction { () throws(StorageFault) in
                let update = try connection.prepare(
                    "UPDATE form SET state = ?, attempts = ?, message = ?"
                        + (state == .sent ? ", xml = NULL, file = NULL" : "") + " WHERE id = ?")
                update.bind(1, state.rawValue)
                update.bind(2, attempts)
                update.bind(3, message)
                update.bind(4, id)
                try update.run()
                if let xml {
                    try rows.apply(form: xml)
                    try Self.set("is_purged", nil, connection)
                }
            }
        }
        if let name { unlink("\(folder)/\(name)") }
    }
}
