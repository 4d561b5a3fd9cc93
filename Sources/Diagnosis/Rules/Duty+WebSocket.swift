extension Duty {
    /// Duties of both ends of a WebSocket.
    static let webSocket: [Duty] = [
        Duty(
            WebSocketRules.closeUnanswered, after: "Close of the server",
            due: "the client closes the connection", undecided: nil),
        Duty(
            WebSocketRules.serverCloseUnanswered, after: "Close of the client",
            due: "the server closes the connection", undecided: nil),
        Duty(WebSocketRules.pingUnanswered, after: "Ping of the server", undecided: nil),
        Duty(WebSocketRules.serverPingUnanswered, after: "Ping of the client", undecided: nil),
    ]
}
