import Notation
import Wire

/// The changes of a `c`: one object from a client, an array from a server.
extension CommandParser {
    mutating func changes(
        _ payload: Range<Int>
    ) throws(SimperiumError) -> [SimperiumChange<Range<Int>>] {
        let root = try json(payload, nil)
        let start = root.range.lowerBound
        switch root.kind {
        case .object:
            if sender == .server { note(.changeObjectFromServer, at: start) }
            return [change(root)]
        case .array:
            if sender == .client { note(.changeArrayFromClient, at: start) }
            var changes: [SimperiumChange<Range<Int>>] = []
            for element in root.elements {
                guard changes.count < SimperiumCommand.maxElements else {
                    throw .tooManyElements(
                        limit: SimperiumCommand.maxElements, offset: element.range.lowerBound)
                }
                changes.append(change(element))
            }
            return changes
        default: throw .wrongKind(expected: sender == .client ? .object : .array, offset: start)
        }
    }

    private mutating func change(_ node: JSONDocument.Node) -> SimperiumChange<Range<Int>> {
        var change = SimperiumChange<Range<Int>>()
        change.range = node.range
        let start = node.range.lowerBound
        guard node.kind == .object else {
            note(.changeNotAnObject, at: start)
            return change
        }
        var key, operation, sv, ev, cv, ccid, ccids: Int?
        var clientID, spelled, error, operations, data: Int?
        var next = node.firstMember
        while let member = next {
            next = node.member(after: member)
            let range = node.range(at: member.key)
            let found = member.key + 1
            switch field(range) ?? escapedField(node.node(at: member.key)) {
            case .id: take(&key, found, "id", range)
            case .operation: take(&operation, found, "o", range)
            case .value: take(&operations, found, "v", range)
            case .sv: take(&sv, found, "sv", range)
            case .ev: take(&ev, found, "ev", range)
            case .cv: take(&cv, found, "cv", range)
            case .ccid: take(&ccid, found, "ccid", range)
            case .ccids: take(&ccids, found, "ccids", range)
            case .clientID: take(&clientID, found, "clientid", range)
            case .spelledClientID: take(&spelled, found, "client_id", range)
            case .error: take(&error, found, "error", range)
            case .data: take(&data, found, "d", range)
            case nil: note(.unknownField, at: range.lowerBound)
            }
        }
        if let spelled {
            note(.clientIDSpelling, at: node.range(at: spelled).lowerBound)
            clientID = clientID ?? spelled
        }
        func value(_ place: Int?) -> JSONDocument.Node? { place.map { node.node(at: $0) } }
        change.key = text(value(key), "id")
        check(value(key), .key, most: 256, .keyCharacters)
        change.operation = value(operation).flatMap { self.operation($0) }
        change.sv = version(value(sv), "sv")
        change.ev = version(value(ev), "ev")
        change.cv = text(value(cv), "cv")
        change.clientID = text(value(clientID), "clientid")
        checkClientID(value(clientID))
        change.error = errorCode(value(error))
        change.value = operations.map { node.range(at: $0) }
        change.data = data.map { node.range(at: $0) }
        change.ccids = identifiers(value(ccid), value(ccids))
        noteMissing(change, hasError: error != nil, at: start)
        if let operations { checkValue(node.node(at: operations), of: change) }
        if let data { checkData(node.node(at: data), of: change) }
        checkVersions(change, at: start)
        return change
    }

    /// The operation; known names need no `String`.
    private mutating func operation(_ node: JSONDocument.Node) -> ChangeOperation? {
        let range = node.range
        if node.kind == .string, range.count == 3 {
            switch message[range.lowerBound + 1] {
            case 0x4D: return .modify
            case 0x2D: return .remove
            default: break
            }
        }
        return text(node, "o").map(ChangeOperation.init)
    }

