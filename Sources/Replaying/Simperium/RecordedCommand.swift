internal import Simperium
public import Wire

/// What is kept in memory of a recorded Simperium command; its text is fetched on demand.
public struct RecordedCommand: Hashable, Sendable {
    /// Its number in the trace.
    public var id: CommandID
    /// The connection it went over.
    public var socket: ConnectionID
    /// Who sent it.
    public var sender: Peer
    /// When its last byte arrived.
    public var at: Instant
    /// Its channel; nil for commands of the connection.
    public var channel: Int?
    /// Its name, as in ``SimperiumCommand/name``.
    public var name: String
    /// `ccid` or `ccids` of its changes; none for other commands.
    public var ccids: [String]

    /// A command with these values, as the trace has them.
    public init(
        id: CommandID, socket: ConnectionID, sender: Peer, at: Instant, channel: Int?,
        name: String, ccids: [String] = []
    ) {
        self.id = id
        self.socket = socket
        self.sender = sender
        self.at = at
        self.channel = channel
        self.name = name
        self.ccids = ccids
    }

    /// The command that `text` holds.
    public init(
        id: CommandID, socket: ConnectionID, sender: Peer, at: Instant, text: [UInt8]
    ) {
        let command = SimperiumCommand.parse(text, from: sender)
        var ccids: [String] = []
        if case .changes(let changes) = command.body { ccids = changes.flatMap(\.ccids) }
        self.init(
            id: id, socket: socket, sender: sender, at: at, channel: command.channel,
            name: command.name, ccids: ccids)
    }

    /// Whether it keeps the connection alive, or is a line of a log: these have no fixed order.
    var isFree: Bool { channel == nil && (name == "h" || name == "log" && sender == .client) }
}

/// A recorded WebSocket.
public struct RecordedSocket: Hashable, Sendable {
    /// How the server ended it.
    public struct End: Hashable, Sendable {
        /// Code of the close frame; nil where the connection was cut.
        public var code: Int?
        /// When.
        public var at: Instant

        /// An end with these values.
        public init(code: Int?, at: Instant) {
            self.code = code
            self.at = at
        }
    }

    /// The connection.
    public var id: ConnectionID
    /// How the server ended it; nil where the client did, or neither.
    public var end: End?
    /// When a fault ended it for the client, which the server had no part in; nil without one.
    public var brokenAt: Instant?

    /// A socket with these values.
    public init(id: ConnectionID, end: End? = nil, brokenAt: Instant? = nil) {
        self.id = id
        self.end = end
        self.brokenAt = brokenAt
    }

    /// How it ended for its client, unless by itself.
    var endForClient: End? { end ?? brokenAt.map { End(code: nil, at: $0) } }
}
