internal import Notation
internal import Wire

extension Meaning {
    /// Hashes what is compared: equal for equivalent values.
    func hash(into hasher: inout Hasher) {
        switch self {
        case .nothing: hasher.combine(0)
        case .xml(let root):
            hasher.combine(1)
            hasher.combine(root)
        case .json(let value):
            hasher.combine(2)
            value.hashMeaning(into: &hasher)
        case .fields(let fields):
            hasher.combine(3)
            hasher.combine(fields)
        case .parts(let parts):
            hasher.combine(4)
            hasher.combine(parts.count)
            for part in parts {
                hasher.combine(part.name)
                hasher.combine(part.filename)
                hasher.combine(part.mediaType)
                part.meaning.hash(into: &hasher)
            }
        case .bytes(let bytes):
            hasher.combine(5)
            hasher.combine(bytes)
        }
    }

    /// Whether both are equivalent.
    public func isSame(as other: Meaning) -> Bool {
        var found = Differences(limit: 1)
        found.compare(self, other, in: Difference.Scope())
        return found.isEmpty
    }
}

extension JSONValue {
    /// Hashes numbers by value and members in any order.
    fileprivate func hashMeaning(into hasher: inout Hasher) {
        hasher.combine(kind)
        switch self {
        case .null, .bool: break
        // Numbers of one value have one nearest `Double`; those it cannot distinguish are compared.
        case .number(let text): hasher.combine(Double(text) ?? 0)
        case .string(let text): hasher.combine(ExactText(text))
        case .array(let elements):
            hasher.combine(elements.count)
            for element in elements { element.hashMeaning(into: &hasher) }
        case .object(let object):
            var sum = 0
            for (key, place) in object.index() {
                var inner = Hasher()
                inner.combine(key)
                object.members[place].value.hashMeaning(into: &inner)
                sum &+= inner.finalize()
            }
            hasher.combine(sum)
        }
    }
}
