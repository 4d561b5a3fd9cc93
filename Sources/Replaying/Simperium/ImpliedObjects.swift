internal import Notation
internal import Simperium
internal import Wire

/// The objects of a bucket as far as a recording shows them.
struct ImpliedObjects {
    /// The known state of one object.
    private struct Known {
        /// Data by version, of pages, entities and changes.
        var data: [Int64: JSONValue] = [:]
        /// The highest version that was shown by now, and place of the last command that did.
        var shown: (version: Int64, place: Int32)?
        /// The highest version that is shown later.
        var later: Int64?
    }

    /// A run through the index.
    private struct Walk {
        var start: Int32
        var keys: Set<ExactText> = []
    }

    private var known: [ExactText: Known] = [:]
    private var order: [ExactText] = []
    private var walks: [Int: Walk] = [:]
    /// The last run through the whole index that was answered by now.
    private var whole: Walk?

    /// A client begins to read the index.
    mutating func beginWalk(_ stream: Int, at place: Int32) { walks[stream] = Walk(start: place) }

    /// A page of the index.
    mutating func see(
        _ page: IndexPage<JSONValue>, on stream: Int, at place: Int32, isPast: Bool
    ) {
        for entry in page.entries {
            guard let key = entry.key.map(ExactText.init), let version = entry.version else {
                continue
            }
            note(key)
            walks[stream]?.keys.insert(key)
            if let data = entry.data { known[key]?.data[version] = data }
            show(key, version, at: place, isPast: isPast)
        }
        guard page.mark == nil || page.mark == "", let walk = walks.removeValue(forKey: stream),
            isPast
        else { return }
        whole = walk
    }

    /// An entity, of any version.
    mutating func see(
        _ key: String, _ version: Int64, _ data: JSONValue, at place: Int32, isPast: Bool
    ) {
        let key = ExactText(key)
        note(key)
        known[key]?.data[version] = data
        show(key, version, at: place, isPast: isPast)
    }

    private mutating func note(_ key: ExactText) {
        guard known[key] == nil else { return }
        known[key] = Known()
        order.append(key)
    }

    private mutating func show(_ key: ExactText, _ version: Int64, at place: Int32, isPast: Bool) {
        guard let facts = known[key] else { return }
        if isPast {
            known[key]?.shown = (max(facts.shown?.version ?? version, version), place)
        } else {
            known[key]?.later = max(facts.later ?? version, version)
        }
    }

    /// The objects after the changes of a log that were made by now, in the order of the index.
    mutating func objects(after log: ImpliedLog) -> [ServerObject] {
        var changes: [ExactText: [ImpliedLog.Entry]] = [:]
        var emptied: ImpliedLog.Entry?
        for entry in log.entries {
            if entry.change.operation == .empty {
                if entry.isPast { emptied = entry }
                continue
            }
            guard let key = entry.change.key.map(ExactText.init) else { continue }
            note(key)
            changes[key, default: []].append(entry)
        }
        return order.compactMap { key in
            object(key, changes[key] ?? [], emptied: emptied)
        }
    }

    private func object(
        _ key: ExactText, _ changes: [ImpliedLog.Entry], emptied: ImpliedLog.Entry?
    ) -> ServerObject? {
        guard let facts = known[key] else { return nil }
        var data = facts.data
        for entry in changes where entry.change.operation == .modify {
            let change = entry.change
            guard let version = change.ev, data[version] == nil else { continue }
            data[version] = change.object { data[$0] }
        }
        let past = changes.last(where: \.isPast)
        let head: Int64
        if let emptied, past.map({ $0.place < emptied.place }) ?? true,
            facts.shown.map({ $0.place < emptied.place }) ?? true
        {
            // Removing is a version as well.
            let last = max(past?.change.ev ?? 0, facts.shown?.version ?? 0)
            guard last > 0 else { return nil }
            return removed(key, last + 1)
        }
        if let change = past?.change, change.operation == .remove, let version = change.ev,
            (facts.shown?.version ?? 0) <= version
        {
            return removed(key, version)
        }
        // A client that read the whole index since did not find it.
        if let whole, !whole.keys.contains(key),
            max(facts.shown?.place ?? -1, past?.place ?? -1) < whole.start
        {
            return nil
        }
        if let version = past?.change.ev {
            head = max(version, facts.shown?.version ?? 0)
        } else if let shown = facts.shown {
            head = shown.version
        } else if let first = changes.first?.change {
            // What changes it later shows what it was before.
            guard
                let version = first.sv
                    ?? (first.operation == .remove ? first.ev.map { $0 - 1 } : nil)
            else { return nil }
            head = version
        } else if let later = facts.later {
            head = later
        } else {
            return nil
        }
        guard head > 0 else { return nil }
        let born =
            changes.last {
                $0.isPast && $0.change.operation == .remove && $0.change.ev ?? 0 < head
            }?
            .change.ev ?? 0
        return ServerObject(
            key: key.string, number: head, isRemoved: false,
            versions: Self.versions(of: data, after: born, to: head, changes))
    }

    private func removed(_ key: ExactText, _ version: Int64) -> ServerObject {
        ServerObject(key: key.string, number: version, isRemoved: true, versions: [])
    }

    /// The known versions, and a substitute for the newest where that is unknown.
    private static func versions(
        of data: [Int64: JSONValue], after born: Int64, to head: Int64,
        _ changes: [ImpliedLog.Entry]
    ) -> [ServerObject.Version] {
        var steps: [Int64: JSONValue] = [:]
        for entry in changes {
            let change = entry.change
            guard change.operation == .modify, let version = change.ev, change.sv == version - 1
            else { continue }
            steps[version] = change.value
        }
        var versions: [ServerObject.Version] = []
        for number in data.keys.sorted() where number > born && number <= head {
            guard let value = data[number], value.kind == .object else { continue }
            versions.append(.init(number: number, data: value, change: steps[number]))
        }
        if versions.last?.number != head {
            // Never shown: what it was before is the closest.
            let closest = versions.last?.data ?? .object(JSONObject())
            versions.append(.init(number: head, data: closest))
        }
        return versions
    }
}
