/// A JSON object on one line, with its members in the order in which they were added.
package struct JSONObjectText {
    private var members: [UInt8] = []

    /// An object without members.
    package init() {}

    /// The object.
    package var text: String { "{\(String(decoding: members, as: UTF8.self))}" }

    /// Adds a string, or null.
    package mutating func add(_ name: String, _ value: String?) {
        add(name, raw: value.map(JSONString.quoted) ?? "null")
    }

    /// Adds a number, or null.
    package mutating func add(_ name: String, _ value: Int64?) {
        add(name, raw: value.map(String.init) ?? "null")
    }

    /// Adds what is JSON already.
    package mutating func add(_ name: String, raw: String) {
        if !members.isEmpty { members.append(UInt8(ascii: ",")) }
        JSONString.write(name.utf8, escapesDelete: true, to: &members)
        members.append(UInt8(ascii: ":"))
        members += raw.utf8
    }
}
