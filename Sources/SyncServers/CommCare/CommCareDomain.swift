internal import Notation
internal import OpenRosa
internal import Wire

/// A project space: its cases, ledgers, forms, and what its devices have.
struct CommCareDomain: Sendable {
    /// A form that was stored.
    struct Filed: Hashable, Sendable {
        var fingerprint: FormFingerprint
        /// Its number; the first form of a domain has number 1.
        var number: Int
        /// How often other bytes came under the same instanceID.
        var edits = 0
    }

    /// Who waits for what restore.
    struct Waiting: Hashable, Sendable {
        var user: String
        var since: String?
        var device: String?
    }

    /// When the ledgers of a case changed last.
    struct LedgerMark: Hashable, Sendable {
        var form: Int
        /// The date of the block, as sent.
        var date: String
    }

    /// The cases, closed ones too, and their ledgers.
    var set = CaseSet()
    /// The number of the form that changed a case last.
    var marks: [ExactText: Int] = [:]
    /// The same for the ledgers of a case.
    var ledgerMarks: [ExactText: LedgerMark] = [:]
    /// What there are balances of, by case.
    var ledgerKeys: [ExactText: Set<LedgerSet.Key>] = [:]
    /// About how many bytes the cases take.
    var weight = 0
    /// The number of the last form.
    var count = 0
    /// What was stored, by instanceID.
    var forms: [ExactText: Filed] = [:]
    /// Why forms are refused again whenever their bytes come again, by instanceID.
    var refusals: [ExactText: (fingerprint: FormFingerprint, reason: String)] = [:]
    /// The keys of users, by the user's identifier.
    var keys: [String: CommCareServer.KeyRecord] = [:]
    /// What devices have, by restore identifier.
    private(set) var logs: [String: DeviceLog] = [:]
    /// Restore identifiers in the order in which they were given out.
    private var logOrder: [String] = []
    /// Case identifiers in all ``logs``.
    private var logWeight = 0
    /// How often a restore was requested that is not ready yet.
    private var polls: [Waiting: Int] = [:]

    /// Files a form, which may be one that is there with other bytes.
    mutating func file(_ id: String, _ fingerprint: FormFingerprint) {
        count += 1
        if forms.count >= CommCareServer.Limit.forms {
            // The older half goes: one of its forms sent again would be stored again.
            let kept = count - CommCareServer.Limit.forms / 2
            forms = forms.filter { $0.value.number > kept }
        }
        let edits = forms[ExactText(id)].map { $0.edits + 1 } ?? 0
        forms[ExactText(id)] = Filed(fingerprint: fingerprint, number: count, edits: edits)
    }

    /// What restores are made of, without what changes with every request.
    var snapshot: CommCareDomain {
        var copy = CommCareDomain()
        copy.set = set
        copy.marks = marks
        copy.ledgerMarks = ledgerMarks
        copy.ledgerKeys = ledgerKeys
        copy.count = count
        return copy
    }

    /// The cases that belong on a device of these owners; nil for all.
    ///
    /// Those that a device would not purge: what the user owns, what it refers to and what extends
    /// it.
    func footprint(_ owners: Set<ExactText>?) -> [ExactText: CaseState] {
        // Without circles, which no form may make.
        let removed =
            (try? CasePurge.judge(set.cases, owners: owners, passes: .complete))?.removed ?? []
        return removed.isEmpty ? set.cases : set.cases.filter { !removed.contains($0.key) }
    }

    /// The balances of a case, by section and entry.
    func balances(_ entity: ExactText) -> [CommCareServer.Balance] {
        (ledgerKeys[entity] ?? []).map { key in
            CommCareServer.Balance(
                section: key.section.string, entry: key.entry.string,
                quantity: set.ledgers.balances[key] ?? 0)
        }.sorted { ($0.section, $0.entry) < ($1.section, $1.entry) }
    }

    /// Whether a restore is being made.
    func isMaking(_ waiting: Waiting) -> Bool { polls[waiting] != nil }

    /// Counts one more request for a restore that is not there yet.
    ///
    /// - Returns: How many there were before; nil once there were `limit`.
    mutating func poll(_ waiting: Waiting, of limit: Int) -> Int? {
        let done = polls[waiting] ?? 0
        guard done < limit else {
            polls[waiting] = nil
            return nil
        }
        if polls.count >= CommCareServer.Limit.restores { polls = [:] }
        polls[waiting] = done + 1
        return done
    }

    /// Keeps what a device has.
    ///
    /// - Returns: Identifiers of those that are dropped for it.
    mutating func keep(_ log: DeviceLog) -> [String] {
        logs[log.id] = log
        logOrder.append(log.id)
        logWeight += log.weight
        var dropped: [String] = []
        if logs.count > CommCareServer.Limit.restores || logWeight > CommCareServer.Limit.logged {
            for id in logOrder.prefix(max(1, logOrder.count / 2)) where id != log.id {
                dropped.append(id)
                logWeight -= logs.removeValue(forKey: id)?.weight ?? 0
            }
            logOrder.removeAll { logs[$0] == nil }
        }
        return dropped
    }

    /// Adds owners whose cases belong on the device that has this sync token.
    mutating func own(_ owners: Set<ExactText>, token: String) {
        logs[token]?.cases.ownerIDs.formUnion(owners)
    }

    /// Removes a case that no longer exists.
    mutating func remove(_ id: ExactText) {
        guard let state = set.remove(id.string) else { return }
        weight -= Self.weight(state)
        marks[id] = nil
    }

    /// Adds a form that was received with a sync token, and restarts the restore that is being made
    /// for the same token.
    mutating func take(_ form: FormDocument, token: String, ownsAll: Bool) {
        guard logs[token] != nil else { return }
        polls = polls.filter { $0.key.since != token }
        let before = logs[token]?.weight ?? 0
        logs[token]?.take(form, ownsAll: ownsAll)
        logWeight += (logs[token]?.weight ?? 0) - before
    }
}
