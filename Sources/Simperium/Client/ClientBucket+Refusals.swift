import Notation
import Wire

extension ClientBucket {
    /// A change that the server did not apply.
    ///
    /// Source: Simperium/Specification.md#errors.
    mutating func refuse(_ change: SimperiumChange<JSONValue>) {
        let code = change.error ?? 0
        if let ccid = emptying?.change.ccids.first, change.ccids.contains(ccid) {
            return refuseEmptying(code)
        }
        guard let name = change.key, let sent = entry(ExactText(name)).stored.sent,
            let ccid = sent.change.ccids.first, change.ccids.contains(ccid), sent.answer == nil
        else { return log("error \(code) for a change that is not this client's") }
        let key = ExactText(name)
        log("\(Excerpt.quote(name)): \(code), \(SimperiumErrorCode.detail(code))")
        switch code {
        case 401: refusePermission(key)
        case 404, 417, 440: sendWhole(key, code: code)
        case 405:
            guard countAttempt(key) else { return reject(key, code: code, hold: .untilEdited) }
            answer(key, .badVersion)
            if entry(key).stored.ghost != nil { reload(key) } else { catchUp() }
        case 409:
            answer(key, .duplicate)
            catchUp()
        case 412:
            // Nothing changed on the server: it has the requested value.
            settle(key, because: .refused)
        case 413:
            let bytes = sent.target?.bytes().count ?? 0
            reject(key, code: code, hold: .untilBelow(bytes: bytes))
        case 500...599: sendLater(key)
        default: reject(key, code: code, hold: .untilEdited)
        }
    }

    private mutating func answer(_ key: ExactText, _ answer: Answer) {
        update(key) { entry in
            entry.stored.sent?.answer = answer
            entry.isInFlight = false
        }
    }

    /// Abandons a change; the app's data are kept, and are sent when the app edits them.
    private mutating func reject(_ key: ExactText, code: Int, hold: Hold) {
        drop(key)
        update(key) { entry in
            entry.stored.needsFull = false
            entry.fullAttempts = 0
            entry.serverErrors = 0
            entry.permissionErrors = 0
        }
        // What the app did since may be better.
        if isHeld(key, by: hold) { update(key) { $0.stored.hold = hold } }
        commands.append(
            .rejected(
                key: key.string, code: code, reason: SimperiumErrorCode.detail(code)))
    }

    private func isHeld(_ key: ExactText, by hold: Hold) -> Bool {
        switch hold {
        case .untilEdited: !entry(key).isEditedSinceSent
        case .untilBelow(let bytes):
            (entry(key).stored.local?.bytes().count ?? 0) >= bytes
        }
    }

    /// Drops the change that was sent; the local data are to be sent.
    private mutating func drop(_ key: ExactText) {
        update(key) { entry in
            entry.isEditedSinceSent =
                entry.stored.sent.map { $0.target != entry.stored.local } ?? false
            entry.stored.sent = nil
            entry.isInFlight = false
            entry.retryAt = nil
        }
        unanswered.remove(key)
        queue.append(key)
    }

    /// Counts an attempt at the whole object.
    ///
    /// - Returns: Whether another may be made.
    private mutating func countAttempt(_ key: ExactText) -> Bool {
        update(key) { $0.fullAttempts += 1 }
        return entry(key).fullAttempts <= settings.maxFullAttempts
    }

    /// Sends the object again with all of its data.
    private mutating func sendWhole(_ key: ExactText, code: Int) {
        let isGone = code == 404
        let wasWhole = entry(key).stored.sent?.change.data != nil
        let isRemoval = entry(key).stored.sent?.change.operation == .remove
        if isRemoval, isGone {
            // It is deleted already, as requested.
            drop(key)
            update(key) { $0.stored.ghost = nil }
            return
        }
        guard !isRemoval, !(code == 440 && wasWhole), countAttempt(key) else {
            return reject(key, code: code, hold: .untilEdited)
        }
        if isGone, let ghost = entry(key).stored.ghost {
            update(key) { $0.stored.ghost = nil }
            bury(key, at: ghost.version)
        }
        drop(key)
        update(key) { $0.stored.needsFull = true }
    }

    /// Sends the same after a pause that grows.
    private mutating func sendLater(_ key: ExactText) {
        let jitter = numbers.nextFraction()
        let (pauses, now) = (settings.pauses, now)
        update(key) { entry in
            entry.isInFlight = false
            entry.serverErrors += 1
            let pause = pauses.pause(after: entry.serverErrors, jitter: jitter)
            entry.retryAt = Instant(nanoseconds: now.nanoseconds + pause)
        }
    }

    /// The token, or the user, may not change this object.
    private mutating func refusePermission(_ key: ExactText) {
        let errors = update(key) { entry in
            entry.isInFlight = false
            entry.permissionErrors += 1
            return entry.permissionErrors
        }
        // Another token has not helped.
        if errors > 1 { return reject(key, code: 401, hold: .untilEdited) }
        refuse(code: 401, reason: "the token does not permit the change")
    }
}
