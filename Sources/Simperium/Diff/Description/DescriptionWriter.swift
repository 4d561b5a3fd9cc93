import Notation
import Wire

/// Writes the lines of a ``ChangeDescription``.
struct DescriptionWriter {
    private let most: Int
    private var lines: [String] = []
    private var leftOut = 0

    init(most: Int) { self.most = most }

    func finish() -> [String] {
        leftOut == 0 ? lines : lines + ["… and \(leftOut) more"]
    }

    mutating func members(_ operations: JSONValue, base: JSONValue?, at path: JSONPath) {
        guard case .object(let map) = operations else {
            return add(path, "not a map of operations")
        }
        if map.members.isEmpty { add(path, "nothing changes") }
        var object: JSONObject?
        if case .object(let known)? = base { object = known }
        let places = object?.index() ?? [:]
        for member in map.members {
            guard lines.count < most else {
                leftOut += 1
                continue
            }
            let old = object.flatMap { object in places[member.key].map { object.members[$0].value }
            }
            describe(
                member.value, old: old, isBaseKnown: object != nil,
                at: path.appending(.key(member.key.string)))
        }
    }

    private mutating func elements(_ operations: JSONValue, base: JSONValue?, at path: JSONPath) {
        guard case .object(let map) = operations else {
            return add(path, "not a map of operations")
        }
        var list: [JSONValue]?
        if case .array(let known)? = base { list = known }
        let steps = map.members.sorted { (Int($0.key.string) ?? 0) < (Int($1.key.string) ?? 0) }
        for member in steps {
            guard lines.count < most else {
                leftOut += 1
                continue
            }
            guard let index = Int(member.key.string), index >= 0 else {
                add(path, "no index: \(Excerpt.quote(member.key.string))")
                continue
            }
            // An insertion replaces nothing.
            let isInsertion = member.value["o"]?.string == DiffOperation.Name.insert.rawValue
            let old = list.flatMap { index < $0.count && !isInsertion ? $0[index] : nil }
            describe(
                member.value, old: old, isBaseKnown: list != nil, at: path.appending(.index(index)))
        }
    }

    private mutating func describe(
        _ operation: JSONValue, old: JSONValue?, isBaseKnown: Bool, at path: JSONPath
    ) {
        let step: DiffOperation
        do {
            step = try DiffOperation(operation, at: path)
        } catch {
            return add(path, "\(error.reason)")
        }
        switch (step.name, step.value) {
        case (.remove, _): add(path, old.map { "removed, was \(Excerpt.show($0))" } ?? "removed")
        case (.insert, let value?):
            add(path, old.map { transition($0, value) } ?? "added \(Excerpt.show(value))")
        case (.replace, let value?):
            add(path, old.map { transition($0, value) } ?? "replaced by \(Excerpt.show(value))")
        case (.increment, .number(let addend)?):
            guard case .number(let number)? = old, let sum = NumberSum.add(number, addend) else {
                return add(path, addend.utf8.first == 0x2D ? addend : "+\(addend)")
            }
            add(path, "\(Excerpt.show(.number(number))) → \(sum)")
        case (.object, let value?): members(value, base: old, at: path)
        case (.list, let value?): elements(value, base: old, at: path)
        case (.text, .string(let delta)?): text(delta, old: old, isBaseKnown, at: path)
        case (.listText, .string(let delta)?): listText(delta, old: old, at: path)
        default: add(path, "\(DiffError.Reason.badValue(operation: step.name.rawValue))")
        }
    }

    private mutating func text(
        _ delta: String, old: JSONValue?, _ isBaseKnown: Bool, at path: JSONPath
    ) {
        do {
            let parsed = try StringDelta(parsing: delta)
            guard case .string(let text)? = old else {
                let detail = isBaseKnown ? "text changed that does not exist" : "text changed"
                return add(path, "\(detail) (delta \(show(parsed)))")
            }
            do {
                add(path, transition(.string(text), .string(try parsed.apply(to: text))))
            } catch {
                add(path, "\(error) (delta \(show(parsed)))")
            }
        } catch {
            add(path, "\(error)")
        }
    }

    private mutating func listText(_ delta: String, old: JSONValue?, at path: JSONPath) {
        do {
            guard case .array(let list)? = old else {
                return add(path, "list changed (delta \(show(try StringDelta(parsing: delta))))")
            }
            do {
                let new = try ListDelta.apply(delta, to: list, at: path)
                add(path, transition(.array(list), .array(new)))
            } catch {
                add(path, "\(error.reason)")
            }
        } catch {
            add(path, "\(error)")
        }
    }

    /// `old → new`, around what differs.
    private func transition(_ old: JSONValue, _ new: JSONValue) -> String {
        if case .string(let old) = old, case .string(let new) = new {
            let (old, new) = Excerpt.difference(old, new)
            return "\(old) → \(new)"
        }
        return "\(Excerpt.show(old)) → \(Excerpt.show(new))"
    }

    /// The steps of a delta between spaces, inserted text as it will be read.
    private func show(_ delta: StringDelta) -> String {
        var words: [String] = delta.steps.prefix(8).map { step in
            switch step {
            case .keep(let count): "=\(count)"
            case .drop(let count): "-\(count)"
            case .insert(let text):
                // Quotes are left out where nothing needs them.
                text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x22 && $0 != 0x5C }
                    && text.utf8.count <= 20 ? "+\(text)" : "+\(Excerpt.quote(text, most: 20))"
            }
        }
        if delta.steps.count > words.count { words.append("…") }
        return words.joined(separator: " ")
    }

    private mutating func add(_ path: JSONPath, _ words: String) {
        guard lines.count < most else {
            leftOut += 1
            return
        }
        lines.append(path.isEmpty ? words : "\(path): \(words)")
    }
}
