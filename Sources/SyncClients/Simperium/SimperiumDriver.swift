public import Wire

/// What uses a session: told after every turn what happened, it says what to do next.
///
/// A value without clock or output of its own, as the session is.
public protocol SimperiumDriver: Sendable {
    /// Something happened.
    ///
    /// - Parameters:
    ///   - notices: What the session told in this turn, in order.
    ///   - session: As it is now.
    ///   - now: When.
    /// - Returns: What is to be done, in order; a turn follows unless it is empty.
    mutating func turn(
        _ notices: [SimperiumSession.Notice], _ session: SimperiumSession,
        at now: Instant
    ) -> [SimperiumAction]
}

/// What a driver does.
public enum SimperiumAction: Hashable, Sendable {
    /// An event of the session's.
    case event(SimperiumSession.Event)
    /// A turn is due at this moment, instead of the one asked for before.
    case wake(Instant)
    /// A line for the user.
    case print(String)
    /// A line for a person who looks on.
    case say(String)
    /// The work is over; nothing after this is done.
    case finish(SimperiumOutcome)
}

/// How the work of a driver ended.
public enum SimperiumOutcome: Hashable, Sendable {
    /// Well.
    case done
    /// What was checked does not hold.
    case failed(String)
    /// It is to be tried later; what was asked for is kept.
    case later(String)
    /// The server refused it for good.
    case refused(String)
    /// There is no server.
    case unreachable(String)
}
