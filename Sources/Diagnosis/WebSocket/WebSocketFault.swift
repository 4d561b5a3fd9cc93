import Wire

/// A mistake with frames that either peer may make, and which the decoders note.
///
/// Each is one rule for clients and one for servers.
struct WebSocketFault {
    /// Code of the note.
    let code: String
    /// The rule for clients; nil where only a server can.
    let client: Rule?
    /// The rule for servers; nil where only a client can.
    let server: Rule?

    /// A fault whose rules are `websocket.NAME` and `websocket.server-NAME`, reported by the note
    /// `code`.
    init(
        _ name: String, _ code: String, _ severity: FindingRow.Severity = .error,
        of peers: [Peer] = Peer.allCases, title: String, source: String, expects: String,
        cause: String? = nil
    ) {
        self.code = code
        func rule(_ peer: Peer) -> Rule? {
            guard peers.contains(peer) else { return nil }
            return Rule(
                "websocket." + (peer == .server ? "server-" : "") + name, severity, blames: peer,
                repetition: .client, title: title, source: source,
                follows: "the frames of each direction",
                evidence: "The note \(code) of the decoder.", expects: expects,
                silent:
                    "Capture began late, bytes are missing, a fault cut the connection, or Tapedeck did something to it in the last 5 s.",
                cause: cause)
        }
        client = rule(.client)
        server = rule(.server)
    }

    /// The rule for a peer.
    func rule(of peer: Peer) -> Rule? { peer == .client ? client : server }
}

