public import Wire

/// An exchange as a list for replay has it; its bytes are valid during the call only.
public struct ReplayExchangeRow {
    /// Its number.
    public let id: ExchangeID
    /// The connection.
    public let connection: ConnectionID
    /// What it is for.
    public let api: UnsafeRawBufferPointer
    /// Method as sent.
    public let method: UnsafeRawBufferPointer
    /// Host without port, in lower case.
    public let host: UnsafeRawBufferPointer
    /// TCP port.
    public let port: Int
    /// Path without query, as sent.
    public let path: UnsafeRawBufferPointer
    /// Query without question mark.
    public let query: UnsafeRawBufferPointer?
    /// Status of the final response.
    public let status: Int?
    /// When the request began, since the start of the first session.
    public let startedAt: Instant
    /// When the final response began.
    public let respondedAt: Instant?
    /// When the response ended.
    public let endedAt: Instant?
}

/// A Simperium command as a list for replay has it; its bytes are valid during the call only.
public struct ReplayCommandRow {
    /// Its number.
    public let id: CommandID
    /// The connection.
    public let socket: ConnectionID
    /// Who sent it.
    public let sender: Peer
    /// When its last byte arrived, since the start of the first session.
    public let at: Instant
    /// Channel; nil for commands of the connection.
    public let channel: Int?
    /// Name, or as sent.
    public let name: UnsafeRawBufferPointer
}

/// A WebSocket as a list for replay has it.
public struct ReplaySocketRow: Hashable, Sendable {
    /// The connection.
    public var connection: ConnectionID
    /// The exchange that opened it.
    public var exchange: ExchangeID
    /// Whether it carried Simperium.
    public var isSimperium: Bool
    /// Path of the request, without query.
    public var path: String
    /// Head of the response with which it began.
    public var head: [UInt8]
    /// When the response with which it began was received.
    public var openedAt: Instant
    /// When the server ended it; nil where the client did, or neither.
    public var endedAt: Instant?
    /// When a fault ended it for the client, where the server did not; nil without one.
    public var brokenAt: Instant?
    /// Code of the server's close message; nil without one.
    public var closeCode: Int?
}

/// A WebSocket message as a list for replay has it: neither ping nor pong.
public struct ReplayMessageRow: Hashable, Sendable {
    /// The kind of a message.
    public enum Kind: Hashable, Sendable {
        /// Text.
        case text
        /// Binary.
        case binary
        /// The end of the WebSocket; its code, where it has one.
        case close(code: Int?)
    }

    /// Its number.
    public var id: MessageID
    /// The exchange that opened the WebSocket.
    public var exchange: ExchangeID
    /// Who sent it.
    public var sender: Peer
    /// What it is.
    public var kind: Kind
    /// When its last byte arrived, since the start of the first session.
    public var at: Instant
}

/// One side of an exchange, as the trace keeps it.
public struct ReplaySide: Hashable, Sendable {
    /// Start line and fields, up to and with the empty line.
    public var head: [UInt8]
    /// The first bytes of the content after transfer and content coding.
    public var content: [UInt8]
    /// Size of all of that content in bytes.
    public var size: Int64
    /// Size of the content in bytes after transfer coding only.
    public var wireSize: Int64
    /// The content codings that were undone; empty without.
    public var coding: String
    /// Method of the request.
    public var method: String
    /// The outcome of the exchange, such as `complete` or `response-cut`.
    public var outcome: String
}

/// A WebSocket message of which the trace keeps the first bytes beside the chunks.
public struct ReplayMessagePlace: Hashable, Sendable {
    /// Its number.
    public var id: MessageID
    /// The connection.
    public var connection: ConnectionID
    /// The exchange that opened the WebSocket.
    public var exchange: ExchangeID
    /// Who sent it.
    public var sender: Peer
    /// Bytes of its payload, unmasked and inflated.
    public var size: Int64
    /// Whether it is compressed.
    public var isCompressed: Bool
    /// The chunk with its first byte.
    public var chunk: ChunkID
    /// Offset of that in the chunk.
    public var offset: Int
    /// Whose conversation it belongs to.
    public var side: Side
}
