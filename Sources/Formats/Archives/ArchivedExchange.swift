public import Wire

/// An exchange as archives keep it: meaning and times, no bytes.
///
/// HAR entries and mitmproxy flows are converted to this, and bytes are synthesized from it.
public struct ArchivedExchange: Hashable, Sendable {
    /// One side of an exchange.
    public struct Message: Hashable, Sendable {
        /// Fields in order, with names as archived; fields of HTTP/2 that begin with a colon are
        /// left out.
        public var fields: [Field] = []
        /// The body as the archive has it: transfer coding undone, content coding perhaps too.
        public var body: [UInt8] = []
        /// Whether ``body`` is the body after its content coding was undone.
        public var isDecoded = true
        /// Bytes of the body that the archive states and does not contain.
        public var missing: Int64 = 0

        /// An empty message.
        public init() {}
    }

    /// A header field.
    public struct Field: Hashable, Sendable {
        /// Its name.
        public var name: String
        /// Its value.
        public var value: String

        /// The field `name: value`.
        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// A WebSocket message.
    public struct SocketMessage: Hashable, Sendable {
        /// Who sent it.
        public var sender: Peer
        /// When, in nanoseconds since 1970 UTC.
        public var atUnixNanoseconds: Int64
        /// 1 text, 2 binary, 8 close, 9 ping, 10 pong.
        public var opcode: Int
        /// The payload, unmasked and inflated.
        public var payload: [UInt8]

        /// A message with these values.
        public init(sender: Peer, atUnixNanoseconds: Int64, opcode: Int, payload: [UInt8]) {
            self.sender = sender
            self.atUnixNanoseconds = atUnixNanoseconds
            self.opcode = opcode
            self.payload = payload
        }
    }

    /// The method.
    public var method: String
    /// The whole URL, without fragment.
    public var url: String
    /// The version in the archive, `HTTP/1.1`, `h2` …; empty where it is unknown.
    public var version = ""
    /// What the client sent.
    public var request = Message()
    /// What the server sent; nil where nothing was received.
    public var response: Message?
    /// The status; 0 where nothing was received.
    public var status = 0
    /// The reason phrase.
    public var reason = ""
    /// When the first byte of the request was sent, in nanoseconds since 1970 UTC.
    public var startedUnixNanoseconds: Int64
    /// When the last byte of the request was sent.
    public var requestEndedUnixNanoseconds: Int64
    /// When the first byte of the response came.
    public var respondedUnixNanoseconds: Int64
    /// When the last byte of the response came.
    public var endedUnixNanoseconds: Int64
    /// WebSocket messages in order, for an exchange that opened one.
    public var messages: [SocketMessage] = []
    /// Address of the client, `HOST:PORT`; empty where it is unknown.
    public var client = ""
    /// Address of the server, without port; empty where it is unknown.
    public var server = ""
    /// Identifier of the connection of the exchange; empty where it is unknown.
    public var connection = ""
    /// Why there was no answer, where the archive has it.
    public var error = ""
    /// What is odd about the archived exchange, each as a sentence.
    public var oddities: [String] = []

    /// An exchange of which nothing came back yet; all times are `startedUnixNanoseconds`.
    public init(method: String, url: String, startedUnixNanoseconds: Int64) {
        self.method = method
        self.url = url
        self.startedUnixNanoseconds = startedUnixNanoseconds
        requestEndedUnixNanoseconds = startedUnixNanoseconds
        respondedUnixNanoseconds = startedUnixNanoseconds
        endedUnixNanoseconds = startedUnixNanoseconds
    }
}
