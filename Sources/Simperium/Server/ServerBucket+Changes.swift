public import Notation
internal import Wire

extension ServerBucket {
    /// Applies a change that a client requests.
    ///
    /// The reasons to refuse it are tried in the order of ``BucketOptions/checks``. One for an
    /// older version that is kept is rebased: it is made, and sent, with other operations and the
    /// newest version as its `sv`. One with the whole object (`d`) is the difference between its
    /// `sv`, or the newest version without one, and that object.
    ///
    /// - Parameters:
    ///   - change: As a client sends it; hostile.
    ///   - author: The requester; the change is sent under this name whatever name it contains.
    /// - Returns: The result, and the messages for clients.
    public mutating func receive(
        _ change: SimperiumChange<JSONValue>, from author: ChangeAuthor
    ) -> ChangeOutcome {
        let plan: ChangePlan
        do {
            plan = try judge(change, author)
        } catch {
            return .refused(Self.refusal(of: change, author, error), error)
        }
        known.insert(client: author.clientID, ccid: plan.ccid, most: options.knownChanges)
        wasUsed = true
        cv = versions.next()
        var reported = SimperiumChange<JSONValue>(
            key: plan.key.string, operation: change.operation, cv: cv, ccids: [plan.ccid],
            clientID: author.clientID)
        let keepsEffect = options.aggregation != .none
        var effect = ChangeLog.Effect(before: keepsEffect ? plan.head?.data : nil, after: nil)
        var weight = 64 + plan.key.string.utf8.count
        switch plan.action {
        case .put(let work):
            reported.value = work.operations
            reported.sv = plan.head?.number
            reported.ev = put(plan.key, work)
            effect.after = work.data
            weight += work.operations.bytes().count
        case .remove:
            reported.sv = plan.head?.number
            reported.ev = remove(plan.key)
        case .empty: removeAll()
        }
        if keepsEffect { weight += (plan.head?.weight ?? 0) + (plan.work?.weight ?? 0) }
        log.append(
            ChangeLog.Entry(change: reported, effect: keepsEffect ? effect : nil, weight: weight),
            options)
        return .accepted(reported)
    }

    /// The element of a `c` that refuses a change.
    static func refusal(
        of change: SimperiumChange<JSONValue>, _ author: ChangeAuthor, _ check: ChangeCheck
    ) -> SimperiumChange<JSONValue> {
        // One identifier is what a client sends; a list of thousands is not worth repeating.
        SimperiumChange<JSONValue>(
            key: change.key ?? "", ccids: Array(change.ccids.prefix(16)),
            clientID: author.clientID, error: check.code)
    }

    private func judge(
        _ change: SimperiumChange<JSONValue>, _ author: ChangeAuthor
    ) throws(ChangeCheck) -> ChangePlan {
        let ccid = change.ccids.first ?? ""
        if let check = known.refusal(client: author.clientID, ccid: ccid) { throw check }
        let key = ExactText(change.key ?? "")
        let object = change.operation == .empty ? nil : objects[key]
        let bucket = ChangeTrial.Bucket(
            name: name, knowsChange: known.contains(client: author.clientID, ccid: ccid),
            count: count, weight: weight, options: options)
        var trial = ChangeTrial(change, by: author, on: object, in: bucket)
        for check in options.checks where trial.fails(check) { throw check }
        let plan = ChangePlan(key: key, ccid: ccid, head: object?.head, action: .empty)
        switch change.operation {
        case .empty: return plan
        case .remove:
            guard plan.head != nil else { throw .existence }
            return plan.with(.remove)
        case .modify:
            guard let work = trial.outcome else { throw .diff }
            return plan.with(.put(work))
        default: throw .identity
        }
    }

    /// The next version of an object, which may be its first.
    private mutating func put(_ key: ExactText, _ work: ChangeTrial.Work) -> Int64 {
        if objects[key]?.head == nil {
            if objects[key] != nil { removals.comeBack() }
            objects[key, default: StoredObject()].place = order.append(key)
            count += 1
        }
        weight -= objects[key]?.weight ?? 0
        objects[key]?.become(work.text, by: work.operations, options)
        weight += objects[key]?.weight ?? 0
        return objects[key]?.number ?? 0
    }

    /// Removes an object; its version is kept.
    private mutating func remove(_ key: ExactText) -> Int64 {
        if let place = objects[key]?.place { order.remove(place) }
        count -= 1
        weight -= objects[key]?.weight ?? 0
        objects[key]?.remove(options)
        weight += objects[key]?.weight ?? 0
        let number = objects[key]?.number ?? 0
        removals.insert(key, number)
        forgetRemoved()
        return number
    }

    private mutating func removeAll() {
        for (_, key) in Array(order.keys(from: 0)) { _ = remove(key) }
    }

    /// Drops objects that were removed longest ago.
    mutating func forgetRemoved() {
        while let removal = removals.next(
            over: max(options.removedObjects, 0),
            isStale: { [objects] in
                objects[$0.key]?.isRemoved != true || objects[$0.key]?.number != $0.number
            })
        {
            weight -= objects.removeValue(forKey: removal.key)?.weight ?? 0
        }
    }
}

/// A change that can be made.
private struct ChangePlan {
    enum Action {
        case put(ChangeTrial.Work)
        case remove
        case empty
    }

    var key: ExactText
    var ccid: String
    /// The object as it is; nil where it is not there.
    var head: StoredVersion?
    var action: Action

    var work: ChangeTrial.Work? {
        guard case .put(let work) = action else { return nil }
        return work
    }

    func with(_ action: Action) -> ChangePlan {
        var plan = self
        plan.action = action
        return plan
    }
}
