public import Wire

/// An event of a recorded WebSocket client that is played.
public enum WebSocketPlayEvent: Hashable, Sendable {
    /// A connection to the live server is requested.
    case begun
    /// The live server opened the socket; where its answer differs from the recorded one.
    case opened(Differences)
    /// The live server answered that it does not open one; where that differs from the recording.
    case refused(Differences)
    /// No connection could be opened; with the reason as text.
    case unreachable(String)
    /// The live server sent a message.
    case received(SocketMessage)
    /// The live socket ended: with the code of its server's close frame, or without one.
    case closed(code: Int?, reason: String)
    /// The client message that ``WebSocketPlayCommand/askTurn(_:)`` named may go out.
    case turn(MessageID)
    /// Time passed; with it what the order of several sockets has counted so far.
    case timePassed(progress: Int)
    /// The socket is not played any longer.
    case abandoned
}

/// What a played WebSocket client does.
public enum WebSocketPlayCommand: Hashable, Sendable {
    /// A message is sent.
    case send(SocketMessage)
    /// The turn of a recorded client message is requested.
    case askTurn(MessageID)
    /// The live server opened the socket.
    case opened
    /// A recorded server message arrived, or is no longer waited for.
    case came(MessageID)
    /// This side closes the socket, with a code or without.
    case close(code: Int?)
    /// The socket is played; ``WebSocketPlay/played`` has its result.
    case finish
    /// ``WebSocketPlayEvent/timePassed(progress:)`` is due at this time; it takes the place of the
    /// one before.
    case setTimer(Instant)
}
