internal import Notation
internal import Simperium
internal import Wire

extension BucketState {
    /// Processes changes that a client sent.
    ///
    /// - Parameters:
    ///   - client: Its place.
    ///   - changes: The changes.
    ///   - message: The message that they are in.
    ///   - reached: Whether the server got them.
    ///   - moment: When, and in which command.
    mutating func clientSent(
        _ client: Int, _ changes: [SimperiumChange<Range<Int>>], _ message: [UInt8], reached: Bool,
        _ moment: CommandMoment
    ) {
        for change in changes {
            guard let name = change.key, let ccid = change.ccids.first,
                change.operation == .modify || change.operation == .remove
            else { continue }
            let key = ExactText(name)
            let identifier = ExactText(ccid)
            func part(_ range: Range<Int>?) -> [UInt8]? {
                range.flatMap { $0.upperBound <= message.count ? Array(message[$0]) : nil }
            }
            awaiting[identifier] = client
            var list = clients[client].unacknowledged.removeValue(forKey: key) ?? []
            if let index = list.firstIndex(where: { ExactText($0.ccid) == identifier }) {
                list[index].tries += 1
                if reached || list[index].outcome != .unanswered {
                    list[index].outcome = reached ? .unanswered : .lost
                }
                list[index].operations = part(change.value) ?? list[index].operations
                list[index].data = part(change.data) ?? list[index].data
                list[index].sv = change.sv ?? list[index].sv
            } else {
                // A client that continues has got over what was refused.
                list.removeAll {
                    guard $0.isRefused else { return false }
                    awaiting[ExactText($0.ccid)] = nil
                    return true
                }
                list.append(
                    UnacknowledgedChange(
                        ccid: ccid, key: name, isRemoval: change.operation == .remove,
                        sv: change.sv, operations: part(change.value), data: part(change.data),
                        command: moment.command, at: moment.at,
                        outcome: reached ? .unanswered : .lost)
                )
            }
            clients[client].unacknowledged[key] = list
        }
    }

    /// Notes that delayed changes of a client reached the server.
    mutating func serverReceived(_ client: Int, _ changes: [SimperiumChange<Range<Int>>]) {
        for change in changes {
            guard let name = change.key, let ccid = change.ccids.first else { continue }
            let key = ExactText(name)
            let index = clients[client].unacknowledged[key]?.firstIndex {
                ExactText($0.ccid) == ExactText(ccid) && $0.outcome == .lost
            }
            guard let index else { continue }
            clients[client].unacknowledged[key]?[index].outcome = .unanswered
        }
    }

    /// Processes changes that a client received.
    mutating func clientReceived(
        _ client: Int, _ changes: [SimperiumChange<Range<Int>>], _ message: [UInt8],
        _ moment: CommandMoment
    ) {
        for change in changes where change.key != nil || change.effect == .empties {
            let key = ExactText(change.key ?? "")
            let isOwn = acknowledge(client, key, change)
            guard change.error == nil else { continue }
            if let cv = change.cv { clients[client].ledger.cv = cv }
            switch clients[client].ledger.take(change, in: message, from: moment.source, &computed)
            {
            case .emptied: clients[client].missed = [:]
            case .applied where change.operation == .remove: clients[client].missed[key] = nil
            case .applied: settle(client, key)
            case .baseUnknown: miss(client, key, .gap, change.ev, moment)
            case .inapplicable where !isOwn: miss(client, key, .inapplicable, change.ev, moment)
            case .dataUnknown, .inapplicable:
                clients[client].ledger.holdVersion(of: change, from: moment.source)
                settle(client, key)
            case .alreadyHad, .nothing: break
            }
        }
    }

    /// Notes that the server sent changes that a client did not get.
    mutating func clientMissed(
        _ client: Int, _ changes: [SimperiumChange<Range<Int>>], _ moment: CommandMoment
    ) {
        for change in changes where change.error == nil {
            guard let name = change.key else { continue }
            let key = ExactText(name)
            let held = clients[client].ledger.objects[key]
            if let held, let ev = change.ev, ev <= held.version { continue }
            miss(client, key, .lost, change.ev, moment)
        }
    }

    private mutating func miss(
        _ client: Int, _ key: ExactText, _ reason: MissedChange.Reason, _ version: Int64?,
        _ moment: CommandMoment
    ) {
        // What was lost explains the gap after it.
        if reason == .gap, clients[client].missed[key]?.reason == .lost { return }
        clients[client].missed[key] = MissedChange(
            reason: reason, command: moment.command, version: version, at: moment.at)
    }

