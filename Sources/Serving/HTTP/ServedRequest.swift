package import Notation

/// One HTTP request as an embedded server sees it: complete, after transfer coding.
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
    package var segments: [String] {
        let path = target.prefix { $0 != "?" && $0 != "#" }
        return path.split(separator: "/").map {
            String(decoding: PercentEncoding.decode($0.utf8), as: UTF8.self)
        }
    }

    /// The query's parameter of this name, decoded; the first of several; nil where there is none.
    package func parameter(_ name: String) -> String? {
        query.first(name)
    }

    private var query: [FormField] {
        guard let mark = target.firstIndex(of: "?") else { return [] }
        return FormField.parse(target[target.index(after: mark)...].utf8)
    }

    /// All parameters, decoded: those of the query, then those of a body that is a form of HTML and
    /// has at most 1 MiB.
    package var parameters: [FormField] {
        var result = query
        let type = value("content-type")?.lowercased()
        if type?.hasPrefix("application/x-www-form-urlencoded") == true, body.count <= 1 << 20 {
            result += FormField.parse(body)
        }
        return result
    }

    /// Whether it has a cookie, `NAME=VALUE`.
    package func hasCookie(_ cookie: String) -> Bool {
        fields.contains { field in
            field.name.lowercased() == "cookie"
                && field.value.split(separator: ";").contains { $0.drop { $0 == " " } == cookie }
        }
    }

    /// The user name of basic authentication; nil where there is none or it cannot be read.
    package var user: String? { credentials?.user }

    /// User name and password of basic authentication; nil where there are none that can be read.
    package var credentials: BasicCredentials? {
        value("authorization").flatMap { BasicCredentials(authorization: $0) }
    }
}
