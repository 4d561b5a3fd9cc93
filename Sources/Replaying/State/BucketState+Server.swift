internal import Notation
internal import Simperium
internal import Wire

/// Which command of the trace it is, and when.
struct CommandMoment {
    var command: CommandID?
    var at: Instant
    /// Its place among all changes that are sent.
    var order: Int

    var source: Ledger.Source { Ledger.Source(command: command, order: order) }
}

extension BucketState {
    /// Processes changes that the server sent.
    mutating func serverSent(
        _ changes: [SimperiumChange<Range<Int>>], _ message: [UInt8], _ moment: CommandMoment
    ) {
        let last = changes.lastIndex { $0.error == nil && $0.cv != nil }
        for (index, change) in changes.enumerated() {
            settle(change)
            guard change.error == nil else {
                if history != nil {
                    let refusal = named(SimperiumChange(change, in: message))
                    history?.note(refusal: refusal)
                }
                continue
            }
            if change.effect == .empties, history != nil {
                for (key, held) in ledger.objects {
                    history?.note(removalOf: key, held.version + 1)
                }
            }
            if let cv = change.cv {
                // Sent before, to another client.
                guard recent.insert(cv) else { continue }
                // Changes that lead to a known change version are older than that.
                if index == last { ledger.cv = cv }
            }
            switch ledger.take(change, in: message, from: moment.source, &computed) {
            case .baseUnknown, .dataUnknown, .inapplicable:
                ledger.holdVersion(of: change, from: moment.source)
            case .applied where history != nil: remember(change, message)
            case .applied, .emptied, .alreadyHad, .nothing: break
            }
        }
    }

    /// Notes the version that a change made.
    private mutating func remember(
        _ change: SimperiumChange<Range<Int>>, _ message: [UInt8]
    ) {
        guard let name = change.key else { return }
        let key = ExactText(name)
        if change.operation == .remove {
            history?.note(removalOf: key, change.ev ?? (change.sv ?? 0) + 1)
        } else if let held = ledger.objects[key], let json = held.json {
            let operations = SimperiumChange<JSONValue>(change, in: message).value
            history?.note(key, held.version, json, change: operations)
        }
    }

    /// A change with the client that made it, which some servers leave out.
    func named(_ change: SimperiumChange<JSONValue>) -> SimperiumChange<JSONValue> {
        guard change.clientID == nil else { return change }
        var change = change
        change.clientID =
            change.ccids.lazy.compactMap { [awaiting, clients] in
                awaiting[ExactText($0)].map { clients[$0].id }
            }.first
        return change
    }

    /// Processes the end of an index of everything.
    mutating func serverSent(endOf listing: Ledger.Listing) {
        let before = history == nil ? [:] : ledger.objects
        for key in ledger.end(listing) {
            if let held = before[key] { history?.note(removalOf: key, held.version + 1) }
        }
    }

    /// Notes the server's answers to changes of clients.
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
                clients[place].unacknowledged[key]?[index].outcome = .refusedUnseen(code: code)
            } else {
                clients[place].unacknowledged[key]?[index].outcome = .accepted(version: change.ev)
            }
        }
    }

    /// Processes an object that the server sent whole, or named.
    mutating func serverSent(
        _ key: String, _ version: Int64, _ json: [UInt8]?, _ moment: CommandMoment
    ) {
        let key = ExactText(key)
        // What a version is, it is: another text for it is another way to write it, or a mistake
        // that is not this one's to find.
        if let json { history?.note(key, version, json) }
        let isKnown = ledger.objects[key].map { $0.version == version && $0.json != nil } ?? false
        ledger.take(key, version, json: isKnown ? nil : json, from: moment.source)
    }

    /// Takes the change version of an index.
    mutating func serverSent(current: String?) {
        guard let current, !current.isEmpty, recent.insert(current) else { return }
        ledger.cv = current
    }
}
