import Notation
import Wire

/// What is odd about the map of operations of a change, as far as it shows without the object.
extension CommandParser {
    /// Notes the errors of operations at any depth.
    ///
    /// - Returns: What the outermost map is like; nil where it is none.
    mutating func checkOperations(_ map: JSONDocument.Node) -> OperationSummary? {
        guard map.kind == .object else {
            note(.notAnObject, "v", at: map.range.lowerBound)
            return nil
        }
        var inner: [JSONDocument.Node] = []
        let summary = check(map, &inner)
        while let map = inner.popLast() { _ = check(map, &inner) }
        return summary
    }

    /// Checks one map, and collects those that its operations hold.
    private mutating func check(
        _ map: JSONDocument.Node, _ inner: inout [JSONDocument.Node]
    ) -> OperationSummary {
        var summary = OperationSummary()
        for member in map.members {
            summary.isEmpty = false
            var name = plainOperation(member.value.range)
            if name == nil, let operation = operation(member.value) {
                name = operation.name
                if let map = operation.inner { inner.append(map) }
            }
            if let name, name != 0x2B { summary.addsOnly = false }
        }
        return summary
    }

    /// First byte of the operation's name, and the map that it holds.
    private mutating func operation(
        _ node: JSONDocument.Node
    ) -> (name: UInt8, inner: JSONDocument.Node?)? {
        let start = node.range.lowerBound
        var name, value: JSONDocument.Node?
        for member in node.members {
            switch field(member.key) {
            case .operation: name = member.value
            case .value: value = member.value
            default: note(.unknownField, "v", at: member.key.range.lowerBound)
            }
        }
        guard let name, name.kind == .string else {
            note(.operationMalformed, at: start)
            return nil
        }
        let text = name.range
        let first = message[text.lowerBound + 1]
        let expected: JSONKind?
        switch (text.count - 2, first) {
        case (1, 0x2B), (1, 0x72):  // + r
            if value == nil { note(.operationMalformed, at: start) }
            return (first, nil)
        case (1, 0x2D): return (first, nil)  // -
        case (1, 0x49): expected = .number  // I
        case (1, 0x4F), (1, 0x4C): expected = .object  // O L
        case (1, 0x64): expected = .string  // d
        case (2, 0x64) where message[text.lowerBound + 2] == 0x4C: expected = .string  // dL
        default:
            note(.operationUnknown, at: name.range.lowerBound)
            return (0, nil)
        }
        guard let value, value.kind == expected else {
            note(.operationMalformed, at: start)
            return (first, nil)
        }
        if first == 0x64 { checkDelta(value) }
        if first == 0x4C { checkIndices(value) }
        return (first, expected == .object ? value : nil)
    }

    /// The indices of `L` are digits.
    private mutating func checkIndices(_ map: JSONDocument.Node) {
        for member in map.members {
            let digits = message[member.key.range].dropFirst().dropLast()
            if digits.isEmpty || !digits.allSatisfy({ $0 &- 0x30 < 10 }) {
                note(.operationMalformed, at: member.key.range.lowerBound)
            }
        }
    }

    private mutating func checkDelta(_ node: JSONDocument.Node) {
        let range = node.range
        if let check = DeltaCheck(message.span, range.lowerBound + 1..<range.upperBound - 1) {
            return noteDelta(check, at: range.lowerBound)
        }
        var check = DeltaCheck()
        for byte in (node.string ?? "").utf8 where !check.isMalformed { check.feed(byte) }
        check.finish()
        noteDelta(check, at: range.lowerBound)
    }

    private mutating func noteDelta(_ check: DeltaCheck, at offset: Int) {
        if check.isMalformed {
            note(.deltaMalformed, at: offset)
        } else if check.isUnusual {
            note(.deltaUnusual, at: offset)
        }
    }

    /// First byte of the name of an operation that is written as libraries write it and holds no
    /// other operations: nearly all are, and this takes no node.
    ///
    /// - Returns: Nil where another look is needed.
    private mutating func plainOperation(_ range: Range<Int>) -> UInt8? {
        // {"o":"-"} is the shortest.
        let end = range.upperBound - 1
        guard range.count >= 9 else { return nil }
        var place = range.lowerBound
        guard message[place] == 0x7B, message[place + 1] == 0x22, message[place + 2] == 0x6F,
            message[place + 3] == 0x22, message[place + 4] == 0x3A
        else { return nil }
        place += message[place + 5] == 0x20 ? 6 : 5
        guard message[place] == 0x22, place + 2 < end, message[place + 2] == 0x22 else {
            return nil
        }
        let name = message[place + 1]
        place += 3
        if place == end { return name == 0x2D ? name : nil }
        place += message[place] == 0x2C && message[place + 1] == 0x20 ? 2 : 1
        guard place + 5 < end, message[place] == 0x22, message[place + 1] == 0x76,
            message[place + 2] == 0x22, message[place + 3] == 0x3A
        else { return nil }
        place += message[place + 4] == 0x20 ? 5 : 4
        let first = message[place]
        let isString = first == 0x22
        let isContainer = first == 0x5B || first == 0x7B
        let isLast =
            isString
            ? isLastString(place, end)
            : isContainer ? isLastContainer(place, end) : isLastWord(place, end)
        guard isLast else { return nil }
        switch name {
        case 0x2B, 0x72: return name
        case 0x64 where isString:
            guard let check = DeltaCheck(message.span, place + 1..<end - 1) else { return nil }
            noteDelta(check, at: place)
            return name
        default: return nil
        }
    }

    /// Whether the string that begins at `start` is followed by `end`.
    private func isLastString(_ start: Int, _ end: Int) -> Bool {
        let span = message.span
        var place = start + 1
        while place < end, span[place] != 0x22 { place += span[place] == 0x5C ? 2 : 1 }
        return place == end - 1
    }

    /// Whether the array or object that begins at `start` is followed by `end`.
    private func isLastContainer(_ start: Int, _ end: Int) -> Bool {
        let span = message.span
        var depth = 0
        var place = start
        while place < end {
            switch span[place] {
            case 0x5B, 0x7B: depth += 1
            case 0x5D, 0x7D:
                depth -= 1
                if depth == 0 { return place == end - 1 }
            case 0x22:
                place += 1
                while place < end, span[place] != 0x22 { place += span[place] == 0x5C ? 2 : 1 }
            default: break
            }
            place += 1
        }
        return false
    }

    /// Whether a number or word goes from `start` to `end`.
    private func isLastWord(_ start: Int, _ end: Int) -> Bool {
        let span = message.span
        for place in start..<end {
            switch span[place] {
            case 0x2C, 0x5B, 0x7B, 0x20, 0x09, 0x0A, 0x0D: return false
            default: break
            }
        }
        return start < end
    }
}

/// What a map of operations is like as a whole.
struct OperationSummary {
    /// Whether there are no operations.
    var isEmpty = true
    /// Whether there are none but `+`.
    var addsOnly = true
}
