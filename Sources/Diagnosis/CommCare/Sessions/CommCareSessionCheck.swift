import Dissection
import OpenRosa
import Wire

/// Follows the users of CommCare and OpenRosa servers across messages.
///
/// State is kept by server, project, user and device. Bounded: state beyond the bounds is not kept.
struct CommCareSessionCheck: Check {
    /// The maximum number of users on devices.
    static let maxPersons = 10_000
    /// The maximum number of requests without an answer.
    static let maxOpen = 20_000
    /// The maximum number of sync tokens whose owners are remembered.
    static let maxTokens = 20_000

    /// A device and a project.
    struct Device: Hashable, Sendable {
        let server: String
        let domain: String
        let device: String
    }

    /// A name that a server issued or knows: a sync token, or a user's identifier.
    struct Name: Hashable, Sendable {
        let server: String
        let name: String
    }

    /// The owner of a sync token.
    struct Owner: Sendable {
        let person: CommCarePersonKey
        let row: ExchangeRow
        let isForAnother: Bool
        let digest: CommCareDigest
        let isTouched: Bool
    }

    var persons: [CommCarePersonKey: CommCarePerson] = [:]
    /// The users of a device, the last one last.
    var users: [Device: [String]] = [:]
    var open: [ExchangeID: CommCareAsk] = [:]
    var owners: [Name: Owner] = [:]
    /// The user that an identifier was registered for.
    var registered: [Name: String] = [:]
    var outcomes = FormOutcomes()
    var heads: Set<Name> = []
    /// Connections on which Tapedeck has sent requests a second time, which cannot be
    /// distinguished.
    var repeating: Set<ConnectionID> = []
    var deadlines = Deadlines<CommCarePersonKey>()
    var patience = Patience()

    mutating func observe(
        _ evidence: borrowing Evidence, _ session: borrowing SessionView, _ report: inout Report
    ) {
        switch evidence {
        case .asked(let exchange):
            guard Self.isOurs(exchange.row.api) else { return }
            ask(exchange, session, &report)
        case .answered(let exchange):
            guard let ask = open.removeValue(forKey: exchange.row.id) else { return }
            answer(exchange, ask, session, &report)
        case .fault(let row):
            guard let id = row.connection, row.sender == .client, row.hasEffect(.repeated),
                repeating.count < Self.maxPersons
            else { return }
            repeating.insert(id)
            forgetCases()
        case .gap: forget()
        default: return
        }
    }

    private static func isOurs(_ api: String) -> Bool {
        api.utf8.first == 0x63 && api.hasPrefix("commcare.")
            || api.utf8.first == 0x6F && api.hasPrefix("openrosa.")
    }

    /// Drops state that may have changed in a gap.
    private mutating func forget() {
        persons = [:]
        users = [:]
        open = [:]
        outcomes = FormOutcomes()
    }

    /// Drops the cases of devices, where a form may be missing.
    private mutating func forgetCases() {
        for index in persons.values.indices { persons.values[index].ledger = nil }
    }

    private mutating func ask(
        _ exchange: borrowing ExchangeEvidence, _ session: borrowing SessionView,
        _ report: inout Report
    ) {
        guard !repeating.contains(exchange.row.connection) else {
            forgetCases()
            return
        }
        noteCut(exchange, session)
        guard exchange.row.requestEndedAt != nil, open.count < Self.maxOpen,
            var ask = CommCareAsk(exchange, session)
        else { return }
        identify(&ask)
        open[ask.row.id] = ask
        guard persons[ask.person] != nil || persons.count < Self.maxPersons else { return }
        var person = persons.removeValue(forKey: ask.person) ?? CommCarePerson()
        person.last = ask.row.id
        checkRetries(ask, &person, session, &report)
        if ask.isPersonCertain {
            checkPolling(ask, &person, session, &report)
            checkFullAgain(ask, &person, session, &report)
            checkGivenUp(ask, &person, session, &report)
            checkRecovery(ask, &person, session, &report)
            let before = person.doubts.count
            checkTokens(ask, &person, &report)
            if person.doubts.count > before {
                deadlines.wait(until: CommCareTime.after(ask.row.startedAt, excuseTime), ask.person)
            }
            checkState(ask, &person, &report)
            checkQueue(ask, &person, session, &report)
            checkLeftOut(ask, &person, session, &report)
            checkCases(ask, &person, &report)
        }
        checkForm(ask, &person, session, &report)
        checkHead(ask, &report)
        persons[ask.person] = person
    }

