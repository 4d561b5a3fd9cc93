public import Notation
import Wire

/// Changes of objects as maps from key to operation: jsondiff.
///
/// Source: jsondiff as Simperium's clients and servers use it; the `v` of a change is such a map,
/// without anything around it. All is strict: what the reference would turn into a guess is an
/// error with its path.
public enum JSONDiff {
    /// The object that `base` becomes.
    ///
    /// Order and duplicates of members that are not touched stay; new members come last.
    ///
    /// - Parameters:
    ///   - operations: The map of a change's `v`.
    ///   - base: The object; `{}` for one that is created.
    /// - Returns: The object with all operations carried out.
    /// - Throws: ``DiffError``, with the path of the first operation that cannot be carried out.
    public static func apply(
        _ operations: JSONValue, to base: JSONValue
    ) throws(DiffError) -> JSONValue {
        switch base {
        case .object(let object): .object(try apply(operations, to: object, at: JSONPath()))
        case .array(let elements):
            .array(try apply(operations, to: elements, at: JSONPath()))
        default: throw DiffError(.wrongKind(operation: "O", found: base.kind), at: JSONPath())
        }
    }

    /// Operations on the members of an object.
    static func apply(
        _ operations: JSONValue, to object: JSONObject, at path: JSONPath
    ) throws(DiffError) -> JSONObject {
        guard case .object(let map) = operations else { throw DiffError(.notAMap, at: path) }
        let places = object.isSmall ? nil : object.index()
        var members = object.members
        var removed: Set<ExactText> = []
        // The last of duplicate keys counts, as it does for the parsers of other languages.
        for (operationPlace, operationKey) in effective(map) {
            let path = path.appending(.key(operationKey.string))
            let operation = try DiffOperation(map.members[operationPlace].value, at: path)
            let place =
                if let places { places[operationKey] } else { object.place(of: operationKey) }
            switch try apply(operation, to: place.map { members[$0].value }, at: path) {
            case .some(let value):
                if let place {
                    members[place].value = value
                } else {
                    members.append(JSONObject.Member(operationKey.string, value))
                }
            case .none: removed.insert(operationKey)
            }
        }
        if !removed.isEmpty { members.removeAll { removed.contains($0.key) } }
        return JSONObject(members)
    }

    /// The operations of a map in their order, the last of those with the same key.
    static func effective(_ map: JSONObject) -> [(Int, ExactText)] {
        let places = map.isSmall ? nil : map.index()
        return map.members.enumerated().compactMap { place, member in
            let last = if let places { places[member.key] } else { map.place(of: member.key) }
            return last == place ? (place, member.key) : nil
        }
    }

    /// Operations on the elements of an array.
    ///
    /// Indices are those of the array as it was; each removal moves the later ones to the left.
    /// They are processed in the order of the numbers, not of their spelling.
    static func apply(
        _ operations: JSONValue, to list: [JSONValue], at path: JSONPath
    ) throws(DiffError) -> [JSONValue] {
        guard case .object(let map) = operations else { throw DiffError(.notAMap, at: path) }
        var steps: [(index: Int, place: Int)] = []
        for (place, key) in effective(map) {
            guard let index = Int(key.string), index >= 0, String(index) == key.string else {
                throw DiffError(.badIndex(key.string, count: list.count), at: path)
            }
            steps.append((index, place))
        }
        steps.sort { $0.index < $1.index }
        // The result is built from left to right, so that it takes linear time. `next` is the
        // element of the old list that comes next; `shift` is by how much it is ahead of `result`.
        var result: [JSONValue] = []
        result.reserveCapacity(list.count + steps.count)
        var next = 0
        var removals = 0
        for step in steps {
            // The reference changes the list in place: here the operation applies to what is then
            // at this position, an element of the old list or one just inserted.
            let position = step.index - removals
            while result.count < position, next < list.count {
                result.append(list[next])
                next += 1
            }
            let path = path.appending(.index(step.index))
            let operation = try DiffOperation(map.members[step.place].value, at: path)
            guard result.count == position else {
                throw DiffError(.badIndex(String(step.index), count: list.count), at: path)
            }
            if operation.name == .insert {
                result.append(try operation.needValue(at: path))
                continue
            }
            let element = next < list.count ? list[next] : nil
            if element == nil, operation.name == .replace {
                throw DiffError(.badIndex(String(step.index), count: list.count), at: path)
            }
            let value = try apply(operation, to: element, at: path)
            next += 1
            if let value { result.append(value) } else { removals += 1 }
        }
        if next < list.count { result.append(contentsOf: list[next...]) }
        return result
    }

    /// The resulting value; nil where it is removed.
    static func apply(
        _ operation: DiffOperation, to value: JSONValue?, at path: JSONPath
    ) throws(DiffError) -> JSONValue? {
        let name = operation.name.rawValue
        switch operation.name {
        case .insert, .replace: return try operation.needValue(at: path)
        default: break
        }
        guard let value else { throw DiffError(.nothingThere(operation: name), at: path) }
        switch (operation.name, value) {
        case (.remove, _): return nil
        case (.object, .object(let object)):
            return .object(try apply(try operation.needValue(at: path), to: object, at: path))
        case (.list, .array(let elements)):
            return .array(try apply(try operation.needValue(at: path), to: elements, at: path))
        case (.text, .string(let text)):
            return .string(try applyDelta(try operation.needText(at: path), to: text, at: path))
        case (.listText, .array(let elements)):
            let delta = try operation.needText(at: path)
            return .array(try ListDelta.apply(delta, to: elements, at: path))
        case (.increment, .number(let number)):
            guard case .number(let addend) = try operation.needValue(at: path) else {
                throw DiffError(.badValue(operation: name), at: path)
            }
            guard let sum = NumberSum.add(number, addend) else {
                throw DiffError(.overflow, at: path)
            }
            return .number(sum)
        default: throw DiffError(.wrongKind(operation: name, found: value.kind), at: path)
        }
    }

    private static func applyDelta(
        _ delta: String, to text: String, at path: JSONPath
    ) throws(DiffError) -> String {
        do {
            return try StringDelta(parsing: delta).apply(to: text)
        } catch {
            throw DiffError(.delta(error), at: path)
        }
    }
}

extension JSONObject {
    /// Whether members are found faster one by one than with an index.
    fileprivate var isSmall: Bool { members.count <= 8 }

    /// The place of the last member with this key, in time linear in the number of members.
    fileprivate func place(of key: ExactText) -> Int? { members.lastIndex { $0.key == key } }
}
