/// The number of a row in the trace, typed by the kind of row.
///
/// Numbers start at 1 and are unique within one trace, over all its sessions.
public struct Identifier<Kind>: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The number as stored.
    public let rawValue: Int64

    /// The identifier with the number `rawValue`.
    public init(_ rawValue: Int64) { self.rawValue = rawValue }

    /// Whether `a` was given out before `b`.
    public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }

    /// The number in decimal.
    public var description: String { String(rawValue) }

    /// The identifier after this one.
    public var next: Self { Self(rawValue + 1) }
}

/// Marks the identifiers of sessions.
public enum SessionKind {}
/// Marks the identifiers of connections.
public enum ConnectionKind {}
/// Marks the identifiers of legs.
public enum LegKind {}
/// Marks the identifiers of chunks.
public enum ChunkKind {}
/// Marks the identifiers of exchanges.
public enum ExchangeKind {}
/// Marks the identifiers of WebSocket messages.
public enum MessageKind {}
/// Marks the identifiers of Simperium commands.
public enum CommandKind {}

/// Number of a session.
public typealias SessionID = Identifier<SessionKind>
/// Number of a connection.
public typealias ConnectionID = Identifier<ConnectionKind>
/// Number of a leg.
public typealias LegID = Identifier<LegKind>
/// Number of a chunk: its place in the order of arrival.
public typealias ChunkID = Identifier<ChunkKind>
/// Number of an exchange, in order of the first byte of the request.
public typealias ExchangeID = Identifier<ExchangeKind>
/// Number of a WebSocket message.
public typealias MessageID = Identifier<MessageKind>
/// Number of a Simperium command.
public typealias CommandID = Identifier<CommandKind>
