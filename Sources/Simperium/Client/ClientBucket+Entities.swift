import Notation
import Wire

extension ClientBucket {
    /// Requests an object at a version, because it cannot be computed.
    mutating func want(_ key: ExactText, version: Int64) {
        update(key) { entry in
            entry.stored.wanted = max(version, entry.stored.wanted ?? version)
        }
        requests.want(key, version: version)
    }

    /// Requests the object of an answered change in its present state.
    ///
    /// Where no version is known that could be requested, the index has it.
    mutating func reload(_ key: ExactText) {
        let stored = entry(key).stored
        // Only the index shows whether a removed object exists again.
        let isRemoval =
            stored.sent?.answer == .duplicate && stored.sent?.change.operation == .remove
        if !isRemoval, var version = stored.wanted ?? stored.ghost?.version {
            // The server has the change, at a version after the known one unless that contains it.
            if stored.wanted == nil, stored.sent?.answer == .duplicate { version += 1 }
            want(key, version: version)
            return askForEntities()
        }
        reindex(for: key)
    }

    private mutating func reindex(for key: ExactText) {
        guard phase == .synced || phase == .waiting, reindexedFor.insert(key).inserted else {
            return giveUpReloading(key)
        }
        log("no version of \(Excerpt.quote(key.string)) is available; reading the index")
        reindex()
    }

    /// There is nothing to be had from the server, so that only the local data count.
    private mutating func giveUpReloading(_ key: ExactText) {
        stopWanting(key)
        if entry(key).stored.sent?.answer != nil { settle(key, because: .index) }
    }

    /// Local work on the object may go out again.
    mutating func stopWanting(_ key: ExactText) {
        guard entries[key] != nil else { return }
        update(key) { $0.stored.wanted = nil }
        queue.append(key)
    }

    mutating func askForEntities() {
        while let (key, version) = requests.next() {
            send(.entityRequest(key: key.string, version: version))
        }
    }

    mutating func receive(_ key: ExactText, version: Int64, data: JSONValue?) {
        let isNewest = requests.answer(key, version: version)
        defer {
            askForEntities()
            endIndexIfComplete()
        }
        guard isNewest || requests[key] != nil else { return }
        guard let data, case .object = data else {
            if isNewest { miss(key) }
            return
        }
        if isNewest { stopWanting(key) }
        let isRemoved = version <= tombstones[key] ?? 0
        let known = entry(key).stored.ghost?.version
        // What changes brought meanwhile is newer than the answer; the index alone may go back.
        let isOfIndex = isNewest && index.map { !$0.changed.contains(key) } ?? false
        if !isRemoved, known ?? version <= version || isOfIndex {
            learn(
                key, Ghost(version: version, data: data),
                because: index == nil ? .remote : .index)
        }
        if isNewest, entry(key).stored.sent?.answer != nil { settle(key, because: .index) }
    }

    /// The server does not have the version: it is purged, or the object was deleted.
    private mutating func miss(_ key: ExactText) {
        log("the server does not have the requested version of \(Excerpt.quote(key.string))")
        if phase == .indexing {
            stopWanting(key)
        } else {
            reindex(for: key)
        }
    }

    /// Takes what the server has, with the local work carried over.
    mutating func learn(_ key: ExactText, _ ghost: Ghost, because cause: Cause) {
        let policy = settings.policy
        let old = entry(key).stored.local
        update(key) { entry in
            let before = entry.stored.ghost?.data
            entry.stored.ghost = ghost
            if let wanted = entry.stored.wanted, wanted <= ghost.version {
                entry.stored.wanted = nil
            }
            guard let sent = entry.stored.sent else {
                entry.stored.local = Rebase.carry(
                    old, from: before, over: ghost.data, policy: policy)
                return
            }
            // The ghost may hold the change by now, which would be carried over itself.
            if sent.answer == .accepted || sent.answer == .duplicate { return }
            let target = Rebase.carry(sent.target, from: before, over: ghost.data, policy: policy)
            entry.stored.local = Rebase.carry(
                old, from: sent.target, over: target, policy: policy)
            entry.stored.sent?.target = target
        }
        index?.seen.insert(key)
        detail("\(Excerpt.quote(key.string)) is at version \(ghost.version), \(cause.words)")
        notify(key, old: old, because: cause)
    }

    /// The server does not have the object any more; local work survives.
    mutating func lose(_ key: ExactText, at version: Int64?, because cause: Cause) {
        let old = entry(key).stored.local
        update(key) { entry in
            let isUntouched = entry.stored.sent == nil && !entry.isDirty
            entry.stored.ghost = nil
            entry.stored.wanted = nil
            if isUntouched { entry.stored.local = nil }
        }
        requests.forget(key)
        if let version { bury(key, at: version) }
        detail("\(Excerpt.quote(key.string)) is removed, \(cause.words)")
        notify(key, old: old, because: cause)
        if entry(key).stored.sent?.answer != nil { settle(key, because: cause) }
    }

    mutating func bury(_ key: ExactText, at version: Int64) {
        unsaved.insert(key)
        if let forgotten = tombstones.insert(key, at: version) { unsaved.insert(forgotten) }
    }

    /// A change is answered, and the server's state is known: the rest of the local work is kept.
    mutating func settle(_ key: ExactText, because cause: Cause) {
        guard let sent = entry(key).stored.sent else { return }
        let policy = settings.policy
        let old = entry(key).stored.local
        let isFull = sent.answer == .badVersion
        update(key) { entry in
            // What was refused is still to be sent, as a whole.
            if isFull {
                entry.stored.needsFull = true
            } else {
                entry.stored.local = Rebase.carry(
                    old, from: sent.target, over: entry.stored.ghost?.data, policy: policy)
                entry.stored.needsFull = false
                entry.serverErrors = 0
                entry.permissionErrors = 0
                entry.fullAttempts = 0
            }
            entry.stored.sent = nil
            entry.isInFlight = false
            entry.retryAt = nil
        }
        unanswered.remove(key)
        notify(key, old: old, because: cause)
    }

    /// Reports the new value of an object to the app, and keeps what is to be sent.
    mutating func notify(_ key: ExactText, old: JSONValue?, because cause: Cause) {
        let new = entry(key).stored.local
        if entry(key).isDirty { queue.append(key) }
        switch (old, new) {
        case (let old, let new?) where old != new:
            commands.append(.changed(key: key.string, old: old, new: new, because: cause))
        case (let old?, nil):
            commands.append(.removed(key: key.string, old: old, because: cause))
        default: break
        }
    }
}
