import Notation
import Simperium
import Wire

/// What an app does to an object at random: texts, numbers, members, nested objects, removals.
enum FireEdit {
    /// The object afterwards, with the mark somewhere in it; nil where it is removed.
    static func make(
        of old: JSONValue?, mark: Unicode.Scalar, mayRemove: Bool,
        using random: inout SplitMix64
    ) -> JSONValue? {
        guard case .object(var object)? = old else {
            return .object(JSONObject([.init("text", .string(String(mark)))]))
        }
        switch Int.random(in: 0..<20, using: &random) {
        case 0 where mayRemove: return nil
        case ..<10: write(mark, into: &object, using: &random)
        case 10..<14:
            let number = Int.random(in: -9...9, using: &random)
            set(.number(String(number)), at: "number", in: &object)
            nest(mark, .number(String(number)), into: &object, using: &random)
        case 14..<18: nest(mark, .bool(true), into: &object, using: &random)
        default:
            let value = JSONObject([.init("is", .string(String(mark)))])
            set(.object(value), at: "link", in: &object)
        }
        return .object(object)
    }

    /// Puts the mark into the text; shortens one that gets long.
    private static func write(
        _ mark: Unicode.Scalar, into object: inout JSONObject, using random: inout SplitMix64
    ) {
        var text = Array((object["text"]?.string ?? "").unicodeScalars)
        if text.count > 60 || (Int.random(in: 0..<4, using: &random) == 0 && text.count > 4) {
            let start = Int.random(in: 0..<text.count - 1, using: &random)
            let most = min(text.count - start, text.count > 60 ? 30 : 4)
            text.removeSubrange(start..<start + Int.random(in: 1...most, using: &random))
        }
        // Nothing that is there twice: a difference might otherwise move what was not moved.
        text.insert(mark, at: Int.random(in: 0...text.count, using: &random))
        var view = String.UnicodeScalarView()
        view.append(contentsOf: text)
        set(.string(String(view)), at: "text", in: &object)
    }

    /// Puts a member with the mark for a name into the object within; lets others go.
    private static func nest(
        _ mark: Unicode.Scalar, _ value: JSONValue, into object: inout JSONObject,
        using random: inout SplitMix64
    ) {
        var inner = JSONObject()
        if case .object(let within)? = object["within"] { inner = within }
        if inner.members.count > 6 {
            inner.members.removeSubrange(0..<Int.random(in: 1...4, using: &random))
        }
        inner.members.append(.init(String(mark), value))
        set(.object(inner), at: "within", in: &object)
    }

    private static func set(_ value: JSONValue, at key: String, in object: inout JSONObject) {
        object.members.removeAll { $0.key.string == key }
        object.members.append(.init(key, value))
    }
}
