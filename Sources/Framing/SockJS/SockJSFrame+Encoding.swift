import Notation

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
    /// - Parameter texts: UTF-8; other bytes are written as they are, and the array is invalid
    ///   then.
    /// - Returns: A JSON array of strings.
    public static func encode(client texts: [[UInt8]]) -> [UInt8] {
        var result: [UInt8] = [UInt8(ascii: "[")]
        for (index, text) in texts.enumerated() {
            if index > 0 { result.append(UInt8(ascii: ",")) }
            JSONString.write(text, to: &result)
        }
        result.append(UInt8(ascii: "]"))
        return result
    }

    private static func quoted(_ text: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        JSONString.write(text, to: &result)
        return result
    }
}
