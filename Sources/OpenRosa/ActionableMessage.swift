/// The JSON of a 406: what keeps the request from succeeding, for the user to act on.
///
/// Source: specs/commcare-http.txt, "406".
public struct ActionableMessage: Hashable, Sendable {
    /// Translation key, such as `user.deactivated`.
    public var error: String
    /// What is shown where no translation of ``error`` exists.
    public var defaultResponse: String

    /// Why a body is no actionable message.
    public enum Problem: Error, Hashable, Sendable {
        /// Not a flat JSON object of strings; `offset` in bytes is where it stops being one.
        case notAnObjectOfStrings(offset: Int)
        /// The key is missing.
        case missing(key: String)
        /// More than 64 KiB, which no message for a user has.
        case tooLong
    }

    /// A message with these values.
    public init(error: String, defaultResponse: String) {
        self.error = error
        self.defaultResponse = defaultResponse
    }

    /// Reads a body.
    ///
    /// Members other than the two are passed over; of a repeated key the last counts.
    ///
    /// - Throws: ``Problem``, with the offset in bytes.
    public init(parsing bytes: borrowing Span<UInt8>) throws(Problem) {
        guard bytes.count <= 1 << 16 else { throw .tooLong }
        var scanner = FlatObjectScanner(bytes)
        let members = try scanner.object()
        guard let error = members["error"] else { throw .missing(key: "error") }
        guard let text = members["default_response"] else {
            throw .missing(key: "default_response")
        }
        self.init(error: error, defaultResponse: text)
    }

    /// What to show a user.
    ///
    /// - Parameter translations: Texts by translation key, in the user's language.
    /// - Returns: The translation of ``error``, else ``defaultResponse``.
    public func message(translations: [String: String]) -> String {
        translations[error] ?? defaultResponse
    }
}

/// Reads a flat JSON object of strings (RFC 8259), and nothing else.
struct FlatObjectScanner {
    private let bytes: [UInt8]
    private var at = 0

    /// A scanner at the start of `bytes`.
    init(_ bytes: borrowing Span<UInt8>) {
        self.bytes = bytes.withUnsafeBufferPointer { Array($0) }
    }

    private var problem: ActionableMessage.Problem { .notAnObjectOfStrings(offset: at) }
    private var byte: UInt8? { at < bytes.count ? bytes[at] : nil }

    /// Reads the whole of the bytes as one object.
    mutating func object() throws(ActionableMessage.Problem) -> [String: String] {
        var members: [String: String] = [:]
        try expect(0x7B)
        skipBlanks()
        if byte == 0x7D {
            at += 1
        } else {
            while true {
                let key = try string()
                try expect(0x3A)
                members[key] = try string()
                skipBlanks()
                guard byte == 0x2C else { break }
                at += 1
            }
            try expect(0x7D)
        }
        skipBlanks()
        guard at == bytes.count else { throw problem }
        return members
    }

    private mutating func skipBlanks() {
        while let byte, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { at += 1 }
    }

    private mutating func expect(_ wanted: UInt8) throws(ActionableMessage.Problem) {
        skipBlanks()
        guard byte == wanted else { throw problem }
        at += 1
    }

    private mutating func string() throws(ActionableMessage.Problem) -> String {
        try expect(0x22)
        let start = at
        var text: [UInt8] = []
        while let next = byte, next != 0x22 {
            guard next >= 0x20 else { throw problem }
            at += 1
            if next == 0x5C {
                try escape(into: &text)
            } else {
                text.append(next)
            }
        }
        guard byte == 0x22 else { throw problem }
        at += 1
        guard let string = String(validating: text, as: UTF8.self) else {
            throw .notAnObjectOfStrings(offset: start)
        }
        return string
    }

    private mutating func escape(into text: inout [UInt8]) throws(ActionableMessage.Problem) {
        guard let letter = byte else { throw problem }
        switch letter {
        case 0x22, 0x5C, 0x2F: text.append(letter)
        case 0x62: text.append(0x08)
        case 0x66: text.append(0x0C)
        case 0x6E: text.append(0x0A)
        case 0x72: text.append(0x0D)
        case 0x74: text.append(0x09)
        case 0x75:
            at += 1
            text.append(contentsOf: String(try scalar()).utf8)
            return
        default: throw problem
        }
        at += 1
    }

    /// The scalar after `\u`, with the second half of a pair; a lone half becomes U+FFFD.
    private mutating func scalar() throws(ActionableMessage.Problem) -> Character {
        let first = try unit()
        var value = first
        if first & 0xFC00 == 0xD800, byte == 0x5C, at + 1 < bytes.count, bytes[at + 1] == 0x75 {
            let before = at
            at += 2
            let second = try unit()
            if second & 0xFC00 == 0xDC00 {
                value = 0x10000 + (first & 0x3FF) << 10 + second & 0x3FF
            } else {
                at = before
            }
        }
        return Character(Unicode.Scalar(value) ?? "\u{FFFD}")
    }

    private mutating func unit() throws(ActionableMessage.Problem) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = byte.flatMap({ Character(Unicode.Scalar($0)).hexDigitValue }) else {
                throw problem
            }
            value = value << 4 | UInt32(digit)
            at += 1
        }
        return value
    }
}
