internal import Notation
internal import OpenRosa
internal import Storage
internal import Wire

extension CommCareStore {
    /// Loads the file into an unused server.
    ///
    /// Restores that are too old at `now`, in seconds since 1970, are dropped.
    func load(into server: inout CommCareServer, now: Int64) throws(StorageFault) {
        let old = now - DeviceLog.lifetime
        // A full disk must not keep what is there from being read.
        try? connection.execute("DELETE FROM commcare_restore WHERE created <= \(old)")
        try loadForms(&server)
        try loadCases(&server)
        try loadLedgers(&server)
        try loadRestores(&server, after: old)
        try loadKeys(&server)
        try loadRefusals(&server)
    }

    private func loadKeys(_ server: inout CommCareServer) throws(StorageFault) {
        let rows = try connection.prepare(
            "SELECT domain, user, uuid, key, valid FROM commcare_key")
        while try rows.step() {
            server.domains[rows.string(0), default: CommCareDomain()].keys[rows.string(1)] =
                CommCareServer.KeyRecord(
                    uuid: rows.string(2), key: rows.string(3), valid: rows.integer(4))
        }
    }

    private func loadForms(_ server: inout CommCareServer) throws(StorageFault) {
        let rows = try connection.prepare(
            """
            SELECT domain, number, instance_id, fingerprint FROM commcare_form AS f
              WHERE number > (SELECT max(number) FROM commcare_form WHERE domain = f.domain)
                - \(CommCareServer.Limit.forms) ORDER BY domain, number
            """)
        while try rows.step() {
            let domain = rows.string(0)
            // The number is one more than that of the form before it.
            server.domains[domain, default: CommCareDomain()].count = Int(rows.integer(1)) - 1
            server.domains[domain]?.file(rows.string(2), FormFingerprint(text: rows.string(3)))
        }
    }

    private func loadCases(_ server: inout CommCareServer) throws(StorageFault) {
        let rows = try connection.prepare("SELECT domain, form, state, id FROM commcare_case")
        while try rows.step() {
            guard let json = try? JSONValue(parsing: rows.string(2)),
                let state = CaseState(json: json)
            else { throw .damaged("commcare_case", "id \(rows.string(3))", "state") }
            server.domains[rows.string(0), default: CommCareDomain()]
                .put(state, form: Int(rows.integer(1)))
        }
    }

    private func loadLedgers(_ server: inout CommCareServer) throws(StorageFault) {
        let rows = try connection.prepare(
            "SELECT domain, entity, section, entry, quantity, form, date FROM commcare_ledger")
        while try rows.step() {
            let balance = CommCareServer.Balance(
                section: rows.string(2), entry: rows.string(3), quantity: rows.integer(4))
            server.domains[rows.string(0), default: CommCareDomain()]
                .put(
                    balance, of: rows.string(1),
                    .init(form: Int(rows.integer(5)), date: rows.string(6)))
        }
    }

    private func loadRestores(
        _ server: inout CommCareServer, after old: Int64
    ) throws(StorageFault) {
        let rows = try connection.prepare(
            """
            SELECT token, domain, user, form, created, basis FROM commcare_restore
              WHERE created > \(old) ORDER BY id
            """)
        let forms = try connection.prepare(
            """
            SELECT body, number FROM commcare_form WHERE token = ? AND domain = ? ORDER BY number
            """)
        while try rows.step() {
            let token = rows.string(0)
            let domain = rows.string(1)
            func damaged() -> StorageFault {
                .damaged("commcare_restore", "token \(token)", "basis")
            }
            guard let json = try? JSONValue(parsing: rows.string(5)) else { throw damaged() }
            var basis = CaseSet()
            for value in Self.elements(json["cases"]) {
                guard let state = CaseState(json: value) else { throw damaged() }
                basis.put(state)
            }
            let owners = Self.elements(json["owners"]).compactMap(\.string).map(ExactText.init)
            var log = DeviceLog(
                id: token, user: rows.string(2), form: Int(rows.integer(3)),
                created: rows.integer(4), cases: SyncLog(basis, ownerIDs: Set(owners)))
            forms.bind(1, token)
            forms.bind(2, domain)
            while try forms.step() {
                let body = forms.bytes(0)
                // What the server did itself has no document.
                if body.isEmpty { continue }
                guard let form = try? FormDocument(body) else {
                    throw .damaged("commcare_form", "number \(forms.integer(1))", "body")
                }
                log.take(form, ownsAll: server.accounts.isOpen)
            }
            _ = server.domains[domain, default: CommCareDomain()].keep(log)
        }
    }

    private static func elements(_ value: JSONValue?) -> [JSONValue] {
        guard case .array(let elements) = value else { return [] }
        return elements
    }
}
