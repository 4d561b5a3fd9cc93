import Notation
import Wire

/// What happens to the elements of an array by the value of an `L`.
struct ListOperations {
    /// Values that come in before an element, by its place; its end is a place, too.
    private(set) var inserted: [Int: [JSONValue]] = [:]
    /// What is done to an element, by its place.
    private(set) var operations: [Int: JSONValue] = [:]

    init(_ map: JSONValue, count: Int, at path: JSONPath) throws(DiffError) {
        guard case .object(let map) = map else { throw DiffError(.notAMap, at: path) }
        var steps: [(index: Int, value: JSONValue)] = []
        for (place, key) in JSONDiff.effective(map) {
            guard let index = Int(key.string), index >= 0 else {
                throw DiffError(.badIndex(key.string, count: count), at: path)
            }
            steps.append((index, map.members[place].value))
        }
        steps.sort { $0.index < $1.index }
        // Every element that is kept, changed, removed or inserted takes one index.
        var index = 0
        var place = 0
        for step in steps {
            place += step.index - index
            guard place <= count else {
                throw DiffError(.badIndex(String(step.index), count: count), at: path)
            }
            index = step.index + 1
            let operation = try DiffOperation(step.value, at: path)
            if operation.name == .insert {
                inserted[place, default: []].append(try operation.needValue(at: path))
            } else {
                operations[place] = step.value
                place += 1
            }
        }
    }
}

/// Rebases the operations on the elements of an array.
enum ListRebase {
    /// What is left of `local` once `remote` has been carried out.
    ///
    /// Insertions at one place both stay, those of `local` first, as in the reference: their index
    /// is not moved by the others. (With `dL` those of `remote` come first.)
    static func rebase(
        _ local: JSONValue, over remote: JSONValue, _ base: [JSONValue], _ policy: DiffPolicy,
        at path: JSONPath
    ) throws(DiffError) -> JSONValue {
        let ours = try ListOperations(local, count: base.count, at: path)
        let theirs = try ListOperations(remote, count: base.count, at: path)
        var result = JSONObject()
        var index = 0
        func add(_ operation: JSONValue) {
            result.members.append(.init(String(index), operation))
            index += 1
        }
        for place in 0...base.count {
            for value in ours.inserted[place] ?? [] { add(DiffOperation.json(.insert, value)) }
            index += theirs.inserted[place]?.count ?? 0
            guard place < base.count else { break }
            let element = base[place]
            guard let our = ours.operations[place] else {
                if try !removes(theirs.operations[place], at: path) { index += 1 }
                continue
            }
            guard let their = theirs.operations[place] else {
                add(our)
                continue
            }
            let left = try JSONDiff.rebase(
                our, over: their, element, policy, at: path.appending(.index(place)))
            if try removes(their, at: path) {
                // What is restored is inserted again; there is no element to replace.
                if let value = left?["v"] { add(DiffOperation.json(.insert, value)) }
            } else if let left {
                add(left)
            } else {
                index += 1
            }
        }
        return .object(result)
    }

    private static func removes(
        _ operation: JSONValue?, at path: JSONPath
    ) throws(DiffError) -> Bool {
        guard let operation else { return false }
        return try DiffOperation(operation, at: path).name == .remove
    }
}
