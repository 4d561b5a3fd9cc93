public import Notation
internal import Wire

extension ServerBucket {
    /// A bucket with a history, from an index, entities and changes.
    ///
    /// Objects without data or with a version below 1, and changes without `cv` are left out. The
    /// changes are answered to `cv`, and detected as duplicates when they are sent again, but are
    /// never merged: their effect is unknown.
    ///
    /// - Parameters:
    ///   - name: Its name.
    ///   - options: Limits and decisions.
    ///   - versions: Where its change versions come from.
    ///   - objects: In the order of the index, the last of those with the same key.
    ///   - cv: The change version it is at; nil for that of the last change, or a new one.
    ///   - log: The last changes, in their order.
    ///   - logStart: The change version before the first of them; nil where that is unknown.
    public init(
        name: String, options: BucketOptions = BucketOptions(), versions: ChangeVersions,
        objects: [ServerObject], cv: String? = nil, log: [SimperiumChange<JSONValue>] = [],
        logStart: String? = nil
    ) {
        self.init(name: name, options: options, versions: versions)
        let changes = log.filter { $0.cv != nil && $0.error == nil }
        if let last = cv ?? changes.last?.cv { self.cv = last }
        self.log = ChangeLog(start: logStart ?? (changes.isEmpty ? self.cv : nil))
        for change in changes {
            let weight = 64 + (change.value?.bytes().count ?? 0)
            self.log.append(.init(change: change, effect: nil, weight: weight), options)
            for ccid in change.ccids {
                known.insert(
                    client: change.clientID ?? "", ccid: ccid, most: options.knownChanges)
            }
        }
        wasUsed = !changes.isEmpty || cv?.isEmpty == false
        for seed in objects { add(seed) }
    }

    /// Detects a change as a duplicate when it is sent again, without answering it to `cv`.
    public mutating func know(_ change: SimperiumChange<JSONValue>) {
        for ccid in change.ccids {
            known.insert(client: change.clientID ?? "", ccid: ccid, most: options.knownChanges)
        }
    }

    /// Refuses a change again whenever it is sent again, as a recorded server did.
    ///
    /// Only reasons that the bucket does not know count: `code` 400, 401 and 413. Any other follows
    /// from its objects and changes, so that a mended change is not refused with the first one.
    public mutating func refuse(client: String, ccid: String, code: Int) {
        guard let check = Self.policy[code] else { return }
        known.refuse(client: client, ccid: ccid, check)
    }

    /// Whether a server refuses with this code for a reason that its objects and changes do not
    /// show.
    public static func isOfPolicy(_ code: Int) -> Bool { policy[code] != nil }

    private static let policy: [Int: ChangeCheck] = [400: .schema, 401: .permission, 413: .size]

    /// Adds an object with a past, at the end of the index; it replaces one with the same key.
    ///
    /// One without data or with a version below 1 is left out.
    public mutating func add(_ seed: ServerObject) {
        wasUsed = true
        // Beyond this, versions are not exact numbers in JavaScript.
        let sane: ClosedRange<Int64> = 1...1 << 53
        let ascending = seed.versions
            .filter { $0.data.kind == .object && sane ~= $0.number }
            .sorted { $0.number < $1.number }
        guard sane ~= seed.number, seed.isRemoved || !ascending.isEmpty else { return }
        let key = ExactText(seed.key)
        var object = StoredObject(
            number: seed.number, isRemoved: seed.isRemoved,
            versions: ascending.map {
                StoredVersion(
                    number: $0.number, text: $0.data.bytes(), change: $0.change)
            }, options)
        if let old = objects[key] {
            weight -= old.weight
            if old.isRemoved { removals.comeBack() } else { count -= 1 }
            if let place = old.place { order.remove(place) }
        }
        if seed.isRemoved {
            removals.insert(key, seed.number)
        } else {
            object.place = order.append(key)
            count += 1
        }
        weight += object.weight
        objects[key] = object
        forgetRemoved()
    }
}
