public import Wire

/// What uses a session: it receives the events of every turn and returns what to do next.
///
/// A value without clock or output, like the session.
public protocol SimperiumDriver: Sendable {
    /// Something happened.
    ///
    /// - Parameters:
    ///   - notices: The notices of the session in this turn, in order.
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
    /// A turn is due at this time, instead of the one requested before.
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
    /// Success.
    case done
    /// What was checked does not hold.
    case failed(String)
    /// It is to be tried later; the request is kept.
    case later(String)
    /// The server refused it permanently.
    case refused(String)
    /// There is no server.
    case unreachable(String)
}
