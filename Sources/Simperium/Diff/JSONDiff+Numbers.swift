public import Notation
internal import Wire

extension JSONDiff {
    /// A number that two values write in different ways.
    public struct SameNumber: Hashable, Sendable {
        /// Where it is.
        public let path: JSONPath
        /// How the old value writes it.
        public let old: String
        /// How the new value writes it.
        public let new: String
    }

    /// The numbers that are the same in both values and written in different ways, such as 1 and
    /// 1.0, for which a diff has no operation.
    ///
    /// Elements of arrays are compared by their index.
    public static func sameNumbers(_ old: JSONValue, _ new: JSONValue) -> [SameNumber] {
        var found: [SameNumber] = []
        collect(old, new, at: JSONPath(), into: &found)
        return found
    }

    private static func collect(
        _ old: JSONValue, _ new: JSONValue, at path: JSONPath, into found: inout [SameNumber]
    ) {
        switch (old, new) {
        case (.number(let a), .number(let b)) where a != b && old.isSame(as: new):
            found.append(SameNumber(path: path, old: a, new: b))
        case (.array(let a), .array(let b)):
            for (index, pair) in zip(a, b).enumerated() {
                collect(pair.0, pair.1, at: path.appending(.index(index)), into: &found)
            }
        case (.object(let a), .object(let b)):
            let places = b.index()
            for (place, key) in effective(a) {
                guard let other = places[key] else { continue }
                collect(
                    a.members[place].value, b.members[other].value,
                    at: path.appending(.key(key.string)), into: &found)
            }
        default: break
        }
    }
}
