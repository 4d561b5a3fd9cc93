/// Which directions of a leg are over.
///
/// Each side ends its own (RFC 9293, section 3.6); a connection that is gone has ended both, and
/// nothing follows that.
enum LegEnds {
    case neither
    /// The peer sends no more, and can still be sent to.
    case peer
    /// The peer gets no more, and can still send.
    case relay
    case both
    case closed

    /// Whether the peer sends no more.
    var isPeerOver: Bool { self == .peer || self == .both || self == .closed }

    /// Whether the peer gets no more.
    var isRelayOver: Bool { self == .relay || self == .both || self == .closed }

    /// The peer ended its direction.
    ///
    /// - Returns: Whether it had not before.
    mutating func endPeer() -> Bool {
        switch self {
        case .neither: self = .peer
        case .relay: self = .both
        case .peer, .both, .closed: return false
        }
        return true
    }

    /// The relay ends its direction.
    ///
    /// - Returns: Whether it had not before.
    @discardableResult
    mutating func endRelay() -> Bool {
        switch self {
        case .neither: self = .relay
        case .peer: self = .both
        case .relay, .both, .closed: return false
        }
        return true
    }

    /// The connection is gone.
    ///
    /// - Returns: Whether it was not before.
    mutating func close() -> Bool {
        guard self != .closed else { return false }
        self = .closed
        return true
    }
}
