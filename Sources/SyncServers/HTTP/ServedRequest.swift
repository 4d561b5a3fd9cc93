/// One HTTP request as an embedded server sees it: whole, after transfer coding.
public struct ServedRequest: Hashable, Sendable {
    /// A header field.
    public struct Field: Hashable, Sendable {
        /// Name as sent.
        public var name: String
        /// Value without surrounding space.
        public var value: String

        /// A field with these values.
        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// Method as sent.
    public var method: String
    /// Target as sent: path and query.
    public var target: String
    /// Header fields in their order.
    public var fields: [Field]
    /// The body; empty where there is none.
    public var body: [UInt8]
    /// Whether the client speaks TLS.
    public var isSecure: Bool

    /// A request with these values.
    public init(
        _ method: String, _ target: String, fields: [Field] = [], body: [UInt8] = [],
        isSecure: Bool = false
    ) {
        self.method = method
        self.target = target
        self.fields = fields
        self.body = body
        self.isSecure = isSecure
    }

    /// The value of the first field of this name, in any case; nil where there is none.
    public func value(_ name: String) -> String? {
        let name = name.lowercased()
        return fields.first { $0.name.lowercased() == name }?.value
    }

    /// The path's segments, percent-decoded, without empty ones at either end.
    var segments: [String] {
        let path = target.prefix { $0 != "?" && $0 != "#" }
        return path.split(separator: "/").map { Self.decoded($0, plusIsSpace: false) }
    }

    /// The query's parameter of this name, decoded; the first of several; nil where there is none.
    func parameter(_ name: String) -> String? {
        guard let mark = target.firstIndex(of: "?") else { return nil }
        return Self.pairs(target[target.index(after: mark)...]).first { $0.name == name }?.value
    }

    /// All parameters, decoded: those of the query, then those of a body that is a form of HTML and
    /// has at most 1 MiB.
    var parameters: [Field] {
        var result: [Field] = []
        if let mark = target.firstIndex(of: "?") {
            result = Self.pairs(target[target.index(after: mark)...])
        }
        let type = value("content-type")?.lowercased()
        if type?.hasPrefix("application/x-www-form-urlencoded") == true, body.count <= 1 << 20 {
            result += Self.pairs(String(decoding: body, as: UTF8.self)[...])
        }
        return result
    }

    private static func pairs(_ text: Substring) -> [Field] {
        text.split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return Field(
                decoded(parts.first ?? "", plusIsSpace: true),
                parts.count > 1 ? decoded(parts[1], plusIsSpace: true) : "")
        }
    }

    /// Whether a cookie, `NAME=VALUE`, came with it.
    func hasCookie(_ cookie: String) -> Bool {
        fields.contains { field in
            field.name.lowercased() == "cookie"
                && field.value.split(separator: ";").contains { $0.drop { $0 == " " } == cookie }
        }
    }

    /// The user name of basic authentication; nil where there is none or it cannot be read.
    var user: String? { credentials?.name }

    /// User name and password of basic authentication; nil where there are none that can be read.
    var credentials: (name: String, password: String)? {
        guard let value = value("authorization") else { return nil }
        let parts = value.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "basic",
            let bytes = Base64.decode(parts[1].utf8),
            let colon = bytes.firstIndex(of: UInt8(ascii: ":")), colon > 0
        else { return nil }
        return (
            String(decoding: bytes[..<colon], as: UTF8.self),
            String(decoding: bytes[(colon + 1)...], as: UTF8.self)
        )
    }

    /// Text with its `%XX` replaced; what is no escape stays.
    private static func decoded(_ text: Substring, plusIsSpace: Bool) -> String {
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count,
                let high = Character(Unicode.Scalar(bytes[index + 1])).hexDigitValue,
                let low = Character(Unicode.Scalar(bytes[index + 2])).hexDigitValue
            {
                result.append(UInt8(high << 4 | low))
                index += 3
            } else {
                let isSpace = plusIsSpace && bytes[index] == UInt8(ascii: "+")
                result.append(isSpace ? UInt8(ascii: " ") : bytes[index])
                index += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
