/// What is odd about a frame or a message without keeping the stream from being read.
///
/// The raw value is a stable name for programs, ``detail`` the same as text.
public enum WebSocketNote: String, Hashable, Sendable, CaseIterable {
    /// A client's frame is not masked (RFC 6455, 5.1).
    case unmasked = "websocket.unmasked"
    /// A server's frame is masked (RFC 6455, 5.1).
    case masked = "websocket.masked"
    /// A reserved bit is set that no negotiated extension gives a meaning there (RFC 6455, 5.2).
    ///
    /// Also RSV1 on a control frame or a later fragment (RFC 7692, 6).
    case reservedBits = "websocket.reserved-bits"
    /// The opcode has no meaning (RFC 6455, 5.2).
    case reservedOpcode = "websocket.reserved-opcode"
    /// The length is written in more bytes than it needs (RFC 6455, 5.2).
    case lengthNotMinimal = "websocket.length-not-minimal"
    /// A control frame has more than 125 bytes of payload (RFC 6455, 5.5).
    case controlTooLong = "websocket.control-too-long"
    /// A control frame is fragmented (RFC 6455, 5.5).
    case controlFragmented = "websocket.control-fragmented"
    /// A further fragment of a message that never began (RFC 6455, 5.4).
    case continuationWithoutStart = "websocket.continuation-without-start"
    /// A message begins before the one before it ended (RFC 6455, 5.4).
    case messageInterrupted = "websocket.message-interrupted"
    /// The stream ends before the last fragment of the message (RFC 6455, 5.4).
    case messageUnfinished = "websocket.message-unfinished"
    /// A frame follows a close frame (RFC 6455, 5.5.1).
    case afterClose = "websocket.after-close"
    /// The code of a close frame may not be sent (RFC 6455, 7.4).
    case closeCode = "websocket.close-code"
    /// A close frame has a payload of one byte, too short for a code (RFC 6455, 5.5.1).
    case closePayload = "websocket.close-payload"
    /// Text, or the reason of a close frame, is not UTF-8 (RFC 6455, 8.1 and 5.5.1).
    case notUTF8 = "websocket.not-utf8"
    /// A compressed message could not be inflated (RFC 7692, 7.2.2).
    case inflateFailed = "websocket.inflate-failed"
    /// A compressed message exceeds the inflation limit; this is not an error of the sender.
    case inflateLimit = "websocket.inflate-limit"
    /// A compressed message builds on one that was not inflated (RFC 7692, 7.2.3.2).
    case contextLost = "websocket.context-lost"

    /// The same as text, without the particulars, which a message's `problem` has.
    public var detail: String {
        switch self {
        case .unmasked: "a frame of the client is not masked"
        case .masked: "a frame of the server is masked"
        case .reservedBits: "a reserved bit is set that no negotiated extension defines"
        case .reservedOpcode: "the opcode is reserved"
        case .lengthNotMinimal: "the length is written in more bytes than it needs"
        case .controlTooLong: "a control frame has more than 125 bytes of payload"
        case .controlFragmented: "a control frame is fragmented"
        case .continuationWithoutStart: "a continuation frame without a message to continue"
        case .messageInterrupted: "a message begins before the one before it ended"
        case .messageUnfinished: "the stream ends before the last fragment of the message"
        case .afterClose: "a frame follows a close frame"
        case .closeCode: "the close code may not be sent"
        case .closePayload: "the payload of the close frame is too short for a code"
        case .notUTF8: "text is not UTF-8"
        case .inflateFailed: "the compressed message cannot be inflated"
        case .inflateLimit: "the compressed message is too large to be inflated here"
        case .contextLost: "the compressed message builds on one that was not inflated"
        }
    }
}
