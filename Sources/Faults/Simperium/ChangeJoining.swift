import Notation
import Simperium
import Wire

/// Joins changes as a server does for a client that was away.
enum ChangeJoining {
    /// One `c` with the changes of all of these; those of one object become one where that is
    /// possible without the object.
    static func joined(_ texts: [[UInt8]], channel: Int) -> [UInt8] {
        var changes: [SimperiumChange<JSONValue>] = []
        for text in texts {
            let command = SimperiumCommand.parse(text, from: .server)
            guard case .changes(let found) = command.body else { continue }
            for change in found {
                let next = SimperiumChange<JSONValue>(change, in: text)
                if let place = changes.lastIndex(where: { $0.key == next.key }),
                    let both = merged(changes[place], next)
                {
                    changes.remove(at: place)
                    changes.append(both)
                } else {
                    changes.append(next)
                }
            }
        }
        return SimperiumMessage(channel, .changes(changes)).encoded(by: .server)
    }

    private static func merged(
        _ first: SimperiumChange<JSONValue>, _ second: SimperiumChange<JSONValue>
    ) -> SimperiumChange<JSONValue>? {
        guard first.error == nil, second.error == nil, first.clientID == second.clientID,
            first.operation == .modify, first.data == nil, second.data == nil
        else { return nil }
        var both = second
        both.sv = first.sv
        both.ccids = first.ccids + second.ccids.filter { !first.ccids.contains($0) }
        switch second.operation {
        case .remove: break
        case .modify:
            guard case .object(let a)? = first.value, case .object(let b)? = second.value,
                let value = merged(a, b)
            else { return nil }
            both.value = .object(value)
        default: return nil
        }
        return both
    }

    private static func merged(_ first: JSONObject, _ second: JSONObject) -> JSONObject? {
        var members = first.members
        for next in second.members {
            guard let place = members.firstIndex(where: { $0.key == next.key }) else {
                members.append(next)
                continue
            }
            let before = members[place].value["o"]?.string
            switch (before, next.value["o"]?.string) {
            case ("+", "r"), ("+", "+"):
                members[place].value = operation("+", next.value["v"] ?? .null)
            case ("-", "+"), ("r", "r"), ("d", "r"), ("O", "r"), ("I", "r"):
                members[place].value = operation("r", next.value["v"] ?? .null)
            case ("+", "-"): members.remove(at: place)
            case ("r", "-"), ("d", "-"), ("O", "-"), ("I", "-"):
                members[place].value = .object(JSONObject([.init("o", .string("-"))]))
            // What two deltas do together depends on the text.
            default: return nil
            }
        }
        return JSONObject(members)
    }

    private static func operation(_ name: String, _ value: JSONValue) -> JSONValue {
        .object(JSONObject([.init("o", .string(name)), .init("v", value)]))
    }
}
