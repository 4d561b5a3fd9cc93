/// One extension of a `Sec-WebSocket-Extensions` field, as offered or accepted.
///
/// Source: RFC 6455, section 9.1.
public struct WebSocketExtension: Hashable, Sendable {
    /// One parameter.
    public struct Parameter: Hashable, Sendable {
        /// The name in lower case.
        public var name: String
        /// The value without quotes; nil without one.
        public var value: String?

        /// A parameter with these values.
        public init(name: String, value: String? = nil) {
            self.name = name
            self.value = value
        }
    }

    /// The name in lower case, never empty.
    public var name: String
    /// Its parameters as written, in order.
    public var parameters: [Parameter]

    /// An extension with these values.
    public init(name: String, parameters: [Parameter] = []) {
        self.name = name
        self.parameters = parameters
    }

    /// The extensions that the values of all `Sec-WebSocket-Extensions` fields name, in order.
    ///
    /// Lenient: elements without a name are left out, and a quoted value may hold anything.
    public static func parse(_ fieldValues: [String]) -> [WebSocketExtension] {
        fieldValues.flatMap { value in
            split(Array(value.utf8)[...], at: UInt8(ascii: ",")).compactMap(element)
        }
    }

    private static func element(_ text: ArraySlice<UInt8>) -> WebSocketExtension? {
        let pieces = split(text, at: UInt8(ascii: ";"))
        guard let first = pieces.first else { return nil }
        let name = word(first)
        guard !name.isEmpty else { return nil }
        let parameters = pieces.dropFirst().compactMap { piece -> Parameter? in
            let equals = piece.firstIndex(of: UInt8(ascii: "="))
            let name = word(piece[..<(equals ?? piece.endIndex)])
            guard !name.isEmpty else { return nil }
            return Parameter(
                name: name, value: equals.map { unquoted(piece[piece.index(after: $0)...]) })
        }
        return WebSocketExtension(name: name, parameters: parameters)
    }

    /// The pieces of `text` between the separators outside quotes.
    private static func split(
        _ text: ArraySlice<UInt8>, at separator: UInt8
    ) -> [ArraySlice<UInt8>] {
        var pieces: [ArraySlice<UInt8>] = []
        var start = text.startIndex
        var isQuoted = false
        var isEscaped = false
        for index in text.indices {
            let byte = text[index]
            if isEscaped {
                isEscaped = false
            } else if isQuoted, byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                isQuoted.toggle()
            } else if byte == separator, !isQuoted {
                pieces.append(text[start..<index])
                start = text.index(after: index)
            }
        }
        pieces.append(text[start...])
        return pieces
    }

    private static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let isSpace = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        let text = text.drop(while: isSpace)
        let end = text.lastIndex { !isSpace($0) }.map { $0 + 1 } ?? text.startIndex
        return text[..<end]
    }

    private static func word(_ text: ArraySlice<UInt8>) -> String {
        String(decoding: trimmed(text), as: UTF8.self).lowercased()
    }

    private static func unquoted(_ text: ArraySlice<UInt8>) -> String {
        let text = trimmed(text)
        let quote = UInt8(ascii: "\"")
        guard text.count >= 2, text.first == quote, text.last == quote else {
            return String(decoding: text, as: UTF8.self)
        }
        var value: [UInt8] = []
        var isEscaped = false
        for byte in text.dropFirst().dropLast() {
            if !isEscaped, byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else {
                isEscaped = false
                value.append(byte)
            }
        }
        return String(decoding: value, as: UTF8.self)
    }
}
