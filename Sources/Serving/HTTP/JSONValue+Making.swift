package import Notation

extension JSONValue {
    /// An object with these members, in this order.
    package static func object(_ members: [(String, JSONValue)]) -> JSONValue {
        .object(JSONObject(members.map { JSONObject.Member($0.0, $0.1) }))
    }

    /// A whole number.
    package static func integer(_ value: some BinaryInteger) -> JSONValue { .number("\(value)") }
}
