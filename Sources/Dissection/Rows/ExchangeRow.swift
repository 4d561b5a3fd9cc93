public import Wire

/// One HTTP request and its response, or the lack of one.
public struct ExchangeRow: Hashable, Sendable {
    /// How far the exchange came.
    public enum Outcome: String, Hashable, Sendable, CaseIterable {
        /// The request or the response is still in progress.
        case open
        /// Both are complete.
        case complete
        /// The response is complete, the request is not.
        case requestCut = "request-cut"
        /// The response began and did not end.
        case responseCut = "response-cut"
        /// No response was received.
        case noResponse = "no-response"
    }

    /// The method of a request whose request line cannot be read.
    public static let unreadableMethod = "?"

    /// Number of the exchange.
    public var id: ExchangeID
    /// Number of the connection.
    public var connection: ConnectionID
    /// The leg that the response came from, once it begins.
    public var serverLeg: LegID?
    /// What the exchange is for, such as `commcare.submit`, `simperium.socket` or `http`.
    public var api: String
    /// Request method, as sent; ``unreadableMethod`` where the request line cannot be read.
    public var method: String
    /// `http` or `https`; `ws` and `wss` are written as the HTTP they begin with.
    public var scheme: String
    /// Host name or address that the server was known by, without port, lower case.
    public var host: String
    /// TCP port of the server, in 0...65535.
    public var port: Int
    /// Path of the target without query, as sent.
    public var path: String
    /// Query of the target without the question mark; nil where there is none.
    public var query: String?
    /// Version in the request line, `HTTP/1.1`.
    public var version: String
    /// Status of the final response; nil until it begins.
    public var status: Int?
    /// Reason phrase of the final response.
    public var reason: String?
    /// First byte of the request.
    public var startedAt: Instant
    /// Last byte of the request.
    public var requestEndedAt: Instant?
    /// First byte of the final response.
    public var respondedAt: Instant?
    /// Last byte of the response, or when its lack was certain.
    public var endedAt: Instant?
    /// Size of the request's content on the wire in bytes, without transfer coding.
    public var requestSize: Int64
    /// Size of the response's content on the wire in bytes, without transfer coding.
    public var responseSize: Int64
    /// How far it came.
    public var outcome: Outcome
    /// Why it is not complete, as text.
    public var problem: String?
    /// Seconds or date in `Retry-After` of the response, as sent.
    public var retryAfter: String?
    /// Value of `x-openrosa-deviceid` or the query's device id, if any.
    public var device: String?
    /// The user of the request: the query's `as`, or the name of `Basic` credentials.
    public var user: String?
    /// Whether Tapedeck made the response.
    public var isLocal: Bool
    /// First byte of the request.
    public var requestPlace: Place
    /// First byte of the final response.
    public var responsePlace: Place?
    /// Whose conversation it belongs to.
    public var side = Side.both
    /// What became of it on its way.
    public var fate = Fate.same
    /// The row of the other side that corresponds to it.
    public var counterpart: ExchangeID?

    /// An exchange with only the request line known.
    public init(
        id: ExchangeID, connection: ConnectionID, api: String, method: String, scheme: String,
        host: String, port: Int, path: String, query: String?, version: String,
        startedAt: Instant, requestPlace: Place
    ) {
        self.id = id
        self.connection = connection
        self.api = api
        self.method = method
        self.scheme = scheme
        self.host = host
        self.port = port
        self.path = path
        self.query = query
        self.version = version
        self.startedAt = startedAt
        self.requestPlace = requestPlace
        requestSize = 0
        responseSize = 0
        outcome = .open
        isLocal = false
    }
}
