import Notation
import Wire

extension ClientBucket {
    mutating func receive(_ changes: [SimperiumChange<JSONValue>]) {
        let isAwaited = awaitedAnswers > 0
        isAnswerCertain = isCertainAnswer(changes)
        for change in changes {
            if change.error != nil {
                refuse(change)
            } else if change.operation == .empty {
                forgetObjects(change)
            } else {
                take(change)
            }
            // An error may have ended the connection's use.
            guard phase != .unauthorized else { return }
        }
        // An error is no answer to `cv`, and neither is it one to anything of this list's length.
        if isAwaited, changes.allSatisfy({ $0.error == nil }) {
            takeAnswer(isEmpty: changes.isEmpty)
        }
    }

    /// Whether what arrives while waiting can only be the answer to `cv`, so that nothing is missing
    /// before its change versions, and each is saved once its change is applied.
    ///
    /// What others do meanwhile comes change by change, and once only: an answer has several
    /// changes, or begins with the change that came after the same `cv` on an earlier connection.
    private mutating func isCertainAnswer(_ changes: [SimperiumChange<JSONValue>]) -> Bool {
        guard phase == .waiting, awaitedAnswers > 0, changes.allSatisfy({ $0.error == nil }),
            let first = changes.first?.cv
        else { return false }
        if changes.count > 1 || settings.requestsInInit && catchUpRounds == 0 { return true }
        guard catchUpRounds == 0, let cv else { return false }
        let seen = Uncertain(since: cv, first: first)
        defer { uncertain = seen }
        return uncertain == seen
    }

    /// A `c` answers the oldest `cv`, or so it looks.
    ///
    /// A change of another client that arrives before the answer looks the same, and using its
    /// change version for that of the answer would lose what is between if the connection ends.
    /// Hence the client requests from there, until nothing is new: an answer to a `cv` from before
    /// such a change cannot be empty. In an `init` nothing can arrive between.
    private mutating func takeAnswer(isEmpty: Bool) {
        guard awaitedAnswers > 0 else { return }
        awaitedAnswers -= 1
        if phase == .waiting {
            let maxRounds = 8
            if !isEmpty, !settings.requestsInInit, catchUpRounds < maxRounds,
                let next = caughtUpTo, next != askedSince
            {
                guard awaitedAnswers == 0 else { return }
                catchUpRounds += 1
                return askForChanges(since: next)
            }
            if let caughtUpTo {
                cv = caughtUpTo
                isHeadUnsaved = true
            }
            caughtUpTo = nil
            return beginSending()
        }
        guard phase == .synced, awaitedAnswers == 0 else { return }
        if needsAnotherAnswer, let cv {
            needsAnotherAnswer = false
            return askForChanges(since: cv)
        }
        // What is still a duplicate was not in the answer.
        for key in keys(where: { $0.sent?.answer != nil }) where phase == .synced {
            if requests[key] == nil { reload(key) }
        }
        if phase == .synced, emptyingState.isKnown { reindex() }
    }

    /// Requests the changes since the last known change version, once for all callers.
    mutating func catchUp() {
        guard let cv else { return reindex() }
        if awaitedAnswers > 0 {
            needsAnotherAnswer = true
        } else {
            askForChanges(since: cv)
        }
    }

