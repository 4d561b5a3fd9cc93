internal import Notation
internal import OpenRosa
internal import Storage
internal import Wire

extension CommCareStore {
    /// Writes what a server begins with into a file without domains, all or nothing.
    ///
    /// - Parameters:
    ///   - domains: What there is.
    ///   - now: Seconds since 1970.
    /// - Throws: `StorageFault` where the disk does not take it.
    func begin(with domains: [String: CommCareDomain], now: Int64) throws(StorageFault) {
        try write(domains.flatMap { Self.records(of: $0.value, $0.key, now: now) })
        try connection.transaction { () throws(StorageFault) in
            let add = try connection.prepare("INSERT INTO commcare_refusal VALUES (?, ?, ?, ?)")
            for (name, domain) in domains {
                for (id, refusal) in domain.refusals {
                    add.bind(1, name)
                    add.bind(2, id.string)
                    add.bind(3, refusal.fingerprint.text)
                    add.bind(4, refusal.reason)
                    try add.run()
                }
            }
        }
    }

    private static func records(
        of domain: CommCareDomain, _ name: String, now: Int64
    ) -> [CommCareServer.Record] {
        func form(
            _ number: Int, _ id: String, _ fingerprint: FormFingerprint
        ) -> CommCareServer.Record {
            .form(
                CommCareServer.FiledForm(
                    domain: name, number: number, instanceID: id, fingerprint: fingerprint,
                    namespace: "", received: now, user: nil, token: nil, bytes: [],
                    attachments: []))
        }
        var records = domain.forms.map {
            form($0.value.number, $0.key.string, $0.value.fingerprint)
        }
        // The next form has a higher number than any change that was seen.
        if domain.forms.values.allSatisfy({ $0.number < domain.count }), domain.count > 0 {
            records.append(form(domain.count, "", FormFingerprint([])))
        }
        for state in domain.set.cases.values {
            let mark = domain.marks[ExactText(state.id)] ?? domain.count
            records.append(.cases(domain: name, [state], form: mark))
        }
        for (entity, mark) in domain.ledgerMarks {
            records.append(
                .ledgers(domain: name, entity: entity.string, mark, domain.balances(entity)))
        }
        for log in domain.logs.values {
            records.append(.restore(domain: name, log, basis: basis(of: log, in: domain)))
        }
        return records
    }

    /// The owners and the cases that a device has, as the file has them.
    private static func basis(of log: DeviceLog, in domain: CommCareDomain) -> [UInt8] {
        let cases = log.cases.caseIDs.map { id in
            (domain.set[id.string] ?? CaseState(id: id.string)).outline.json
        }
        let owners = log.cases.ownerIDs.map { JSONValue.string($0.string) }
        return JSONValue.object(
            JSONObject([.init("cases", .array(cases)), .init("owners", .array(owners))])
        ).bytes()
    }

    /// Reads which forms are refused whenever their bytes come again.
    func loadRefusals(_ server: inout CommCareServer) throws(StorageFault) {
        let rows = try connection.prepare(
            "SELECT domain, instance_id, fingerprint, reason FROM commcare_refusal")
        while try rows.step() {
            server.domains[rows.string(0), default: CommCareDomain()]
                .refusals[ExactText(rows.string(1))] = (
                    FormFingerprint(text: rows.string(2)), rows.string(3)
                )
        }
    }
}
