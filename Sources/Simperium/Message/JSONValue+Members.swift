import Notation
import Wire

extension JSONValue {
    /// An object of those members that there are, in this order.
    init(members: [(key: String, value: JSONValue?)]) {
        self = .object(
            JSONObject(
                members.compactMap { member in
                    member.value.map { JSONObject.Member(member.key, $0) }
                }))
    }

    /// A string, if there is one.
    static func text(_ text: String?) -> JSONValue? { text.map { .string($0) } }

    /// A number, if there is one.
    static func int(_ number: (some BinaryInteger)?) -> JSONValue? {
        number.map { .number(String($0)) }
    }
}
