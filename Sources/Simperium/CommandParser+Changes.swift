import Wire

/// The changes of a `c`: one object from a client, an array from a server.
extension CommandParser {
    mutating func changes(_ payload: Range<Int>) throws(SimperiumError) -> [SimperiumChange] {
        let root = try json(payload, nil)
        let start = root.range.lowerBound
        switch root.kind {
        case .object:
            if sender == .server { note(.changeObjectFromServer, at: start) }
            return [change(root)]
        case .array:
            if sender == .client { note(.changeArrayFromClient, at: start) }
            var changes: [SimperiumChange] = []
            for element in root.elements {
                guard changes.count < SimperiumCommand.mostElements else {
                    throw .tooManyElements(
                        limit: SimperiumCommand.mostElements, offset: element.range.lowerBound)
                }
                changes.append(change(element))
            }
            return changes
        default: throw .wrongKind(expected: sender == .client ? .object : .array, offset: start)
        }
    }

    private mutating func change(_ node: JSONDocument.Node) -> SimperiumChange {
        var change = SimperiumChange(range: node.range)
        let start = node.range.lowerBound
        guard node.kind == .object else {
            note(.changeNotAnObject, at: start)
            return change
        }
        var key, operation, sv, ev, cv, ccid, ccids: JSONDocument.Node?
        var clientID, spelled, error, value, data: JSONDocument.Node?
        for member in node.members {
            switch member.key.string {
            case "id": take(&key, member, "id")
            case "o": take(&operation, member, "o")
            case "v": take(&value, member, "v")
            case "sv": take(&sv, member, "sv")
            case "ev": take(&ev, member, "ev")
            case "cv": take(&cv, member, "cv")
            case "ccid": take(&ccid, member, "ccid")
            case "ccids": take(&ccids, member, "ccids")
            case "clientid": take(&clientID, member, "clientid")
            case "client_id": take(&spelled, member, "client_id")
            case "error": take(&error, member, "error")
            case "d": take(&data, member, "d")
            default: break
            }
        }
        if let spelled {
            note(.clientIDSpelling, at: spelled.range.lowerBound)
            clientID = clientID ?? spelled
        }
        change.key = text(key, "id")
        change.operation = text(operation, "o").map(SimperiumChange.Operation.init)
        change.sv = version(sv, "sv")
        change.ev = version(ev, "ev")
        change.cv = text(cv, "cv")
        change.clientID = text(clientID, "clientid")
        change.error = errorCode(error)
        change.value = value?.range
        change.data = data?.range
        if let ccids {
            if sender == .client { note(.ccidsFromClient, at: ccids.range.lowerBound) }
            change.ccids = ccids.elements.compactMap { text($0, "ccids") }
            if ccids.kind != .array { change.ccids = [text(ccids, "ccids")].compactMap { $0 } }
        }
        if let ccid {
            if sender == .server { note(.ccidFromServer, at: ccid.range.lowerBound) }
            if let text = text(ccid, "ccid"), !change.ccids.contains(text) {
                change.ccids.append(text)
            }
        }
        noteMissing(change, hasError: error != nil, at: start)
        return change
    }

    /// Notes what the sender should have said and did not.
    private mutating func noteMissing(_ change: SimperiumChange, hasError: Bool, at start: Int) {
        if change.key == nil { note(.changeMissing, "id", at: start) }
        if change.ccids.isEmpty {
            note(.changeMissing, sender == .client ? "ccid" : "ccids", at: start)
        }
        if case .other = change.operation { note(.changeOperation, at: start) }
        guard !hasError else { return }
        if change.operation == nil { note(.changeMissing, "o", at: start) }
        if change.operation == .modify, change.value == nil, change.data == nil {
            note(.changeMissing, "v", at: start)
        }
        guard sender == .server else {
            if change.clientID != nil { note(.clientIDInChange, at: start) }
            return
        }
        if change.clientID == nil { note(.changeMissing, "clientid", at: start) }
        if change.cv == nil { note(.changeMissing, "cv", at: start) }
        if change.ev == nil, change.operation != .empty { note(.changeMissing, "ev", at: start) }
    }
}
