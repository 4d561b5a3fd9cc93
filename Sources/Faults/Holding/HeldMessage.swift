public import Framing
public import Wire

/// A message that waits for somebody to decide about it.
public struct HeldMessage: Hashable, Sendable {
    /// Its number among all that one ``FaultSession`` holds, from 1.
    public struct ID: Hashable, Sendable, Comparable, CustomStringConvertible {
        /// The number.
        public let rawValue: Int64

        /// The identifier with this number.
        public init(_ rawValue: Int64) { self.rawValue = rawValue }

        /// The identifier as somebody names it: `h3`.
        public var description: String { "h\(rawValue)" }

        /// Orders by number.
        public static func < (left: ID, right: ID) -> Bool { left.rawValue < right.rawValue }
    }

    /// What is held.
    public enum Content: Hashable, Sendable {
        /// A request.
        case request(HTTPHead)
        /// The response to a request.
        case response(HTTPHead, to: HTTPHead)
        /// A Simperium command, where it belongs, and the object it names.
        case command(channel: Int?, bucket: String?, key: String?)
        /// A message of a WebSocket that is no command, and whether it is text.
        case message(isText: Bool)
    }

    /// The identifier.
    public let id: ID
    /// The connection.
    public let connection: ConnectionID
    /// Who sent it.
    public let sender: Peer
    /// What it is.
    public let content: Content
    /// What the receiver would get, with what other rules changed: the whole message of HTTP as it is
    /// framed, the text of a command, the payload of a message.
    public let bytes: [UInt8]
    /// The rule that holds it.
    public let firing: Firing
    /// Since when.
    public let at: Instant
    /// When it goes on by itself.
    public let until: Instant
    /// How it stands in its frames, where it waits behind the gate of a WebSocket.
    public let frame: AskedFrame?
    /// The number of its exchange on the connection, from 1; 0 for a message of a WebSocket.
    let exchange: Int

    /// After how many nanoseconds a message goes on by itself where its rule does not say.
    public static let patienceNanoseconds: Int64 = 300_000_000_000

    init(
        id: ID, connection: ConnectionID, sender: Peer, content: Content, bytes: [UInt8],
        firing: Firing, at: Instant, exchange: Int = 0, frame: AskedFrame? = nil
    ) {
        self.frame = frame
        self.exchange = exchange
        self.id = id
        self.connection = connection
        self.sender = sender
        self.content = content
        self.bytes = bytes
        self.firing = firing
        self.at = at
        until = at.later(by: firing.action.duration("for") ?? Self.patienceNanoseconds)
    }

    /// The statement of how it went on.
    ///
    /// - Parameters:
    ///   - outcome: How it went on.
    ///   - at: When.
    ///   - position: The place of a command in its message, from 0.
    /// - Returns: The row.
    public func row(_ outcome: HoldOutcome, at: Instant, position: Int = 0) -> FaultRow {
        var arguments = firing.action.arguments
        arguments["outcome"] = .text(outcome.rawValue)
        return Firing(
            rule: firing.rule, action: FaultAction(.hold, arguments), scope: firing.scope,
            occurrence: firing.occurrence, draw: firing.draw
        ).row(at: at, connection: connection, sender: sender, position: position, hasTaken: true)
    }
}