extension WebSocketRules {
    /// The notes of decoders about frames, as rules.
    static let faults: [WebSocketFault] = [
        WebSocketFault(
            "unmasked", "websocket.unmasked", of: [.client],
            title: "A client masks every frame.",
            source:
                "RFC 6455, 5.1: \"a client MUST mask all frames that it sends to the server\"; the server has to close the connection.",
            expects: "The mask bit and a new key of four random bytes with each frame.",
            cause: "A WebSocket written by hand, or a server's code used in a client."),
        WebSocketFault(
            "masked", "websocket.masked", of: [.server],
            title: "A server masks no frame.",
            source:
                "RFC 6455, 5.1: \"A server MUST NOT mask any frames that it sends to the client. A client MUST close a connection if it detects a masked frame.\"",
            expects: "The payload as it is, without mask bit."),
        WebSocketFault(
            "reserved-bits", "websocket.reserved-bits",
            title: "Reserved bits are set only where an extension gives them a meaning.",
            source:
                "RFC 6455, 5.2: RSV1, RSV2 and RSV3 \"MUST be 0 unless an extension is negotiated that defines meanings for non-zero values\".",
            expects: "Zeros; RSV1 on the first frame of a message where compression was agreed.",
            cause: "Frames are compressed although permessage-deflate was not agreed."),
        WebSocketFault(
            "reserved-opcode", "websocket.reserved-opcode",
            title: "Opcodes are those that have a meaning.",
            source:
                "RFC 6455, 5.2: \"If an unknown opcode is received, the receiving endpoint MUST _Fail the WebSocket Connection_.\"",
            expects: "0, 1, 2, 8, 9 or 10."),
        WebSocketFault(
            "length", "websocket.length-not-minimal",
            title: "A length takes as few bytes as it can.",
            source:
                "RFC 6455, 5.2: \"the minimal number of bytes MUST be used to encode the length\".",
            expects: "One byte up to 125, three up to 65535, nine beyond."),
        WebSocketFault(
            "control-too-long", "websocket.control-too-long",
            title: "A control frame has at most 125 bytes.",
            source:
                "RFC 6455, 5.5: \"All control frames MUST have a payload length of 125 bytes or less\".",
            expects: "A shorter reason or ping."),
        WebSocketFault(
            "control-fragmented", "websocket.control-fragmented",
            title: "A control frame is not fragmented.",
            source: "RFC 6455, 5.5: control frames \"MUST NOT be fragmented\".",
            expects: "FIN on every Close, Ping and Pong."),
        WebSocketFault(
            "stray-fragment", "websocket.continuation-without-start",
            title: "A further fragment follows the first of its message.",
            source:
                "RFC 6455, 5.4: a fragmented message begins with a frame whose opcode is not 0.",
            expects: "The first frame of a message with opcode 1 or 2."),
        WebSocketFault(
            "interrupted-message", "websocket.message-interrupted",
            title: "A message is whole before the next begins.",
            source:
                "RFC 6455, 5.4: \"The fragments of one message MUST NOT be interleaved between the fragments of another message\".",
            expects: "Opcode 0 until the frame with FIN.",
            cause: "Several threads write to one socket without a lock."),
        WebSocketFault(
            "unfinished-message", "websocket.message-unfinished", .info,
            title: "A message is ended before the connection is.",
            source: "RFC 6455, 5.4: a message ends with a frame whose FIN bit is set.",
            expects: "The last fragment, with FIN."),
        WebSocketFault(
            "frame-after-close", "websocket.after-close",
            title: "Nothing follows a Close frame.",
            source:
                "RFC 6455, 5.5.1: \"The application MUST NOT send any more data frames after sending a Close frame.\"",
            expects:
                "Silence until the connection ends; unsent messages go on the next connection.",
            cause: "The queue of outgoing messages is not stopped by the close."),
        WebSocketFault(
            "close-code", "websocket.close-code",
            title: "A Close frame has a code that may be sent.",
            source:
                "RFC 6455, 7.4.1 and 7.4.2: 1004, 1005, 1006 and 1015 \"MUST NOT be set as a status code in a Close control frame by an endpoint\", nor any below 1000.",
            expects: "1000, 1001, another registered code, or a private one of 4000 to 4999.",
            cause: "The code that the library reported for the last lost connection is sent on."),
        WebSocketFault(
            "close-payload", "websocket.close-payload",
            title: "A Close frame has no payload, or a code of two bytes first.",
            source:
                "RFC 6455, 5.5.1: \"If there is a body, the first two bytes of the body MUST be a 2-byte unsigned integer\".",
            expects: "Nothing, or two bytes of code and a reason."),
        WebSocketFault(
            "not-utf8", "websocket.not-utf8",
            title: "Text is UTF-8.",
            source:
                "RFC 6455, 8.1: an endpoint that gets a text message that is not UTF-8 \"MUST _Fail the WebSocket Connection_\".",
            expects: "UTF-8, or a binary message.",
            cause: "A buffer is cut by bytes in the middle of a character, or is Latin-1."),
        WebSocketFault(
            "inflate", "websocket.inflate-failed",
            title: "A compressed message can be inflated.",
            source: "RFC 7692, 7.2.2: the payload of a compressed message is DEFLATE data.",
            expects: "DEFLATE without the last four bytes 00 00 FF FF, in the agreed window.",
            cause: "The context is kept although `no_context_takeover` was agreed, or the reverse."),
        WebSocketFault(
            "frame-length", "websocket.failed",
            title: "Frames can be read.",
            source:
                "RFC 6455, 5.2: a length of eight bytes has 0 as its highest bit, and a frame has as many bytes as it declares.",
            expects: "Whole frames.", cause: "Text is written to the socket without framing."),
    ]

    /// The rule that a note about `sender` breaks.
    static func rule(for code: String, of sender: Peer) -> Rule? {
        (sender == .client ? clientNotes : serverNotes)[code]
    }

    private static let clientNotes = Dictionary(
        faults.compactMap { fault in fault.client.map { (fault.code, $0) } },
        uniquingKeysWith: { first, _ in first })
    private static let serverNotes = Dictionary(
        faults.compactMap { fault in fault.server.map { (fault.code, $0) } },
        uniquingKeysWith: { first, _ in first })
}
