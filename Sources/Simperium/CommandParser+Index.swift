import Notation
import Wire

/// What is in a bucket: `i`, `e`, `index`.
extension CommandParser {
    mutating func indexPage(_ payload: Range<Int>) throws(SimperiumError) -> IndexPage<Range<Int>> {
        let root = try json(payload, .object)
        var current, index, mark, count: JSONDocument.Node?
        for member in root.members {
            switch member.key.string {
            case "current": take(&current, member, "current")
            case "index": take(&index, member, "index")
            case "mark": take(&mark, member, "mark")
            case "count": take(&count, member, "count")
            default: note(.unknownField, at: member.key.range.lowerBound)
            }
        }
        var page = IndexPage<Range<Int>>()
        page.current = text(current, "current")
        if page.current == nil { note(.noCurrent, at: root.range.lowerBound) }
        if page.current?.isEmpty == true { note(.emptyCurrent, at: root.range.lowerBound) }
        if index?.kind != .array { note(.noIndex, at: root.range.lowerBound) }
        page.mark = text(mark, "mark")
        if let mark, page.mark?.isEmpty == true { note(.emptyMark, at: mark.range.lowerBound) }
        page.count = whole(count, "count")
        if let index { page.entries = try entries(index) }
        return page
    }

    /// Entries of a page, or of a client's state.
    private mutating func entries(
        _ index: JSONDocument.Node
    ) throws(SimperiumError) -> [IndexPage<Range<Int>>.Entry] {
        var entries: [IndexPage<Range<Int>>.Entry] = []
        for element in index.elements {
            guard entries.count < SimperiumCommand.maxElements else {
                throw .tooManyElements(
                    limit: SimperiumCommand.maxElements, offset: element.range.lowerBound)
            }
            var key, version, data, sole, soleValue: JSONDocument.Node?
            var members = 0
            for member in element.members {
                switch member.key.string {
                case "id": take(&key, member, "id")
                case "v": take(&version, member, "v")
                case "d": take(&data, member, "d")
                default: (sole, soleValue) = (member.key, member.value)
                }
                members += 1
            }
            if members == 1, let sole, let number = soleValue?.int {
                // The clients for iOS answer `index` so.
                note(.indexEntryAsMember, at: element.range.lowerBound)
                check(sole, .key, most: 256, .keyCharacters)
                entries.append(IndexPage<Range<Int>>.Entry(key: sole.string, version: number))
                continue
            }
            if let sole { note(.unknownField, at: sole.range.lowerBound) }
            let entry = IndexPage<Range<Int>>.Entry(
                key: text(key, "id"), version: self.version(version, "v"), data: data?.range)
            check(key, .key, most: 256, .keyCharacters)
            if let data, data.kind != .object { note(.notAnObject, "d", at: data.range.lowerBound) }
            if entry.key == nil || entry.version == nil {
                note(.indexEntry, at: element.range.lowerBound)
            }
            entries.append(entry)
        }
        return entries
    }

    mutating func entity(_ payload: Range<Int>) throws(SimperiumError) -> SimperiumBody<Range<Int>>
    {
        let lineEnd = message[payload].firstIndex(of: 0x0A)
        if (lineEnd == nil) != (sender == .client) { note(.wrongDirection, at: 0) }
        let name = payload.lowerBound..<(lineEnd ?? payload.upperBound)
        guard !name.isEmpty else { throw .noPayload(offset: name.lowerBound) }
        guard let dot = message[name].lastIndex(of: 0x2E), dot > name.lowerBound else {
            throw .entityKey(offset: name.lowerBound)
        }
        guard let version = integer(dot + 1..<name.upperBound) else {
            throw .entityVersion(offset: dot + 1)
        }
        let key = try text(name.lowerBound..<dot)
        if !isIdentifier(name.lowerBound..<dot, .key, most: 256) {
            note(.keyCharacters, at: name.lowerBound)
        }
        checkZeros(dot + 1..<name.upperBound)
        if message[name.lowerBound..<dot].contains(0x2E) { note(.dottedKey, at: name.lowerBound) }
        guard let lineEnd else { return .entityRequest(key: key, version: version) }
        let rest = lineEnd + 1..<payload.upperBound
        if isQuestionMark(rest) {
            return .entity(EntityReply<Range<Int>>(key: key, version: version, content: .missing))
        }
        let root = try json(rest, .object)
        var data: JSONDocument.Node?
        for member in root.members {
            if member.key.spells("data") {
                take(&data, member, "data")
            } else {
                note(.unknownField, at: member.key.range.lowerBound)
            }
        }
        guard let data else {
            note(.entityWithoutData, at: root.range.lowerBound)
            return .entity(
                EntityReply<Range<Int>>(key: key, version: version, content: .other(root.range)))
        }
        if data.kind != .object { note(.notAnObject, "data", at: data.range.lowerBound) }
        return .entity(
            EntityReply<Range<Int>>(key: key, version: version, content: .data(data.range)))
    }

    mutating func indexState(_ payload: Range<Int>) throws(SimperiumError) -> IndexState<Range<Int>>
    {
        let root = try json(payload, .object)
        var current, index, pending, spelled, extra: JSONDocument.Node?
        for member in root.members {
            switch member.key.string {
            case "current": take(&current, member, "current")
            case "index": take(&index, member, "index")
            case "pending": take(&pending, member, "pending")
            case "pendings": take(&spelled, member, "pendings")
            case "extra": take(&extra, member, "extra")
            default: note(.unknownField, at: member.key.range.lowerBound)
            }
        }
        if let spelled {
            note(.pendingsSpelling, at: spelled.range.lowerBound)
            pending = pending ?? spelled
        }
        var state = IndexState<Range<Int>>(current: text(current, "current"), extra: extra?.range)
        if index?.kind != .array { note(.noIndex, at: root.range.lowerBound) }
        if let index { state.entries = try entries(index) }
        guard let pending, !pending.isNull else { return state }
        if pending.kind != .array { note(.notAnArray, "pending", at: pending.range.lowerBound) }
        for element in pending.elements {
            guard state.pending.count < SimperiumCommand.maxElements else {
                throw .tooManyElements(
                    limit: SimperiumCommand.maxElements, offset: element.range.lowerBound)
            }
            state.pending.append(self.pending(element))
        }
        return state
    }

    private mutating func pending(_ node: JSONDocument.Node) -> PendingChange {
        let start = node.range.lowerBound
        if node.kind != .object { note(.notAnObject, "pending", at: start) }
        var key, sv, ccid: JSONDocument.Node?
        for member in node.members {
            switch member.key.string {
            case "id": take(&key, member, "id")
            case "sv": take(&sv, member, "sv")
            case "ccid": take(&ccid, member, "ccid")
            default: note(.unknownField, at: member.key.range.lowerBound)
            }
        }
        check(key, .key, most: 256, .keyCharacters)
        check(ccid, .ccid, most: 256, .ccidCharacters)
        if key == nil { note(.pendingIncomplete, "id", at: start) }
        if sv == nil { note(.pendingIncomplete, "sv", at: start) }
        if ccid == nil { note(.pendingIncomplete, "ccid", at: start) }
        return PendingChange(
            key: text(key, "id"), sv: version(sv, "sv"), ccid: text(ccid, "ccid"))
    }
}
