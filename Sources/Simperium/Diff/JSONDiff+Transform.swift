public import Notation
import Wire

extension JSONDiff {
    /// What is left of `local` to be done once `remote` has been: a rebase.
    ///
    /// Both are for `base`. By key, as the reference has it:
    /// - What only `local` touches stays.
    /// - Objects, arrays, texts: the changes are merged, within each.
    /// - Two `+`: what makes the local value of the remote one, nothing where they mean the same.
    /// - Two `-`: nothing. A change of what was removed restores the changed value, `+`.
    /// - Two `I`: both count. Otherwise the local value wins, `r`.
    ///
    /// Differences to the reference, each so that the result can be applied:
    /// - A change within a value that was replaced (`d`, `O`, `L`, `dL` or `I` over `r`): the
    ///   reference sends it as it was, and it is refused. Here it is merged with the difference that
    ///   the replacement makes; where the kind is another now, the local value wins, `r`.
    /// - A replacement by what is there already is left out, since it would be refused as empty.
    /// - Texts and lines are merged by position, not by similarity; see
    ///   ``StringDelta/transform(over:base:)``. Identical insertions at one place are doubled, as in
    ///   the reference.
    /// - JavaScript's copies transform only the first key, and lose the edit where no key is shared;
    ///   here every key is.
    ///
    /// - Parameters:
    ///   - local: A map for `base`.
    ///   - remote: A map for `base` that was carried out first.
    ///   - base: The object, or the array.
    ///   - policy: What is done where there is a choice.
    /// - Returns: A map for what `remote` makes of `base`; `{}` where nothing is left.
    /// - Throws: ``DiffError`` where one of the maps cannot be applied to `base`.
    public static func transform(
        _ local: JSONValue, over remote: JSONValue, base: JSONValue,
        policy: DiffPolicy = .usual
    ) throws(DiffError) -> JSONValue {
        // Not for the results: what can be applied here can be merged below.
        _ = try apply(local, to: base)
        _ = try apply(remote, to: base)
        switch base {
        case .array(let list):
            return try ListRebase.rebase(local, over: remote, list, policy, at: JSONPath())
        case .object(let object):
            return try rebase(local, over: remote, object, policy, at: JSONPath())
        default: throw DiffError(.wrongKind(operation: "O", found: base.kind), at: JSONPath())
        }
    }

    private static func rebase(
        _ local: JSONValue, over remote: JSONValue, _ base: JSONObject, _ policy: DiffPolicy,
        at path: JSONPath
    ) throws(DiffError) -> JSONValue {
        guard case .object(let ours) = local, case .object(let theirs) = remote else {
            throw DiffError(.notAMap, at: path)
        }
        let theirPlaces = theirs.index()
        let places = base.index()
        var result = JSONObject()
        for (place, key) in effective(ours) {
            let our = ours.members[place].value
            var left: JSONValue? = our
            if let other = theirPlaces[key] {
                left = try rebase(
                    our, over: theirs.members[other].value,
                    places[key].map { base.members[$0].value }, policy.member(key),
                    at: path.appending(.key(key.string)))
            }
            if let left { result.members.append(.init(key.string, left)) }
        }
        return .object(result)
    }

    /// What is left of one operation over another on the same value; nil for nothing.
    static func rebase(
        _ local: JSONValue, over remote: JSONValue, _ base: JSONValue?, _ policy: DiffPolicy,
        at path: JSONPath
    ) throws(DiffError) -> JSONValue? {
        let our = try DiffOperation(local, at: path)
        let their = try DiffOperation(remote, at: path)
        // Containers are not applied first, so that deep nesting takes linear time.
        switch (our.name, their.name, base) {
        case (.object, .object, .object(let object)?):
            let map = try rebase(
                try our.needValue(at: path), over: try their.needValue(at: path), object, policy,
                at: path)
            return map.isEmptyObject ? nil : DiffOperation.json(.object, map)
        case (.list, .list, .array(let list)?):
            let map = try ListRebase.rebase(
                try our.needValue(at: path), over: try their.needValue(at: path), list, policy,
                at: path)
            return map.isEmptyObject ? nil : DiffOperation.json(.list, map)
        default: break
        }
        guard let now = try apply(their, to: base, at: path) else {
            switch our.name {
            case .remove: return nil
            case .insert, .replace: return local
            default:
                return try apply(our, to: base, at: path).map { DiffOperation.json(.insert, $0) }
            }
        }
        guard our.name != .remove, let wanted = try apply(our, to: base, at: path) else {
            return local
        }
        switch (our.name, base, now) {
        case (.insert, _, _):
            return their.name == .insert
                ? operation(from: now, to: wanted, policy)
                : now.isSame(as: wanted) ? nil : local
        case (.replace, _, _): return now.isSame(as: wanted) ? nil : local
        case (.increment, _, .number(let number)):
            if let value = our.value, case .number(let addend) = value,
                NumberSum.add(number, addend) != nil
            {
                return local
            }
        case (.text, .string(let old)?, .string(let new)):
            return try rebaseText(our, over: their, old, new, at: path)
        case (.object, .object(let old)?, .object(let new)):
            let map = try rebase(
                try our.needValue(at: path), over: .object(map(old, new, policy)), old, policy,
                at: path)
            return map.isEmptyObject ? nil : DiffOperation.json(.object, map)
        case (.list, .array(let old)?, .array(let new)):
            let map = try ListRebase.rebase(
                try our.needValue(at: path), over: .object(ListDiff.map(old, new, policy)), old,
                policy, at: path)
            return map.isEmptyObject ? nil : DiffOperation.json(.list, map)
        case (.listText, .array(let old)?, .array(let new)):
            guard case .array(let list) = wanted else { break }
            let ours = script(of: our, over: old, result: list)
            let theirs = script(of: their, over: old, result: new)
            let delta = ours.rebased(over: theirs).delta(over: new)
            return delta.changesNothing ? nil : DiffOperation.json(.listText, .string(delta.text))
        default: break
        }
        return now.isSame(as: wanted) ? nil : DiffOperation.json(.replace, wanted)
    }

    private static func rebaseText(
        _ local: DiffOperation, over remote: DiffOperation, _ old: String, _ new: String,
        at path: JSONPath
    ) throws(DiffError) -> JSONValue? {
        let ours = try local.needText(at: path)
        let theirs = remote.name == .text ? try remote.needText(at: path) : nil
        let delta: StringDelta
        let result: String
        do {
            let their =
                try theirs.map { text throws(DeltaError) in try StringDelta(parsing: text) }
                ?? StringDelta.diff(from: old, to: new)
            delta = try StringDelta(parsing: ours).transform(over: their, base: old)
            result = try delta.apply(to: new)
        } catch {
            throw DiffError(.delta(error), at: path)
        }
        guard !delta.changesNothing, ExactText(result) != ExactText(new) else { return nil }
        return DiffOperation.json(.text, .string(delta.text))
    }

    /// The change of an array element by element: that of a delta of whole lines, or else the
    /// difference that was made.
    private static func script(
        of operation: DiffOperation, over old: [JSONValue], result new: [JSONValue]
    ) -> ElementScript {
        if operation.name == .listText, let text = operation.value?.string,
            let delta = try? StringDelta(parsing: text),
            let script = ElementScript(delta, over: old)
        {
            return script
        }
        return ElementScript(from: old, to: new)
    }
}

extension JSONValue {
    fileprivate var isEmptyObject: Bool {
        if case .object(let object) = self { object.members.isEmpty } else { false }
    }
}
