/// Who made what a receiver got.
public enum Origin: String, Hashable, Sendable {
    /// The peer, and it came as it was sent.
    case peer
    /// The peer, and Tapedeck changed it on the way.
    case altered
    /// Tapedeck: the other peer never sent it.
    case tapedeck
    /// The peer, and nobody received it: a fault took it away.
    case lost
}
