public import Wire

/// What is kept in memory of a recorded exchange; header fields and bodies are fetched on demand.
public struct RecordedExchange: Hashable, Sendable {
    /// Its number in the trace.
    public var id: ExchangeID
    /// Method as sent.
    public var method: String
    /// Host, in lower case; with a port where hosts of one name are to be distinguished.
    public var host: String
    /// Path without query, as sent.
    public var path: String
    /// Query without question mark.
    public var query: String?
    /// Status of the response; nil where there was none.
    public var status: Int?
    /// When the request began.
    public var startedAt: Instant
    /// When the first byte of the response came.
    public var respondedAt: Instant?
    /// When the last byte of the response came.
    public var endedAt: Instant?
    /// The connection it went over.
    public var connection: ConnectionID
    /// Its API, as in the trace: `commcare.submit`, `http`; empty where unknown.
    public var api: String

    /// An exchange with these values.
    public init(
        id: ExchangeID, method: String, host: String, path: String, query: String? = nil,
        status: Int? = nil, startedAt: Instant = .zero, respondedAt: Instant? = nil,
        endedAt: Instant? = nil, connection: ConnectionID = ConnectionID(0), api: String = ""
    ) {
        self.id = id
        self.method = method
        self.host = host
        self.path = path
        self.query = query
        self.status = status
        self.startedAt = startedAt
        self.respondedAt = respondedAt
        self.endedAt = endedAt
        self.connection = connection
        self.api = api
    }

    /// Nanoseconds between the request and its response, at least 0.
    public var delay: Int64 {
        max(0, (respondedAt ?? endedAt ?? startedAt).nanoseconds - startedAt.nanoseconds)
    }

    /// Method, path and query on one line.
    public var line: String {
        OneLine.text("\(method) \(path)\(query.map { "?\($0)" } ?? "")")
    }
}
