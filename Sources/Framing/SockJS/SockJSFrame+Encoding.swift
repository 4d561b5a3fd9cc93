extension SockJSFrame {
    /// The frame as a server sends it, with as few spaces and escapes as JSON allows.
    ///
    /// Ranges of messages play no part.
    public var encoded: [UInt8] {
        switch self {
        case .open: [UInt8(ascii: "o")]
        case .heartbeat: [UInt8(ascii: "h")]
        case .messages(let messages):
            [UInt8(ascii: "a")] + Self.encode(client: messages.map(\.text))
        case .close(let code, let reason):
            Array("c[\(code),".utf8) + Self.quoted(reason.text) + [UInt8(ascii: "]")]
        }
    }

    /// Writes texts as a client sends them.
    ///
    /// - Parameter texts: UTF-8; other bytes are written as they are, and the array is wrong then.
    /// - Returns: A JSON array of strings.
    public static func encode(client texts: [[UInt8]]) -> [UInt8] {
        var result: [UInt8] = [UInt8(ascii: "[")]
        for (index, text) in texts.enumerated() {
            if index > 0 { result.append(UInt8(ascii: ",")) }
            result += quoted(text)
        }
        result.append(UInt8(ascii: "]"))
        return result
    }

    /// A JSON string with the contents `text`.
    private static func quoted(_ text: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(text.count + 2)
        result.append(UInt8(ascii: "\""))
        for byte in text {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): result += [UInt8(ascii: "\\"), byte]
            case 0x08: result += "\\b".utf8
            case 0x09: result += "\\t".utf8
            case 0x0A: result += "\\n".utf8
            case 0x0C: result += "\\f".utf8
            case 0x0D: result += "\\r".utf8
            case ..<0x20: result += "\\u00\(byte < 16 ? "0" : "")\(String(byte, radix: 16))".utf8
            default: result.append(byte)
            }
        }
        result.append(UInt8(ascii: "\""))
        return result
    }
}
