internal import Replaying

/// Something that a replayed server does to a live WebSocket at its time.
enum SocketDelivery {
    /// A Simperium command is sent.
    case command(socket: Int, [UInt8])
    /// A message is sent.
    case message(socket: Int, SocketMessage)
    /// The server ends it: with a code, or without a word.
    case end(socket: Int, code: Int?)
}