    private mutating func take(_ change: SimperiumChange<JSONValue>) {
        defer { advance(to: change.cv) }
        guard let name = change.key else { return log("a change without a key") }
        let key = ExactText(name)
        index?.changed.insert(key)
        let ccid = entry(key).stored.sent?.change.ccids.first
        let isOwn = ccid.map { change.ccids.contains($0) } ?? false
        let known = max(entry(key).stored.ghost?.version ?? 0, tombstones[key] ?? 0)
        let mark = change.ccids.first ?? change.cv
        let isRepeated = mark != nil && entries[key]?.lastChange == mark
        detail(
            "\(isOwn ? "acknowledgement" : "change") of \(Excerpt.quote(name)) from version "
                + "\(change.sv ?? 0) to \(change.ev ?? 0) at \(change.cv ?? "no change version")")
        defer { entries[key]?.lastChange = mark }
        // What the server sends now is not in an index that was read before.
        if !isRepeated { reindexedFor.remove(key) }
        switch change.operation {
        case .modify:
            guard let ev = change.ev else { return takeWithoutVersion(key, isOwn: isOwn) }
            if isOwn {
                acknowledge(key, change, ev: ev)
            } else if ev > known {
                apply(key, change, ev: ev)
            } else {
                log("\(Excerpt.quote(name)) is at \(known) already", isVerbose: true)
                if !isRepeated { doubt(key) }
            }
        case .remove:
            if isOwn {
                accept(key)
            } else if let ev = change.ev, ev <= known {
                if !isRepeated { doubt(key) }
                return
            }
            lose(
                key, at: max(change.ev ?? 0, known), because: isOwn ? .acknowledged : .remote)
            index?.seen.insert(key)
        default: log("a change with an unknown operation")
        }
    }

    /// A change to a version that the object has or is past, which was not received before: the
    /// known state may be of a version that does not exist, after one that was stated too high.
    ///
    /// Only while changes arrive one by one. In an answer to `cv`, and while the index is read,
    /// they may be older than what is known.
    private mutating func doubt(_ key: ExactText) {
        guard phase == .synced, awaitedAnswers == 0, requests[key] == nil,
            let ghost = entry(key).stored.ghost
        else { return }
        want(key, version: ghost.version)
        askForEntities()
    }

    mutating func advance(to cv: String?) {
        guard let cv, !cv.isEmpty else { return }
        if let run = index {
            if run.hasFirstPage { index?.current = cv }
        } else if phase == .waiting, !isAnswerCertain {
            caughtUpTo = cv
        } else {
            if phase == .waiting { caughtUpTo = cv }
            self.cv = cv
            isHeadUnsaved = true
        }
    }

    /// Without `ev` the version of the object is unknown.
    private mutating func takeWithoutVersion(_ key: ExactText, isOwn: Bool) {
        log("a change of \(Excerpt.quote(key.string)) without ev")
        guard isOwn, entry(key).stored.sent?.answer == nil else { return }
        accept(key)
        update(key) { $0.stored.sent?.answer = .duplicate }
        catchUp()
    }

    /// The server has the change that was sent.
    private mutating func accept(_ key: ExactText) {
        update(key) { entry in
            entry.stored.sent?.answer = .accepted
            entry.stored.needsFull = false
            entry.isInFlight = false
            entry.retryAt = nil
        }
    }

    /// This client's change, perhaps with others' in it and rebased by the server.
    private mutating func acknowledge(
        _ key: ExactText, _ change: SimperiumChange<JSONValue>, ev: Int64
    ) {
        accept(key)
        if let ghost = entry(key).stored.ghost, ev <= ghost.version {
            return settle(key, because: .acknowledged)
        }
        // Others removed what it made, and that was received first.
        if entry(key).stored.ghost == nil, let removed = tombstones[key], ev <= removed {
            return settle(key, because: .acknowledged)
        }
        apply(key, change, ev: ev)
        if let ghost = entry(key).stored.ghost, ev <= ghost.version {
            settle(key, because: .acknowledged)
        }
    }

    /// Applies a change to the ghost, or requests the object where that is not possible.
    private mutating func apply(
        _ key: ExactText, _ change: SimperiumChange<JSONValue>, ev: Int64
    ) {
        let ghost = entry(key).stored.ghost
        guard ghost != nil || entries.count < settings.maxObjects else { return }
        if change.sv == ghost?.version, let value = change.value {
            do throws(DiffError) {
                let data = try JSONDiff.apply(value, to: ghost?.data ?? .object(JSONObject()))
                return learn(key, Ghost(version: ev, data: data), because: .remote)
            } catch {
                log("a change of \(Excerpt.quote(key.string)) cannot be applied: \(error)")
            }
        } else {
            let versions = "\(change.sv ?? 0) instead of \(ghost?.version ?? 0)"
            log("a change of \(Excerpt.quote(key.string)) applies to \(versions)")
        }
        want(key, version: ev)
        askForEntities()
    }
}
