import Notation
import Simperium
import Wire

/// The edit of a change that a client sent, to be found in an object of the server or in a later
/// change.
///
/// An edit is found by its result: values, and the texts that a string delta inserts. Operations
/// whose result depends on what was there before (numbers added, elements of arrays, deltas that
/// only delete) are found in a later change alone.
struct SoughtEdit: Hashable, Sendable {
    private let isRemoval: Bool
    private let operations: JSONValue?
    private let data: JSONValue?

    /// The edit of a change in a message.
    init(_ change: SimperiumChange<Range<Int>>, in message: [UInt8]) {
        func value(_ range: Range<Int>?) -> JSONValue? {
            guard let range, range.upperBound <= message.count else { return nil }
            return Ledger.Object.value(Array(message[range]))
        }
        isRemoval = change.operation == .remove
        operations = value(change.value)
        data = value(change.data)
    }

    /// The `ccid`s of the changes in a client's message.
    static func identifiers(_ message: [UInt8]) -> [String] {
        guard case .changes(let changes) = SimperiumCommand.parse(message, from: .client).body
        else { return [] }
        return changes.flatMap(\.ccids)
    }

    /// Whether an object has it; nil is an object that is not there.
    func isIn(_ object: JSONValue?) -> Bool {
        guard let object else { return isRemoval }
        guard !isRemoval else { return false }
        if let data { return data == object }
        return operations.map { Self.hasAll($0, object) } ?? false
    }

    /// Whether a later change makes it.
    func isIn(_ later: SoughtEdit) -> Bool {
        if isRemoval || later.isRemoval { return isRemoval && later.isRemoval }
        if let whole = later.data { return isIn(whole) }
        guard case .object(let mine)? = operations, case .object(let others)? = later.operations
        else { return false }
        return mine.members.allSatisfy { others[$0.key.string] == $0.value }
    }

    /// Whether a later change inserts the same text once more.
    func isDoubled(by later: SoughtEdit) -> Bool {
        guard let operations, operations == later.operations,
            case .object(let map) = operations
        else { return false }
        return map.members.contains { member in
            guard member.value["o"]?.string == "d", let text = member.value["v"]?.string,
                let delta = try? StringDelta(parsing: text)
            else { return false }
            return delta.steps.contains { if case .insert = $0 { true } else { false } }
        }
    }

    /// Whether the members of an object are what a map of operations makes of them.
    private static func hasAll(_ operations: JSONValue, _ object: JSONValue) -> Bool {
        guard case .object(let map) = operations, case .object = object, !map.members.isEmpty
        else { return false }
        return map.members.allSatisfy { member in
            hasResult(of: member.value, object[member.key.string])
        }
    }

    private static func hasResult(of operation: JSONValue, _ value: JSONValue?) -> Bool {
        let wanted = operation["v"]
        switch (operation["o"]?.string, value) {
        case ("+"?, let value?), ("r"?, let value?): return value == wanted
        case ("-"?, nil): return true
        case ("O"?, let value?): return wanted.map { hasAll($0, value) } ?? false
        case ("d"?, .string(let text)?):
            guard let delta = wanted?.string.flatMap({ try? StringDelta(parsing: $0) }) else {
                return false
            }
            return contains(delta, in: text)
        default: return false
        }
    }

    /// Whether a text has what a delta inserts, in its order.
    private static func contains(_ delta: StringDelta, in text: String) -> Bool {
        var rest = Array(text.utf8)[...]
        var isFound = false
        for step in delta.steps {
            guard case .insert(let part) = step else { continue }
            let wanted = Array(part.utf8)
            guard let end = end(of: wanted, in: rest) else { return false }
            rest = rest[end...]
            isFound = true
        }
        return isFound
    }

    private static func end(of part: [UInt8], in text: ArraySlice<UInt8>) -> Int? {
        guard let first = part.first, part.count <= text.count else { return nil }
        var start = text.startIndex
        while start <= text.endIndex - part.count {
            if text[start] == first, text[start..<start + part.count].elementsEqual(part) {
                return start + part.count
            }
            start += 1
        }
        return nil
    }
}
