/// A JSON value as a tree, for what changes documents; reading is the business of ``JSONDocument``.
///
/// `==` is exact: the text of numbers, the code points of strings, the order of members.
/// ``isSame(as:)`` compares what is meant.
public enum JSONValue: Sendable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number, as written.
    case number(String)
    /// A string; a lone surrogate is U+FFFD.
    case string(String)
    /// An array.
    case array([JSONValue])
    /// An object.
    case object(JSONObject)

    /// The value of a scanned node.
    public init(_ node: JSONDocument.Node) {
        switch node.kind {
        case .null: self = .null
        case .true: self = .bool(true)
        case .false: self = .bool(false)
        case .number: self = .number(node.text)
        case .string: self = .string(node.string ?? "")
        case .array: self = .array(node.elements.map { JSONValue($0) })
        case .object:
            self = .object(
                JSONObject(
                    node.members.map {
                        JSONObject.Member($0.key.string ?? "", JSONValue($0.value))
                    }))
        }
    }

    /// The value of a JSON text.
    ///
    /// - Throws: ``JSONError``, with the offset of the error.
    public init(parsing text: String, limits: JSONLimits = .usual) throws(JSONError) {
        self.init(try JSONDocument.scan(Array(text.utf8), limits: limits).root)
    }

    /// What it is.
    public var kind: JSONKind {
        switch self {
        case .null: .null
        case .bool(let value): value ? .true : .false
        case .number: .number
        case .string: .string
        case .array: .array
        case .object: .object
        }
    }

    /// The value of the last member with this key; nil where it is not an object.
    public subscript(key: String) -> JSONValue? {
        guard case .object(let object) = self else { return nil }
        return object[key]
    }

    /// The text of a string; nil for anything else.
    public var string: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    /// Whether both mean the same: numbers by value, members in any order, the last of duplicates.
    public func isSame(as other: JSONValue) -> Bool {
        switch (self, other) {
        case (.null, .null): return true
        case (.bool(let a), .bool(let b)): return a == b
        case (.number(let a), .number(let b)): return JSONNumber.isSame(a, b)
        case (.string(let a), .string(let b)): return ExactText(a) == ExactText(b)
        case (.array(let a), .array(let b)):
            return a.count == b.count && zip(a, b).allSatisfy { $0.isSame(as: $1) }
        case (.object(let a), .object(let b)):
            let places = a.index()
            let others = b.index()
            guard places.count == others.count else { return false }
            return places.allSatisfy { key, place in
                guard let other = others[key] else { return false }
                return a.members[place].value.isSame(as: b.members[other].value)
            }
        default: return false
        }
    }
}

extension JSONValue: Hashable {
    /// Whether both would be written with the same text.
    public static func == (a: JSONValue, b: JSONValue) -> Bool {
        switch (a, b) {
        case (.null, .null): true
        case (.bool(let a), .bool(let b)): a == b
        case (.number(let a), .number(let b)): a == b
        case (.string(let a), .string(let b)): ExactText(a) == ExactText(b)
        case (.array(let a), .array(let b)): a == b
        case (.object(let a), .object(let b)): a == b
        default: false
        }
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(kind)
        switch self {
        case .null, .bool: break
        case .number(let text), .string(let text): hasher.combine(ExactText(text))
        case .array(let elements): hasher.combine(elements)
        case .object(let object): hasher.combine(object)
        }
    }
}