    private mutating func identifiers(
        _ ccid: JSONDocument.Node?, _ ccids: JSONDocument.Node?
    ) -> [String] {
        var identifiers: [String] = []
        if let ccids {
            let start = ccids.range.lowerBound
            if sender == .client { note(.ccidsFromClient, at: start) }
            if ccids.kind == .array {
                for element in ccids.elements {
                    if let text = text(element, "ccids") { identifiers.append(text) }
                    check(element, .ccid, most: 256, .ccidCharacters)
                }
            } else {
                note(.notAnArray, "ccids", at: start)
                if let text = text(ccids, "ccids") { identifiers.append(text) }
                check(ccids, .ccid, most: 256, .ccidCharacters)
            }
        }
        if let ccid {
            if sender == .server { note(.ccidFromServer, at: ccid.range.lowerBound) }
            check(ccid, .ccid, most: 256, .ccidCharacters)
            if let text = text(ccid, "ccid"), !identifiers.contains(text) {
                identifiers.append(text)
            }
        }
        return identifiers
    }

    /// Notes what the sender should have sent and did not.
    private mutating func noteMissing(
        _ change: SimperiumChange<Range<Int>>, hasError: Bool, at start: Int
    ) {
        if change.key == nil { note(.changeMissing, "id", at: start) }
        if change.ccids.isEmpty {
            note(.changeMissing, sender == .client ? "ccid" : "ccids", at: start)
        }
        if case .other = change.operation { note(.changeOperation, at: start) }
        guard !hasError else {
            if sender == .client { note(.serverField, "error", at: start) }
            return
        }
        if change.operation == nil { note(.changeMissing, "o", at: start) }
        if change.operation == .modify, change.value == nil, change.data == nil {
            note(.changeMissing, "v", at: start)
        }
        guard sender == .server else {
            if change.clientID != nil { note(.clientIDInChange, at: start) }
            if change.ev != nil { note(.serverField, "ev", at: start) }
            if change.cv != nil { note(.serverField, "cv", at: start) }
            return
        }
        if change.clientID == nil { note(.changeMissing, "clientid", at: start) }
        if change.cv == nil { note(.changeMissing, "cv", at: start) }
        if change.ev == nil, change.operation != .empty { note(.changeMissing, "ev", at: start) }
    }

    /// Notes what is odd about the map of operations.
    private mutating func checkValue(
        _ value: JSONDocument.Node, of change: SimperiumChange<Range<Int>>
    ) {
        let start = value.range.lowerBound
        if change.operation == .remove { note(.removeWithValue, at: start) }
        guard let summary = checkOperations(value), change.operation == .modify, change.data == nil
        else { return }
        if summary.isEmpty { note(.changeNothing, at: start) }
        if change.sv == nil, !summary.addsOnly { note(.changeWithoutSource, at: start) }
    }

    /// Notes what is odd about a whole object.
    private mutating func checkData(
        _ data: JSONDocument.Node, of change: SimperiumChange<Range<Int>>
    ) {
        let start = data.range.lowerBound
        if change.operation == .remove { note(.removeWithValue, at: start) }
        guard data.kind == .object else { return note(.notAnObject, "d", at: start) }
        var members = 0
        var isWrapper = true
        for member in data.members {
            members += 1
            let isOfWrapper = member.key.spells("version") || member.key.spells("data")
            if members > 2 || !isOfWrapper { isWrapper = false }
        }
        if isWrapper, members == 2 { note(.dataWrapped, at: start) }
    }

    private mutating func checkVersions(_ change: SimperiumChange<Range<Int>>, at start: Int) {
        if let sv = change.sv, sv < 1 { note(.versionRange, "sv", at: start) }
        if let ev = change.ev, ev < 1 { note(.versionRange, "ev", at: start) }
        if let sv = change.sv, let ev = change.ev, ev <= sv { note(.versionsDescend, at: start) }
        if change.operation == .empty { note(.changeEmptiesBucket, at: start) }
    }
}
