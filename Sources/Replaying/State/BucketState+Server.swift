internal import Notation
internal import Simperium
internal import Wire

/// Which command of the trace it is, and when.
struct CommandMoment {
    var command: CommandID?
    var at: Instant
    /// Its place among all that is told.
    var order: Int
}

extension BucketState {
    /// Takes changes that the server sent.
    mutating func serverSent(
        _ changes: [SimperiumChange<Range<Int>>], _ message: [UInt8], _ moment: CommandMoment
    ) {
        let last = changes.lastIndex { $0.error == nil && $0.cv != nil }
        for (index, change) in changes.enumerated() {
            settle(change)
            guard change.error == nil else { continue }
            if let cv = change.cv {
                // Told before, to another client.
                guard recent.insert(cv) else { continue }
                // What leads up to a change version that is known is older than that.
                if index == last { self.cv = cv }
            }
            if change.operation == .empty {
                objects = [:]
                isComplete = true
                continue
            }
            guard let name = change.key else { continue }
            let key = ExactText(name)
            if let known = objects[key], let ev = change.ev, ev <= known.version { continue }
            switch change.operation {
            case .remove: objects[key] = nil
            case .modify:
                guard let ev = change.ev else { continue }
                let result = result(of: change, on: objects[key], message)
                objects[key] = HeldObject(
                    version: ev, json: result, command: moment.command, touched: moment.order)
            default: continue
            }
        }
    }

    /// Notes what the server says about changes of clients.
    private mutating func settle(_ change: SimperiumChange<Range<Int>>) {
        for ccid in change.ccids {
            let name = ExactText(ccid)
            guard let place = awaiting[name], let keyName = change.key else { continue }
            let key = ExactText(keyName)
            guard
                let index = clients[place].unacknowledged[key]?.firstIndex(where: {
                    ExactText($0.ccid) == name
                })
            else { continue }
            if let code = change.error {
                clients[place].unacknowledged[key]?[index].fate = .refusedUnheard(code: code)
            } else {
                clients[place].unacknowledged[key]?[index].fate = .accepted(version: change.ev)
            }
        }
    }

    /// The JSON text of an object after a change; nil where it cannot be told.
    mutating func result(
        of change: SimperiumChange<Range<Int>>, on object: HeldObject?, _ message: [UInt8]
    ) -> [UInt8]? {
        if let data = change.data, data.upperBound <= message.count { return Array(message[data]) }
        guard let value = change.value, value.upperBound <= message.count else { return nil }
        let base: [UInt8]
        if let sv = change.sv {
            guard let object, object.version == sv, let json = object.json else { return nil }
            base = json
        } else {
            base = Self.emptyObject
        }
        if let cv = change.cv, let step = steps[cv], step.base == base,
            step.operations.elementsEqual(message[value])
        {
            return step.result
        }
        var result: [UInt8]?
        if let map = try? JSONDocument.scan(message, in: value),
            let before = HeldObject.value(base),
            let after = try? JSONDiff.apply(JSONValue(map.root), to: before)
        {
            result = after.bytes()
        }
        if let cv = change.cv {
            steps.insert(
                RecentSteps.Step(base: base, operations: Array(message[value]), result: result), cv)
        }
        return result
    }

    private static let emptyObject = Array("{}".utf8)

    /// Takes an object that the server sent whole.
    mutating func serverSent(
        _ key: String, _ version: Int64, _ json: [UInt8]?, _ moment: CommandMoment
    ) {
        let key = ExactText(key)
        if let known = objects[key] {
            // An old version that somebody looks at is not what the object is now.
            guard version >= known.version else { return }
            if version == known.version, known.json != nil || json == nil {
                objects[key]?.touched = moment.order
                return
            }
        }
        objects[key] = HeldObject(
            version: version, json: json, command: moment.command, touched: moment.order)
    }

    /// Takes the change version of an index.
    mutating func serverSent(current: String?) {
        guard let current, !current.isEmpty, recent.insert(current) else { return }
        cv = current
    }

    /// Takes the end of an index of everything.
    mutating func serverEnded(_ listing: Listing) {
        for (key, object) in objects
        where object.touched < listing.since && !listing.keys.contains(key) {
            objects[key] = nil
        }
        isComplete = true
    }
}

/// An index on its way, page by page.
struct Listing: Sendable {
    /// Where among all that was told it was asked for.
    var since: Int
    /// Keys so far.
    var keys: Set<ExactText> = []
    /// Change version of the first page.
    var current: String?
}
