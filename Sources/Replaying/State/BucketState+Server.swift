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
            guard change.error == nil else { continue }
            if let cv = change.cv {
                // Sent before, to another client.
                guard recent.insert(cv) else { continue }
                // Changes that lead to a known change version are older than that.
                if index == last { ledger.cv = cv }
            }
            switch ledger.take(change, in: message, from: moment.source, &computed) {
            case .baseUnknown, .dataUnknown, .inapplicable:
                ledger.holdVersion(of: change, from: moment.source)
            case .applied, .emptied, .alreadyHad, .nothing: break
            }
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
        let isKnown = ledger.objects[key].map { $0.version == version && $0.json != nil } ?? false
        ledger.take(key, version, json: isKnown ? nil : json, from: moment.source)
    }

    /// Takes the change version of an index.
    mutating func serverSent(current: String?) {
        guard let current, !current.isEmpty, recent.insert(current) else { return }
        ledger.cv = current
    }
}
