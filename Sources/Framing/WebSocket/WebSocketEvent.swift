/// Something that ``WebSocketAssembler`` found in the stream of one sender.
///
/// Events come in the order of the bytes that complete them. A message follows the frames that it
/// consists of: a control message the frame right before it, another message all frames that are
/// not control frames since the last such message. What is noted about a header follows its
/// `frame`; what is noted about a message precedes its `message`.
public enum WebSocketEvent: Hashable, Sendable {
    /// The header of a frame is complete; its payload may still be to come.
    case frame(WebSocketFrameHeader)
    /// A message is complete, or will not be completed (its `problem` has the reason).
    case message(WebSocketMessage)
    /// Something is odd about the frame or the message that begins at `offset`; the stream
    /// continues.
    case note(WebSocketNote, offset: Int64)
    /// No further frame can be found; all that follows is ignored.
    case failure(WebSocketError)
}
