/// The origin of what a receiver got.
public enum Origin: String, Hashable, Sendable {
    /// The peer, and it was received as it was sent.
    case peer
    /// The peer, and Tapedeck changed it on the way.
    case altered
    /// Tapedeck: the other peer never sent it.
    case tapedeck
    /// The peer, and it was not delivered: a fault dropped it.
    case lost
}
