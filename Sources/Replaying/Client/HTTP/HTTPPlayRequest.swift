/// A request as it is to be sent to the live server.
public struct HTTPPlayRequest: Hashable, Sendable {
    /// Method as recorded.
    public var method: String
    /// Host as recorded, which selects the live server.
    public var host: String
    /// Path without query.
    public var path: String
    /// Query without question mark; nil without one.
    public var query: String?
    /// The header fields to send, in order; without `Host` and what belongs to one connection.
    public var fields: [ReplayMessage.Field]
    /// The body, before ``isCompressed``.
    public var body: [UInt8]
    /// Whether the body is to be sent with gzip; the fields do not announce it yet.
    public var isCompressed = false
    /// Whether the body is sent in chunks.
    public var isChunked = false
    /// What to answer a challenge with; the fields then have no `Authorization`.
    public var login: HTTPPlayOptions.Login?

    /// A request with these values.
    public init(
        method: String, host: String, path: String, query: String? = nil,
        fields: [ReplayMessage.Field] = [], body: [UInt8] = []
    ) {
        self.method = method
        self.host = host
        self.path = path
        self.query = query
        self.fields = fields
        self.body = body
    }

    /// Whether a body goes with it, if an empty one.
    public var hasBody: Bool { !body.isEmpty || method == "POST" || method == "PUT" }

    /// Path and query.
    public var target: String { path + (query.map { "?\($0)" } ?? "") }

    /// The values of all fields with this name in lower case, joined by commas.
    public func value(_ name: String) -> String? { ReplayMessage(fields: fields).value(name) }
}

/// The answer of the live server.
public struct HTTPPlayAnswer: Hashable, Sendable {
    /// The status; nil where there is no answer.
    public var status: Int?
    /// Header fields as received, and the body without any coding.
    public var message: ReplayMessage
    /// Why there is no answer; nil where there is one.
    public var problem: String?
    /// Whether the connection was refused.
    public var isUnreachable: Bool
    /// Seconds since 1970 when it came, for dates in `Retry-After`.
    public var at: Int64

    /// An answer.
    public init(_ status: Int, _ message: ReplayMessage = ReplayMessage(), at: Int64 = 0) {
        self.status = status
        self.message = message
        self.at = at
        isUnreachable = false
    }

    /// No answer.
    public init(problem: String, isUnreachable: Bool = false) {
        self.problem = problem
        self.isUnreachable = isUnreachable
        message = ReplayMessage()
        at = 0
    }
}
