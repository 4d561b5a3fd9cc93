internal import Glibc
internal import OpenRosa
internal import Storage

extension CommCareState {
    /// Where a restore is downloaded to.
    public var download: String { "\(folder)/restore-download" }

    /// Reads the download to its end, and makes it count if nothing is wrong with it.
    ///
    /// - Returns: What is wrong; the state is then as it was.
    public func swapIn(isFull: Bool) throws(CommCareClientError) -> String? {
        let before = isFull ? CaseSet() : try caseSet()
        let after: CaseSet
        switch Self.read(download, isFull, before) {
        case .success(let set): after = set
        case .failure(let problem): return problem.says
        }
        guard let token = after.restoreID else { return "it has no restore_id" }
        let documents = try documents()
        let used = documents.compactMap { $0.name?.split(separator: "-").last.flatMap { Int($0) } }
        let name = "restore-\((used.max() ?? 0) + 1)"
        guard LocalFile.keep(download, as: name, in: folder) else {
            throw .storage("\(folder)/\(name) cannot be written: make room")
        }
        try told { () throws(StorageFault) in
            try connection.transaction { () throws(StorageFault) in
                var id = (documents.last?.id ?? 0) + 1
                if isFull {
                    try connection.execute(
                        """
                        DELETE FROM document WHERE name IS NOT NULL OR form IN
                          (SELECT id FROM form WHERE state IN (1, 3));
                        UPDATE form SET xml = NULL WHERE state = 1;
                        """)
                    // Before the forms that the server does not have yet.
                    id = (documents.first?.id ?? 2) - 1
                }
                let insert = try connection.prepare(
                    "INSERT INTO document (id, name, is_full) VALUES (?, ?, ?)")
                insert.bind(1, id)
                insert.bind(2, name)
                insert.bind(3, isFull)
                try insert.run()
                try Self.set("token", token, connection)
                if let user = after.user?.uuid { try Self.set("user_id", user, connection) }
            }
        }
        if isFull { for old in documents { if let old = old.name { unlink("\(folder)/\(old)") } } }
        return nil
    }

    struct Unusable: Error { var says: String }

    static func read(
        _ path: String, _ isFull: Bool, _ set: CaseSet
    ) -> Result<CaseSet, Unusable> {
        var restore = RestoreInProgress(isFull ? .full : .incremental, of: set)
        var isResponse = false
        var problem: String?
        let reader = CommCareReader { event in
            switch event {
            case .response: isResponse = true
            case .message(let message) where message.nature == "submit_error":
                problem = problem ?? message.text
            default: break
            }
            do throws(CaseProblem) {
                if problem == nil { try restore.receive(event) }
            } catch {
                problem = error.says
            }
        }
        do throws(XMLError) {
            var broken: XMLError?
            let isRead = LocalFile.read(path) { piece in
                do throws(XMLError) {
                    try reader.feed(piece.span)
                    return problem == nil
                } catch {
                    broken = error
                    return false
                }
            }
            if let broken { throw broken }
            if !isRead { return .failure(Unusable(says: "it cannot be read from disk")) }
            if problem == nil { try reader.finish() }
        } catch {
            return .failure(Unusable(says: error.description))
        }
        if let problem { return .failure(Unusable(says: problem)) }
        guard isResponse else { return .failure(Unusable(says: "it is no OpenRosaResponse")) }
        return .success(restore.finish())
    }
}
