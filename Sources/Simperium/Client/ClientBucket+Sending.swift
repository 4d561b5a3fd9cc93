import Notation
import Wire

extension ClientBucket {
    mutating func edit(_ key: ExactText, to data: JSONValue?) {
        if let data {
            guard case .object = data else {
                return reject(key, reason: "the data are not an object")
            }
            guard IdentifierGrammar.isKey(key.string) else {
                return reject(key, reason: "the key is not allowed")
            }
        }
        let old = entry(key).stored.local
        if data == old { return }
        guard data != nil || entries[key] != nil else { return }
        update(key) { entry in
            entry.stored.local = data
            switch entry.stored.hold {
            case .untilEdited: entry.stored.hold = nil
            case .untilBelow(let bytes) where (data?.bytes().count ?? 0) < bytes:
                entry.stored.hold = nil
            default: break
            }
        }
        queue.append(key)
    }

    private mutating func reject(_ key: ExactText, reason: String) {
        commands.append(.rejected(key: key.string, code: nil, reason: reason))
    }

    /// Goes back to what the server has, or will have when it takes what was sent.
    mutating func discard(_ key: ExactText) {
        guard entries[key] != nil else { return }
        let old = entry(key).stored.local
        update(key) { entry in
            entry.stored.local =
                entry.stored.sent.map { $0.target } ?? entry.stored.ghost?.data
            entry.stored.hold = nil
            entry.stored.needsFull = false
        }
        notify(key, old: old, because: .refused)
    }

    /// Sends what waits, as far as that is allowed: one change per key, a limit in all.
    mutating func sendChanges() {
        guard phase == .synced else { return }
        guard emptying == nil else { return sendEmptying() }
        // Keys that cannot be sent yet come back when what they wait for happens.
        while unanswered.count < max(1, settings.maxInFlight), let key = queue.popFirst() {
            guard let entry = entries[key], entry.stored.sent == nil, entry.isDirty else {
                continue
            }
            guard entry.stored.hold == nil, entry.stored.wanted == nil else { continue }
            sendChange(key, entry)
        }
    }

    private mutating func sendChange(_ key: ExactText, _ entry: Entry) {
        let ghost = entry.stored.ghost
        var change = SimperiumChange<JSONValue>(key: key.string, operation: .remove)
        if let local = entry.stored.local {
            let base = ghost?.data ?? .object(JSONObject())
            guard let value = try? JSONDiff.diff(base, local, policy: settings.policy),
                ghost == nil || !JSONDiff.isEmpty(value)
            else { return }
            change.operation = .modify
            change.sv = ghost?.version
            change.value = value
            if entry.stored.needsFull { change.data = local }
        } else if ghost == nil {
            return
        }
        change.ccids = [numbers.nextIdentifier()]
        nextSequence += 1
        let sequence = nextSequence
        update(key) { entry in
            entry.stored.sent = SentChange(
                change: change, target: entry.stored.local, sequence: sequence)
        }
        unanswered.insert(key)
        sendAgain(key)
    }

    /// Sends the change of a key, the same each time.
    mutating func sendAgain(_ key: ExactText) {
        guard let change = entry(key).stored.sent?.change else { return }
        entries[key]?.isInFlight = true
        entries[key]?.sentAt = now
        entries[key]?.retryAt = nil
        detail(
            "sending change \(change.ccids.first ?? "") of \(Excerpt.quote(key.string)), "
                + "\(change.operation?.text ?? "?") on version \(change.sv ?? 0)")
        send(.changes([change]))
    }

    /// Does what is due by now.
    mutating func wake() {
        guard phase != .closed, phase != .unauthorized else { return }
        if phase == .synced {
            let due = unanswered.filter { entry($0).retryAt.map { $0 <= now } ?? false }
            for key in inOrder(due) { sendAgain(key) }
        }
        if let deadline = answerDeadline, deadline <= now {
            commands.append(.reconnect(reason: "an answer is missing"))
            // Reported once; the host closes the socket.
            lastHeard = now
            for key in unanswered { entries[key]?.sentAt = now }
        }
    }

    /// When the oldest answer that is still to come is missing.
    private var answerDeadline: Instant? {
        var since: Int64?
        if phase == .synced {
            for key in unanswered {
                guard let entry = entries[key], entry.isInFlight else { continue }
                since = min(since ?? .max, entry.sentAt.nanoseconds)
            }
        }
        if phase != .synced || awaitedAnswers > 0 || requests.isAsking
            || emptyingState.isSent
        {
            since = min(since ?? .max, lastHeard.nanoseconds)
        }
        return since.map { Instant(nanoseconds: $0 + settings.patience) }
    }

    /// Requests a timer where another one is needed than before.
    mutating func setTimer() {
        var next: Instant?
        if phase != .closed, phase != .unauthorized {
            next = answerDeadline
            if phase == .synced {
                for key in unanswered {
                    guard let retryAt = entries[key]?.retryAt else { continue }
                    next = min(next ?? retryAt, retryAt)
                }
                if let retryAt = emptyingState.retryAt { next = min(next ?? retryAt, retryAt) }
            }
        }
        guard next != timer else { return }
        timer = next
        commands.append(.setTimer(next))
    }
}
