internal import OpenRosa
internal import Wire

/// What a restore gives a device: everything, or what the device does not have yet.
struct RestorePayload {
    private(set) var cases: [CaseState]
    private var ledgers: [(entity: ExactText, mark: CommCareDomain.LedgerMark)]
    private let space: CommCareDomain

    /// Chooses the cases.
    ///
    /// - Parameters:
    ///   - space: All there is.
    ///   - alive: The cases that belong on the device.
    ///   - since: What the device has; nil for nothing.
    init(_ space: CommCareDomain, _ alive: [ExactText: CaseState], since: DeviceLog?) {
        self.space = space
        func mark(_ id: ExactText) -> Int { space.marks[id] ?? 0 }
        if let since {
            let held = since.cases.caseIDs
            var sent = alive.filter { !held.contains($0.key) || mark($0.key) > since.form }
            // What was closed or given away by others: the device learns it, and lets the case go.
            for id in held where alive[id] == nil && mark(id) > since.form {
                sent[id] = space.set.cases[id]
            }
            ledgers = space.ledgerMarks.filter { id, mark in
                alive[id] != nil && (mark.form > since.form || !held.contains(id))
            }.map { (entity: $0.key, mark: $0.value) }
            cases = Array(sent.values)
        } else {
            cases = Array(alive.values)
            ledgers = space.ledgerMarks.filter { alive[$0.key] != nil }
                .map { (entity: $0.key, mark: $0.value) }
        }
        cases.sort { (mark(ExactText($0.id)), $0.id) < (mark(ExactText($1.id)), $1.id) }
        ledgers.sort { ($0.mark.form, $0.entity.string) < ($1.mark.form, $1.entity.string) }
    }

    /// The document.
    func text(
        id: String, user: Accounts.User, domain: String, groups: [String], hasItems: Bool,
        day: String, isVersion1: Bool = false
    ) -> String {
        let name = user.name.escapedForXML
        var elements = [
            "<message nature=\"ota_restore_success\">Successfully restored account \(name)!</message>",
            "<Sync xmlns=\"http://commcarehq.org/sync\"><restore_id>\(id)</restore_id></Sync>",
            "<Registration xmlns=\"http://openrosa.org/user/registration\">"
                + "<username>\(name)</username><password>sha1$tapedeck$"
                + "\(String(repeating: "0", count: 40))</password>"
                + "<uuid>\(user.uuid.escapedForXML)</uuid><date>\(day)</date>"
                + "<user_data><data key=\"commcare_project\">\(domain.escapedForXML)</data>"
                + "</user_data></Registration>",
        ]
        if !groups.isEmpty {
            let list = groups.map {
                "<group id=\"\($0.escapedForXML)\"><name>\($0.escapedForXML)</name></group>"
            }
            elements.append(
                "<fixture id=\"user-groups\" user_id=\"\(user.uuid.escapedForXML)\">"
                    + "<groups>\(list.joined())</groups></fixture>")
        }
        elements += cases.map(isVersion1 ? CaseElement.oldText : CaseElement.text)
        for ledger in ledgers {
            let balances = space.balances(ledger.entity)
            for (section, entries) in Dictionary(grouping: balances, by: \.section)
                .sorted(by: { $0.key < $1.key })
            {
                elements.append(
                    CaseElement.balance(
                        ledger.entity.string, section, ledger.mark.date,
                        entries.map { ($0.entry, $0.quantity) }))
            }
        }
        var text = "<OpenRosaResponse xmlns=\"http://openrosa.org/http/response\""
        if hasItems { text += " items=\"\(elements.count)\"" }
        return text + ">" + elements.joined() + "</OpenRosaResponse>"
    }
}
