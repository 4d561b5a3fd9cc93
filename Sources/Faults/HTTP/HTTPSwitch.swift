public import Dissection
public import Framing

/// The exchange by which a connection changed to another protocol.
public struct HTTPSwitch {
    /// The head of the request, as the client sent it.
    public var request: HTTPHead
    /// The head of the response, as the server sent it.
    public var response: HTTPHead
    /// The exchange as known so far; its number is not that of the trace.
    public var exchange: ExchangeRow
    /// What the client sent after its request, and what is in no command yet.
    public var clientRest: [UInt8]
    /// What the server sent after its response, and what is in no command yet.
    public var serverRest: [UInt8]

    /// Whether WebSocket follows.
    public var isWebSocket: Bool {
        response.status == 101 && response.contains(token: "websocket", in: "upgrade")
    }

    /// A change by these heads.
    public init(
        request: HTTPHead, response: HTTPHead, exchange: ExchangeRow, clientRest: [UInt8] = [],
        serverRest: [UInt8] = []
    ) {
        self.request = request
        self.response = response
        self.exchange = exchange
        self.clientRest = clientRest
        self.serverRest = serverRest
    }
}
