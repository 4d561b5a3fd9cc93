import Notation
import Wire

/// The members that events are described with.
extension JSONObject {
    /// An object with one string.
    init(_ first: JSONObject.Member) { self.init([first]) }

    /// Adds a member.
    mutating func put(_ key: String, _ value: JSONValue) {
        members.append(JSONObject.Member(key, value))
    }

    /// Adds a string, where there is one.
    mutating func put(_ key: String, _ text: String?) {
        if let text { put(key, .string(text)) }
    }

    /// Adds a number.
    mutating func put(_ key: String, _ number: some BinaryInteger) {
        put(key, .number(String(number)))
    }

    /// Adds a range of bytes: `[first, behind the last]`.
    mutating func put(_ key: String, _ range: Range<Int64>) {
        put(key, .array([.number(String(range.lowerBound)), .number(String(range.upperBound))]))
    }

    /// Adds properties, as a list of objects since names repeat; nothing for none.
    mutating func put(_ key: String, _ properties: [CaseBlock.Property]) {
        guard !properties.isEmpty else { return }
        put(key, .list(properties))
    }

    /// Adds that something was left out, where it was.
    mutating func cut(_ isCut: Bool) {
        if isCut { put("cut", .bool(true)) }
    }

    /// Adds a place.
    mutating func place(_ position: XMLPosition?) {
        guard let position else { return }
        put("line", position.line)
        put("column", position.column)
        put("offset", position.offset)
    }
}

extension JSONObject.Member {
    /// A member that is a string.
    static func string(_ key: String, _ value: String) -> JSONObject.Member {
        JSONObject.Member(key, .string(value))
    }
}

extension JSONValue {
    /// Properties as a list of objects, since names repeat.
    static func list(_ properties: [CaseBlock.Property]) -> JSONValue {
        .array(
            properties.map {
                .object(JSONObject([.string("name", $0.name), .string("value", $0.value)]))
            })
    }
}
