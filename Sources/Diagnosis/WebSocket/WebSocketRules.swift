import Wire

/// Rules of the WebSocket protocol, RFC 6455 and RFC 7692.
enum WebSocketRules {
    static let all: [Rule] =
        [
            handshakeRequest, handshakeResponse, extensionNotOffered, protocolNotOffered,
            noCloseFrame, serverNoCloseFrame, closeUnanswered, serverCloseUnanswered,
            pingUnanswered, serverPingUnanswered,
        ] + faults.flatMap { fault in Peer.allCases.compactMap { fault.rule(of: $0) } }

    /// Nanoseconds that a peer has to answer a close or a ping.
    static let patienceNanoseconds: Int64 = 20_000_000_000
}

extension WebSocketRules {
    private static let unjudged =
        "Capture began late, bytes are missing, a fault cut the connection, or Tapedeck did something to it in the last 5 s."

    private static let unsettled =
        "Capture began late, bytes are missing, Tapedeck has done something to the connection, or to another in the minute before."

    private static func rule(
        _ id: String, _ severity: FindingRow.Severity, blames: Peer, title: String,
        source: String, follows: String, evidence: String, expects: String,
        deadline: Int64? = nil, silent: String = unjudged, cause: String? = nil
    ) -> Rule {
        Rule(
            id, severity, blames: blames, repetition: .client, title: title, source: source,
            follows: follows, evidence: evidence, expects: expects,
            deadlineNanoseconds: deadline, silent: silent, cause: cause)
    }

    // MARK: The opening handshake

    static let handshakeRequest = rule(
        "websocket.handshake-request", .error, blames: .client,
        title: "A client opens a WebSocket according to RFC 6455.",
        source:
            "RFC 6455, 4.1: a GET with `Upgrade: websocket`, `Connection: Upgrade`, `Sec-WebSocket-Version: 13` and a `Sec-WebSocket-Key` of 16 bytes in base64.",
        follows: "the exchange that opens each WebSocket",
        evidence: "A request that was answered 101 and lacks one of these.",
        expects: "All of them; stricter servers answer 400.",
        silent: "Tapedeck changed the request or made the answer.")
    static let handshakeResponse = rule(
        "websocket.handshake-response", .error, blames: .server,
        title: "A server accepts a WebSocket according to RFC 6455.",
        source:
            "RFC 6455, 4.2.2: 101 with `Upgrade: websocket`, `Connection: Upgrade` and a `Sec-WebSocket-Accept` made from the key.",
        follows: "the exchange that opens each WebSocket",
        evidence: "A 101 that lacks one of these, or whose accept is for another key.",
        expects: "All of them; clients have to fail the connection otherwise.",
        silent: "Tapedeck changed the request, or made or changed the answer.")
    static let extensionNotOffered = rule(
        "websocket.server-extension-not-offered", .error, blames: .server,
        title: "A server accepts only extensions that were offered.",
        source:
            "RFC 6455, 4.1: a client has to fail the connection where the answer has an extension that \"was not present in the client's handshake\".",
        follows: "the exchange that opens each WebSocket",
        evidence: "An extension in the answer that is not in the request.",
        expects: "`Sec-WebSocket-Extensions` with some of those offered, or none.",
        silent: "Tapedeck changed the request, or made or changed the answer.")
    static let protocolNotOffered = rule(
        "websocket.server-protocol-not-offered", .error, blames: .server,
        title: "A server chooses one of the subprotocols that were offered.",
        source:
            "RFC 6455, 4.1: a client has to fail the connection where the answer has a subprotocol that was not requested.",
        follows: "the exchange that opens each WebSocket",
        evidence: "A subprotocol in the answer that is not in the request, or several.",
        expects: "One of those offered, or no `Sec-WebSocket-Protocol`.",
        silent: "Tapedeck changed the request, or made or changed the answer.")

    // MARK: Ends

    private static let closeSource =
        "RFC 6455, 7.1.1 and 7.1.2: to close the connection, an endpoint begins the closing handshake with a Close frame"
    static let noCloseFrame = rule(
        "websocket.no-close-frame", .info, blames: .client,
        title: "A client sends Close before it closes the connection.",
        source: closeSource
            + "; without it the server cannot distinguish a regular end from a lost network.",
        follows: "the closing handshake of each WebSocket",
        evidence: "The client's TCP connection ends first, and neither side has sent Close.",
        expects: "A Close frame, and the end of the connection after the server's.",
        silent: "The client has sent nothing and ends within a second of the 101, which it may not "
            + "have. " + unjudged,
        cause: "The socket is dropped when the app goes to the background.")
    static let serverNoCloseFrame = rule(
        "websocket.server-no-close-frame", .info, blames: .server,
        title: "A server sends Close before it closes the connection.", source: closeSource + ".",
        follows: "the closing handshake of each WebSocket",
        evidence: "The server's TCP connection ends first, and neither side has sent Close.",
        expects: "A Close frame with a code for the reason.")
    private static let answerSource =
        "RFC 6455, 5.5.1: \"If an endpoint receives a Close frame and did not previously send a Close frame, the endpoint MUST send a Close frame in response.\""
    static let closeUnanswered = rule(
        "websocket.close-unanswered", .warning, blames: .client,
        title: "A client answers Close with Close.", source: answerSource,
        follows: "the closing handshake of each WebSocket",
        evidence:
            "The server sent Close, and the client closed the connection without one, or sent none for 20 s.",
        expects: "A Close frame with the same code.", deadline: patienceNanoseconds,
        silent: "The server closed the connection itself. " + unsettled)
    static let serverCloseUnanswered = rule(
        "websocket.server-close-unanswered", .warning, blames: .server,
        title: "A server answers Close with Close.", source: answerSource,
        follows: "the closing handshake of each WebSocket",
        evidence:
            "The client sent Close, and the server closed the connection without one, or sent none for 20 s.",
        expects: "A Close frame with the same code.", deadline: patienceNanoseconds,
        silent: "The client closed the connection itself. " + unsettled)

    // MARK: Pings

    private static let pingSource =
        "RFC 6455, 5.5.2: \"Upon receipt of a Ping frame, an endpoint MUST send a Pong frame in response, unless it already received a Close frame. It SHOULD respond with Pong frame as soon as is practical.\""
    static let pingUnanswered = rule(
        "websocket.ping-unanswered", .warning, blames: .client,
        title: "A client answers Ping with Pong.", source: pingSource,
        follows: "the pings of each WebSocket",
        evidence: "A Ping of the server without Pong for 20 s on a connection that stays open.",
        expects: "A Pong with the same payload.", deadline: patienceNanoseconds,
        silent: unsettled)
    static let serverPingUnanswered = rule(
        "websocket.server-ping-unanswered", .warning, blames: .server,
        title: "A server answers Ping with Pong.", source: pingSource,
        follows: "the pings of each WebSocket",
        evidence: "A Ping of the client without Pong for 20 s on a connection that stays open.",
        expects: "A Pong with the same payload.", deadline: patienceNanoseconds,
        silent: unsettled)
}
