internal import Simperium
internal import Wire

/// What a replayed WebSocket carries.
enum SocketRole: Equatable {
    /// Simperium's commands.
    case simperium(SimperiumEndpoint.Transport)
    /// Something else, as over the socket that this exchange opened.
    case conversation(ExchangeID)

    /// Whether messages are in the frames of SockJS.
    var isSockJS: Bool { self == .simperium(.sockJS) }
}
