public import Wire

/// An event of a replayed WebSocket server.
public enum WebSocketReplayEvent: Hashable, Sendable {
    /// A client opened a WebSocket, which plays the one that this exchange opened; its number is the
    /// shell's.
    case opened(socket: Int, as: ExchangeID)
    /// A text or binary message came.
    case received(socket: Int, SocketMessage)
    /// The WebSocket ended.
    case closed(socket: Int)
}

/// What a replayed WebSocket server does.
public enum WebSocketReplayCommand: Hashable, Sendable {
    /// A message is sent.
    case send(Sending)
    /// The server closes the WebSocket, as it did.
    case close(socket: Int, code: Int?, due: Instant)
    /// A message has no counterpart; the replay continues.
    case report(WebSocketMiss)
    /// A message has no counterpart; nothing follows.
    case stop(WebSocketMiss)

    /// A message on its way to a client.
    public struct Sending: Hashable, Sendable {
        /// The WebSocket, as the shell numbers it.
        public var socket: Int
        /// What is sent, as it was recorded.
        public var message: SocketMessage
        /// The recorded message.
        public var recorded: MessageID
        /// When it is due at the pace of the replay; never before what went before on its socket.
        public var due: Instant
    }
}
