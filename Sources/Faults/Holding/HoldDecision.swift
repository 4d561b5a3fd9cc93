import Wire

/// What somebody decided about a held message.
public enum HoldDecision: Hashable, Sendable {
    /// It goes on as it is.
    case release
    /// Others go on in its place, in the form of ``HeldMessage/bytes``.
    case edit([UInt8])
    /// Nothing goes on; a connection of HTTP is closed then.
    case drop
    /// The sender gets these bytes, and the receiver nothing: a response to a request, the text of a
    /// command, the payload of a message.
    case answer([UInt8])
}

/// How a held message went on.
public enum HoldOutcome: String, Hashable, Sendable, CaseIterable {
    /// As it was.
    case released
    /// With others in its place.
    case edited
    /// Not at all.
    case dropped
    /// It was answered in the receiver's place.
    case answered
    /// As it was, since nobody decided in time.
    case expired
    /// Not at all, since a peer had left.
    case left
    /// It waited behind a held one.
    case behind

    func effect(on sender: Peer?) -> FaultEffect {
        switch self {
        case .released, .expired, .behind: .delayed
        case .edited: [.delayed, .altered]
        case .dropped, .left: .lost
        case .answered: sender == .server ? [.lost, .injected] : .answered
        }
    }
}
