extension JSONValue {
    /// How a value is written.
    public enum Style: Hashable, Sendable {
        /// No space, and no escapes but the needed ones, as JavaScript's `JSON.stringify`.
        case compact
        /// A space after commas and colons, and ASCII alone, as Python's `json.dumps`.
        case python
    }

    /// The value as JSON text on one line.
    public func text(_ style: Style = .compact) -> String {
        String(decoding: bytes(style), as: UTF8.self)
    }

    /// The value as JSON text on one line, in UTF-8.
    public func bytes(_ style: Style = .compact) -> [UInt8] {
        var output: [UInt8] = []
        write(style, to: &output)
        return output
    }

    private func write(_ style: Style, to output: inout [UInt8]) {
        func separate(_ byte: UInt8) {
            output.append(byte)
            if style == .python { output.append(0x20) }
        }
        func quote(_ text: String) {
            switch style {
            case .compact: JSONString.write(text.utf8, to: &output)
            case .python: JSONString.writeASCII(text, to: &output)
            }
        }
        switch self {
        case .null: output.append(contentsOf: "null".utf8)
        case .bool(let value): output.append(contentsOf: (value ? "true" : "false").utf8)
        case .number(let text): output.append(contentsOf: text.utf8)
        case .string(let text): quote(text)
        case .array(let elements):
            output.append(0x5B)
            for (place, element) in elements.enumerated() {
                if place > 0 { separate(0x2C) }
                element.write(style, to: &output)
            }
            output.append(0x5D)
        case .object(let object):
            output.append(0x7B)
            for (place, member) in object.members.enumerated() {
                if place > 0 { separate(0x2C) }
                quote(member.key.string)
                separate(0x3A)
                member.value.write(style, to: &output)
            }
            output.append(0x7D)
        }
    }
}
