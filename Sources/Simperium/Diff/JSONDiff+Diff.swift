public import Notation
import Wire

extension JSONDiff {
    /// The operations that make `new` of `old`.
    ///
    /// What means the same needs no operation: 1 and 1.0, members in another order, all but the last
    /// of duplicate keys. `true` is not 1, and `null` is a value. Numbers are sent with the digits
    /// they are written with. Two differences to the reference: Python takes `true` for 1, so that
    /// this change is lost there; and elements of an array are compared as a sequence, not one by
    /// one, so that what moves along is not rewritten.
    ///
    /// - Parameters:
    ///   - old: An object or an array.
    ///   - new: Another of the same kind.
    ///   - policy: What is done where there is a choice.
    /// - Returns: The bare map of a change's `v`; by index where both are arrays; `{}` where they
    ///   mean the same.
    /// - Throws: ``DiffError`` where they are neither both objects nor both arrays.
    public static func diff(
        _ old: JSONValue, _ new: JSONValue, policy: DiffPolicy = .usual
    ) throws(DiffError) -> JSONValue {
        switch (old, new) {
        case (.object(let old), .object(let new)): return .object(map(old, new, policy))
        case (.array(let old), .array(let new)): return .object(ListDiff.map(old, new, policy))
        case (.object, _): throw DiffError(.wrongKind(operation: "O", found: new.kind), at: .init())
        case (.array, _): throw DiffError(.wrongKind(operation: "L", found: new.kind), at: .init())
        default: throw DiffError(.wrongKind(operation: "O", found: old.kind), at: .init())
        }
    }

    /// Whether a map of operations changes nothing: it has none, or only ones without effect.
    ///
    /// Seen without the object: what replaces a value by the same is not noticed.
    public static func isEmpty(_ operations: JSONValue) -> Bool {
        guard case .object(let map) = operations else { return false }
        return effective(map).allSatisfy { place, key in
            guard let step = try? DiffOperation(map.members[place].value, at: JSONPath()),
                let value = step.value
            else { return false }
            switch step.name {
            case .object, .list: return isEmpty(value)
            case .text, .listText:
                let delta = value.string.flatMap { try? StringDelta(parsing: $0) }
                return delta?.changesNothing ?? false
            default: return false
            }
        }
    }

    /// Where keys occur more than once in an object, in order.
    ///
    /// The last counts; a program that uses the first sees another object, and one of the values is
    /// lost as soon as a client writes it again.
    public static func duplicateKeys(in value: JSONValue) -> [JSONPath] {
        var found: [JSONPath] = []
        collectDuplicates(value, at: JSONPath(), into: &found)
        return found
    }

    private static func collectDuplicates(
        _ value: JSONValue, at path: JSONPath, into found: inout [JSONPath]
    ) {
        switch value {
        case .array(let elements):
            for (index, element) in elements.enumerated() {
                collectDuplicates(element, at: path.appending(.index(index)), into: &found)
            }
        case .object(let object):
            var seen: Set<ExactText> = []
            var reported: Set<ExactText> = []
            for member in object.members {
                let path = path.appending(.key(member.key.string))
                if !seen.insert(member.key).inserted, reported.insert(member.key).inserted {
                    found.append(path)
                }
                collectDuplicates(member.value, at: path, into: &found)
            }
        default: break
        }
    }

    static func map(_ old: JSONObject, _ new: JSONObject, _ policy: DiffPolicy) -> JSONObject {
        var map = JSONObject()
        let places = new.index()
        let oldPlaces = old.index()
        for (place, key) in effective(old) {
            if let other = places[key] {
                let operation = operation(
                    from: old.members[place].value, to: new.members[other].value,
                    policy.member(key))
                if let operation { map.members.append(.init(key.string, operation)) }
            } else {
                map.members.append(.init(key.string, DiffOperation.json(.remove)))
            }
        }
        for (place, key) in effective(new) where oldPlaces[key] == nil {
            let value = DiffOperation.json(.insert, new.members[place].value)
            map.members.append(.init(key.string, value))
        }
        return map
    }

    /// The operation that makes one value of another; nil where they mean the same.
    static func operation(
        from old: JSONValue, to new: JSONValue, _ policy: DiffPolicy
    ) -> JSONValue? {
        switch (old, new) {
        case (.object(let old), .object(let new)):
            let map = map(old, new, policy)
            return map.members.isEmpty ? nil : DiffOperation.json(.object, .object(map))
        case (.array(let old), .array(let new)) where policy.lists == .list:
            let map = ListDiff.map(old, new, policy)
            return map.members.isEmpty ? nil : DiffOperation.json(.list, .object(map))
        case (.array(let old), .array(let new)) where policy.lists == .listText:
            let delta = ElementScript(from: old, to: new).delta(over: old)
            return delta.changesNothing ? nil : DiffOperation.json(.listText, .string(delta.text))
        default: break
        }
        guard !old.isSame(as: new) else { return nil }
        switch (old, new) {
        case (.string(let old), .string(let new)) where policy.strings == .delta:
            let delta = StringDelta.diff(from: old, to: new)
            return DiffOperation.json(.text, .string(delta.text))
        case (.number(let old), .number(let new)) where policy.integers == .increment:
            if let addend = NumberSum.difference(new, old) {
                return DiffOperation.json(.increment, .number(addend))
            }
        default: break
        }
        return DiffOperation.json(.replace, new)
    }
}
