import Notation
import Wire

extension ClientBucket {
    /// The outcome of the request to empty the bucket.
    struct EmptyingState {
        /// Whether it was sent on this connection.
        var isSent = false
        /// Whether its answer was 409, so that the objects are to be read again.
        var isKnown = false
        var attempts = 0
        var retryAt: Instant?
    }

    /// Removes all objects at once, by one change with `EMPTY`.
    mutating func empty() {
        guard emptying == nil else { return }
        let change = SimperiumChange<JSONValue>(
            key: settings.bucket, operation: .empty, ccids: [numbers.nextIdentifier()])
        emptying = Emptying(change: change)
        emptyingState = EmptyingState()
        isHeadUnsaved = true
        for key in keys(where: { $0.local != nil }) {
            update(key) { entry in
                entry.stored.local = nil
                entry.stored.hold = nil
            }
            queue.append(key)
        }
    }

    /// Sends the request when nothing else is on its way, so that it is the last of them.
    mutating func sendEmptying() {
        guard phase == .synced, unanswered.isEmpty, !emptyingState.isSent,
            !emptyingState.isKnown, let change = emptying?.change,
            emptyingState.retryAt ?? .zero <= now
        else { return }
        emptyingState.isSent = true
        emptyingState.retryAt = nil
        lastHeard = now
        send(.changes([change]))
    }

    /// A client has emptied the bucket; objects with local work survive.
    mutating func forgetObjects(_ change: SimperiumChange<JSONValue>) {
        let isOwn = emptying?.change.ccids.first.map { change.ccids.contains($0) } ?? false
        if isOwn {
            emptying = nil
            isHeadUnsaved = true
        }
        requests.removeAll()
        for key in keys(where: { $0.ghost != nil || $0.wanted != nil }) {
            index?.changed.insert(key)
            lose(
                key, at: entry(key).stored.ghost?.version,
                because: isOwn ? .acknowledged : .remote)
        }
        advance(to: change.cv)
        endIndexIfComplete()
    }

    mutating func refuseEmptying(_ code: Int) {
        emptyingState.isSent = false
        switch code {
        case 401 where emptyingState.attempts == 0:
            emptyingState.attempts += 1
            refuse(code: 401, reason: "the token does not permit to empty the bucket")
        case 409:
            emptyingState.isKnown = true
            catchUp()
        case 500...599:
            emptyingState.attempts += 1
            let pause = settings.pauses.pause(
                after: emptyingState.attempts, jitter: numbers.nextFraction())
            emptyingState.retryAt = Instant(nanoseconds: now.nanoseconds + pause)
        default:
            emptying = nil
            // The objects still exist; removing them one by one was not requested.
            for key in keys(where: { $0.local == nil && $0.sent == nil }) { restore(key) }
            commands.append(
                .rejected(
                    key: settings.bucket, code: code, reason: SimperiumErrorCode.detail(code)))
        }
        isHeadUnsaved = true
    }

    private mutating func restore(_ key: ExactText) {
        guard let ghost = entry(key).stored.ghost else { return }
        update(key) { $0.stored.local = ghost.data }
        notify(key, old: nil, because: .refused)
    }
}
