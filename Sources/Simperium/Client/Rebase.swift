import Notation
import Wire

/// Carries what one side did to an object over what the other did.
enum Rebase {
    /// The object with both sides' work.
    ///
    /// - Parameters:
    ///   - local: What this side made of `base`; nil where it removed the object.
    ///   - base: What both started from; nil for nothing.
    ///   - remote: What the other side made of `base`; nil where it removed the object.
    ///   - policy: Which operations the differences are made of.
    /// - Returns: `remote` with the local work on top. What was changed on this side survives a
    ///   removal on the other, and a removal on this side any change on the other.
    static func carry(
        _ local: JSONValue?, from base: JSONValue?, over remote: JSONValue?, policy: DiffPolicy
    ) -> JSONValue? {
        if isSame(local, base) { return remote }
        guard let local, let remote, !isSame(base, remote) else { return local }
        if local.isSame(as: remote) { return remote }
        let base = base ?? .object(JSONObject())
        do throws(DiffError) {
            let mine = try JSONDiff.diff(base, local, policy: policy)
            let theirs = try JSONDiff.diff(base, remote, policy: policy)
            let rebased = try JSONDiff.transform(mine, over: theirs, base: base, policy: policy)
            return try JSONDiff.apply(rebased, to: remote)
        } catch {
            return overlay(local, from: base, over: remote)
        }
    }

    private static func isSame(_ a: JSONValue?, _ b: JSONValue?) -> Bool {
        switch (a, b) {
        case (nil, nil): true
        case (let a?, let b?): a == b || a.isSame(as: b)
        default: false
        }
    }

    /// `remote` with the members that were changed locally as they are locally.
    ///
    /// For what no transformation combines, such as a text that the other side made a number: the
    /// other members of the other side must not be lost over it.
    private static func overlay(
        _ local: JSONValue, from base: JSONValue, over remote: JSONValue
    ) -> JSONValue {
        guard case .object(let local) = local, case .object(let base) = base,
            case .object(var result) = remote
        else { return local }
        let (mine, before) = (local.index(), base.index())
        for (key, place) in mine {
            let value = local.members[place].value
            if let old = before[key], base.members[old].value.isSame(as: value) { continue }
            if let theirs = result.members.lastIndex(where: { $0.key == key }) {
                result.members[theirs].value = value
            } else {
                result.members.append(JSONObject.Member(key.string, value))
            }
        }
        result.members.removeAll { before[$0.key] != nil && mine[$0.key] == nil }
        return .object(result)
    }
}
