/// A point of live traffic at which a filter may be evaluated.
///
/// The first six follow each other in every exchange; what is known at one is known at the later
/// ones.
public enum FilterPhase: Int, Hashable, Sendable, CaseIterable, CustomStringConvertible {
    /// A client connected.
    case connection
    /// A client starts TLS, or requests a tunnel.
    case handshake
    /// The head of a request is complete.
    case requestHead
    /// A request is complete.
    case requestBody
    /// The head of the final response is complete.
    case responseHead
    /// The response is complete, or will not come.
    case responseBody
    /// A Simperium command is complete.
    case command
    /// A WebSocket message is complete.
    case message

    /// The phase in words.
    public var description: String {
        switch self {
        case .connection: "when a client connects"
        case .handshake: "when a client starts TLS"
        case .requestHead: "when the request head is complete"
        case .requestBody: "when the request is complete"
        case .responseHead: "when the response head is complete"
        case .responseBody: "when the response is complete"
        case .command: "for a command"
        case .message: "for a message"
        }
    }
}