    /// Processes the answer to a client's own changes.
    ///
    /// - Returns: Whether the change is its own.
    private mutating func acknowledge(
        _ client: Int, _ key: ExactText, _ change: SimperiumChange<Range<Int>>
    ) -> Bool {
        guard !change.ccids.isEmpty, var list = clients[client].unacknowledged[key] else {
            return false
        }
        var isOwn = false
        for ccid in change.ccids {
            let name = ExactText(ccid)
            guard let index = list.firstIndex(where: { ExactText($0.ccid) == name }) else {
                continue
            }
            isOwn = true
            switch change.error {
            case nil, 412?:
                list.remove(at: index)
                awaiting[name] = nil
                clients[client].acknowledged[key] = name
            // The server has the change; the client gets it with its next request.
            case 409?: list[index].outcome = .duplicate
            case let code?: list[index].outcome = .refused(code: code)
            }
        }
        clients[client].unacknowledged[key] = list.isEmpty ? nil : list
        return isOwn
    }

    /// Processes an object that a client received whole.
    mutating func clientReceived(
        _ client: Int, _ key: String, _ version: Int64, _ json: [UInt8], _ moment: CommandMoment
    ) {
        let key = ExactText(key)
        // One text for both sides where it is the same.
        let server = ledger.objects[key].flatMap { $0.version == version ? $0.json : nil }
        let shared = server == json ? server : json
        switch clients[client].ledger.take(key, version, json: shared, from: moment.source) {
        // What it has already settles what was answered otherwise as well.
        case .applied, .alreadyHad: settle(client, key)
        default: return
        }
    }

    /// Notes that a client has got an object as it is held now.
    private mutating func settle(_ client: Int, _ key: ExactText) {
        if let missed = clients[client].missed[key],
            let held = clients[client].ledger.objects[key], missed.version ?? 0 <= held.version
        {
            clients[client].missed[key] = nil
        }
        // What was answered otherwise is settled once the object was received again.
        guard var list = clients[client].unacknowledged[key] else { return }
        list.removeAll { change in
            guard change.isAnswered else { return false }
            awaiting[ExactText(change.ccid)] = nil
            return true
        }
        clients[client].unacknowledged[key] = list.isEmpty ? nil : list
    }

    /// Processes the end of an index of everything that a client received.
    mutating func clientReceived(_ client: Int, endOf listing: Ledger.Listing) {
        let unacknowledged = clients[client].unacknowledged
        let gone = clients[client].ledger.end(listing) { unacknowledged[$0] != nil }
        for key in gone { clients[client].missed[key] = nil }
        if let current = listing.current, !current.isEmpty { clients[client].ledger.cv = current }
    }

    /// Processes the properties that a client sends of itself.
    mutating func clientReported(
        _ client: Int, _ state: IndexState<Range<Int>>, _ moment: CommandMoment
    ) {
        // Acknowledgements that were on their way when it was sent.
        let crossed = Set(
            state.pending.compactMap { pending -> ExactText? in
                guard let key = pending.key.map({ ExactText($0) }), let ccid = pending.ccid,
                    clients[client].acknowledged[key] == ExactText(ccid)
                else { return nil }
                return key
            })
        var objects: [ExactText: Ledger.Object] = [:]
        for key in crossed { objects[key] = clients[client].ledger.objects[key] }
        for entry in state.entries {
            guard let name = entry.key, let version = entry.version else { continue }
            let key = ExactText(name)
            if let crossing = objects[key], crossing.version > version { continue }
            if let held = clients[client].ledger.objects[key], held.version == version {
                objects[key] = held
            } else {
                let known = ledger.objects[key].flatMap { $0.version == version ? $0.json : nil }
                objects[key] = Ledger.Object(version: version, json: known, source: moment.source)
            }
        }
        clients[client].ledger.restate(objects)
        clients[client].missed = clients[client].missed.filter { key, missed in
            (objects[key]?.version ?? 0) < missed.version ?? 0
        }
        if let current = state.current, crossed.isEmpty { clients[client].ledger.cv = current }
    }
}

extension UnacknowledgedChange {
    var isRefused: Bool {
        switch outcome {
        case .refused, .refusedUnseen: true
        default: false
        }
    }

    /// Whether the client has got an answer to it, though not an acknowledgement.
    var isAnswered: Bool {
        switch outcome {
        case .refused, .duplicate: true
        default: false
        }
    }
}
