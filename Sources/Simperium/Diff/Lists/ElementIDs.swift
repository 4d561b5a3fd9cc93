import Notation
import Wire

/// Numbers for values, the same number for values that mean the same.
struct ElementIDs {
    private var known: [JSONValue] = []
    private var byHash: [Int: [UInt32]] = [:]

    mutating func ids(of values: [JSONValue]) -> [UInt32] {
        var ids: [UInt32] = []
        ids.reserveCapacity(values.count)
        for value in values { ids.append(id(of: value)) }
        return ids
    }

    private mutating func id(of value: JSONValue) -> UInt32 {
        let hash = Self.hash(value)
        if let id = byHash[hash]?.first(where: { known[Int($0)].isSame(as: value) }) { return id }
        let id = UInt32(known.count)
        known.append(value)
        byHash[hash, default: []].append(id)
        return id
    }

    /// The same for values that mean the same.
    private static func hash(_ value: JSONValue) -> Int {
        var hasher = Hasher()
        switch value {
        case .null: hasher.combine(0)
        case .bool(let value): hasher.combine(value)
        // As doubles, numbers of the same value are the same.
        case .number(let text): hasher.combine(Double(text) ?? 0)
        case .string(let text): hasher.combine(ExactText(text))
        case .array(let elements):
            hasher.combine(elements.count)
            for element in elements { hasher.combine(hash(element)) }
        case .object(let object):
            // Members have no order.
            var sum = 0
            for (place, key) in JSONDiff.effective(object) {
                var member = Hasher()
                member.combine(key)
                member.combine(hash(object.members[place].value))
                sum &+= member.finalize()
            }
            hasher.combine(sum)
        }
        return hasher.finalize()
    }
}
