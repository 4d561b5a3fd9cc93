/// Header fields and body of a request or response.
public struct ReplayMessage: Hashable, Sendable {
    /// A header field.
    public struct Field: Hashable, Sendable {
        /// The name, as sent.
        public var name: String
        /// The value.
        public var value: String

        /// The field `name: value`.
        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The header fields, in order.
    public var fields: [Field]
    /// The body, after transfer and content coding.
    public var body: [UInt8]

    /// A message with these values.
    public init(fields: [Field] = [], body: [UInt8] = []) {
        self.fields = fields
        self.body = body
    }

    /// The values of all fields with this name, joined by commas; nil where there is none.
    ///
    /// - Parameter name: The name in lower case.
    /// - Returns: The values, in order.
    public func value(_ name: String) -> String? {
        var values: [String] = []
        for field in fields
        where field.name.utf8.count == name.utf8.count && field.name.lowercased() == name {
            values.append(field.value)
        }
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }

    /// The contents of the body.
    func meaning(without leftOut: LeftOut) -> Meaning {
        Meaning(body, contentType: value("content-type"), without: leftOut)
    }
}

/// A request that a client sends to a replayed server.
public struct ReplayRequest: Hashable, Sendable {
    /// Method as sent.
    public var method: String
    /// Host as the recording has it, in lower case.
    public var host: String
    /// Path without query, as sent.
    public var path: String
    /// Query without question mark; nil without one.
    public var query: String?
    /// Header fields and body.
    public var message: ReplayMessage

    /// A request with these values.
    public init(
        method: String, host: String, path: String, query: String? = nil,
        message: ReplayMessage = ReplayMessage()
    ) {
        self.method = method
        self.host = host
        self.path = path
        self.query = query
        self.message = message
    }

    /// Method, path and query on one line.
    public var line: String {
        OneLine.text("\(method) \(path)\(query.map { "?\($0)" } ?? "")")
    }
}
