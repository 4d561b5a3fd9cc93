/// How the commands of a recorded socket travelled.
public struct RecordedTransport: Hashable, Sendable {
    /// What is around a command.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// One command per WebSocket message.
        case webSocket
        /// Commands in the frames of SockJS, over a WebSocket.
        case sockJS
    }

    /// What is around a command.
    public var kind: Kind
    /// Path of the request that opened it, without query.
    public var path: String
    /// Whether permessage-deflate was agreed on.
    public var isDeflated: Bool

    /// A transport with these values.
    public init(kind: Kind, path: String, isDeflated: Bool) {
        self.kind = kind
        self.path = path
        self.isDeflated = isDeflated
    }
}
