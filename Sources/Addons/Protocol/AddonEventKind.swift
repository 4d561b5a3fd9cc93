import Filters

/// The kinds of events that an add-on may be asked about.
public enum AddonEventKind: String, Hashable, Sendable, CaseIterable {
    /// A complete request.
    case request
    /// A complete response, with its request.
    case response
    /// A complete WebSocket message.
    case message
    /// A Simperium command.
    case command
    /// A client that connected.
    case connection

    /// When a filter is evaluated for it.
    var phase: FilterPhase {
        switch self {
        case .request: .requestBody
        case .response: .responseBody
        case .message: .message
        case .command: .command
        case .connection: .connection
        }
    }
}
