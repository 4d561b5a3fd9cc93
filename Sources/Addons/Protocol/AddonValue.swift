import Notation

/// A value of an event, as JSON and Lua have it.
public enum AddonValue: Hashable, Sendable {
    /// Nothing.
    case null
    /// A whole number.
    case integer(Int64)
    /// Text.
    case text(String)
    /// Bytes that are not text.
    case bytes([UInt8])
    /// Several values.
    case list([AddonValue])
    /// Names and values, in order.
    case object([AddonMember])

    /// Appends it as JSON; bytes are `{"base64":"…"}`.
    func writeJSON(to line: inout [UInt8]) {
        switch self {
        case .null: line += "null".utf8
        case .integer(let number): line += String(number).utf8
        case .text(let text): JSONString.write(text.utf8, escapesDelete: true, to: &line)
        case .bytes(let bytes):
            line += #"{"base64":""#.utf8
            Base64.encode(bytes, to: &line)
            line += #""}"#.utf8
        case .list(let values):
            line.append(0x5B)
            for (place, value) in values.enumerated() {
                if place > 0 { line.append(0x2C) }
                value.writeJSON(to: &line)
            }
            line.append(0x5D)
        case .object(let members):
            line.append(0x7B)
            for (place, member) in members.enumerated() {
                if place > 0 { line.append(0x2C) }
                member.writeJSON(to: &line)
            }
            line.append(0x7D)
        }
    }
}

/// A name and its value.
public struct AddonMember: Hashable, Sendable {
    /// The name.
    public var name: String
    /// The value.
    public var value: AddonValue

    /// A member.
    public init(_ name: String, _ value: AddonValue) {
        self.name = name
        self.value = value
    }

    /// Appends it as JSON.
    func writeJSON(to line: inout [UInt8]) {
        JSONString.write(name.utf8, escapesDelete: true, to: &line)
        line.append(0x3A)
        value.writeJSON(to: &line)
    }
}
