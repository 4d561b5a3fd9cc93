/// Whose conversation a decoded row belongs to.
///
/// The client's side is what the client sent and received, the server's what the server received and
/// sent. They differ only where Tapedeck changed something.
public enum Side: String, Hashable, Sendable, CaseIterable {
    /// The same on both sides.
    case both
    /// On the client's side alone.
    case client
    /// On the server's side alone.
    case server

    /// The side of one peer alone.
    public init(of peer: Peer) { self = peer == .client ? .client : .server }

    /// Whether a peer has what is on this side.
    public func isHad(by peer: Peer) -> Bool { self == .both || self == Side(of: peer) }
}

/// What became of what a peer sent on its way to the other.
public enum Fate: String, Hashable, Sendable, CaseIterable {
    /// It was received as it was sent.
    case same
    /// It was received with other contents, which the counterpart has.
    case altered
    /// It, or the answer to it, was not received.
    case lost
    /// It was received with the same contents, and later than it would have been.
    case late
    /// It was received again; the counterpart is what was received before.
    case repeated
    /// It, or the answer in it, was received and no peer sent it.
    case synthesized

    /// Whether a WebSocket message or a command with this fate is on one side alone, whatever its
    /// counterpart is.
    public var isOfOneSide: Bool {
        switch self {
        case .lost, .repeated, .synthesized: true
        case .same, .altered, .late: false
        }
    }
}
