internal import Simperium
internal import Wire

/// Makes changes of an old version of an object apply to a newer one.
enum ObjectRebase {
    /// The operations that turn `base` into `data`, member by member.
    static func replacing(_ base: JSONObject, with data: JSONObject) -> JSONObject {
        let old = base.index()
        let new = data.index()
        var members: [JSONObject.Member] = []
        for (key, place) in old.sorted(by: { $0.value < $1.value }) where new[key] == nil {
            members.append(operation("-", nil, key))
            _ = place
        }
        for (key, place) in new.sorted(by: { $0.value < $1.value }) {
            let value = data.members[place].value
            guard let before = old[key] else {
                members.append(operation("+", value, key))
                continue
            }
            if !base.members[before].value.isSame(as: value) {
                members.append(operation("r", value, key))
            }
        }
        return JSONObject(members)
    }

    /// `operations` on `old`, so that they do the same to `head`.
    ///
    /// Members that nobody else changed keep their operation; where both did, the later whole
    /// value wins.
    ///
    /// - Returns: Nil where parts of one member were changed on both sides: text, lists, objects.
    static func rebase(
        _ operations: JSONObject, from old: JSONObject, to head: JSONObject
    ) -> JSONObject? {
        let before = old.index()
        let after = head.index()
        var members: [JSONObject.Member] = []
        for (key, place) in operations.index().sorted(by: { $0.value < $1.value }) {
            let member = operations.members[place]
            let was = before[key].map { old.members[$0].value }
            let now = after[key].map { head.members[$0].value }
            if let was, let now, was.isSame(as: now) {
                members.append(member)
                continue
            }
            if was == nil, now == nil {
                members.append(member)
                continue
            }
            switch member.value["o"]?.string {
            case "-":
                if now != nil { members.append(member) }
            case "+", "r":
                guard let value = member.value["v"] else { return nil }
                if let now, now.isSame(as: value) { continue }
                members.append(operation(now == nil ? "+" : "r", value, key))
            case "I" where now != nil: members.append(member)
            default:
                // Somebody removed what is changed here: it comes back, as it would have been.
                guard now == nil else { return nil }
                let single = JSONValue.object(JSONObject([member]))
                guard let result = try? JSONDiff.apply(single, to: .object(old)),
                    let value = result[key.string]
                else { return nil }
                members.append(operation("+", value, key))
            }
        }
        return JSONObject(members)
    }

    /// One member of a map of operations.
    private static func operation(
        _ name: String, _ value: JSONValue?, _ key: ExactText
    ) -> JSONObject.Member {
        var members = [JSONObject.Member("o", .string(name))]
        if let value { members.append(JSONObject.Member("v", value)) }
        return JSONObject.Member(key.string, .object(JSONObject(members)))
    }
}