    private mutating func answer(
        _ exchange: borrowing ExchangeEvidence, _ ask: CommCareAsk,
        _ session: borrowing SessionView, _ report: inout Report
    ) {
        let reply = CommCareReply(exchange, session)
        guard persons[ask.person] != nil || persons.count < Self.maxPersons else { return }
        var person = persons.removeValue(forKey: ask.person) ?? CommCarePerson()
        followRetries(ask, reply, &person)
        if ask.isPersonCertain {
            if ask.isRestore {
                person.hasTakenLast = false
                followPolling(ask, reply, &person, &report)
                confirmState(ask, reply, &person, &report)
                followRecovery(ask, reply, &person, &report)
                followGivenUp(ask, reply, &person)
                if reply.status == 200, reply.row.outcome == .complete {
                    take(exchange, ask, reply, &person, &report)
                }
            }
            followQueue(ask, reply, &person)
            followCases(ask, reply, &person)
        }
        followForm(ask, reply, &report)
        followHead(ask, reply, &report)
        persons[ask.person] = person
    }

    /// A submission that was cut off before its form was complete.
    private mutating func noteCut(
        _ exchange: borrowing ExchangeEvidence, _ session: borrowing SessionView
    ) {
        guard exchange.row.requestEndedAt == nil, exchange.row.api == "commcare.submit",
            let ask = CommCareAsk(exchange, session)
        else { return }
        persons[ask.person]?.cutForm = ask.row
    }

    /// Assigns a request that names no user to the only one that the device has.
    private mutating func identify(_ ask: inout CommCareAsk) {
        let device = Device(
            server: ask.person.server, domain: ask.person.domain, device: ask.person.device)
        var known = users[device] ?? []
        if ask.person.user.isEmpty {
            ask.isPersonCertain = known.count <= 1
            if let last = known.last {
                ask.person = CommCarePersonKey(
                    server: device.server, domain: device.domain, device: device.device,
                    user: last)
            }
            if !known.isEmpty { return }
        }
        guard known.last != ask.person.user else { return }
        // Earlier requests without a name belong to the same user, if there was only one.
        if known == [""] {
            let before = CommCarePersonKey(
                server: device.server, domain: device.domain, device: device.device, user: "")
            if let person = persons.removeValue(forKey: before) { persons[ask.person] = person }
            known = []
        }
        known.removeAll { $0 == ask.person.user }
        guard known.count < 100, users.count < Self.maxPersons || !known.isEmpty else { return }
        known.append(ask.person.user)
        users[device] = known
    }

    mutating func advance(
        to now: Instant, _ session: borrowing SessionView, _ report: inout Report
    ) {
        while let (_, key) = deadlines.next(before: now) {
            guard let index = persons.index(forKey: key) else { continue }
            for doubt in persons.values[index].doubts where !doubt.isSync {
                report.add(doubt.finding)
            }
            persons.values[index].doubts.removeAll { !$0.isSync }
        }
    }

    mutating func finish(
        at now: Instant, isRunning: Bool, _ session: borrowing SessionView,
        _ report: inout Report
    ) {
        guard !isRunning else { return }
        let time = excuseTime
        func isUp(_ doubt: CommCarePerson.Doubt) -> Bool {
            CommCareTime.gap(doubt.finding.at, now) >= time
        }
        let left = persons.values.flatMap(\.doubts).filter(isUp).map(\.finding)
        for finding in Self.sorted(left) { report.add(finding) }
        for index in persons.values.indices { persons.values[index].doubts.removeAll(where: isUp) }
    }

    /// Nanoseconds during which later traffic may excuse a client.
    private var excuseTime: Int64 { patience.deadline(of: CommCareSessionRules.tokenMissing) }

    func undecided(
        at end: Instant, _ session: borrowing SessionView, _ report: inout Report
    ) {
        var left: [Finding] = []
        for (key, person) in persons {
            left += person.doubts.map(\.finding)
            left += openRecovery(person, key, session)
            if let finding = openPolling(person, key, session) { left.append(finding) }
            if let finding = openRestore(person, key, session) { left.append(finding) }
            left += openForms(person, session)
            left += openRefusals(person, key)
        }
        for finding in Self.sorted(left) { report.add(finding) }
    }

    private static func sorted(_ findings: [Finding]) -> [Finding] {
        findings.sorted { a, b in
            (a.at, a.client, a.topic, a.rule.id) < (b.at, b.client, b.topic, b.rule.id)
        }
    }
}
