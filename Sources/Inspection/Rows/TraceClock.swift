public import Trace
public import Wire

/// Times of all sessions of a trace on one line.
public struct TraceClock: Hashable, Sendable {
    private var starts: [SessionID: Int64] = [:]

    /// The times of these sessions, from the start of the first.
    public init(_ sessions: [SessionDetail]) {
        let first = sessions.map(\.startedUnixNanoseconds).min() ?? 0
        for session in sessions {
            starts[session.id] = session.startedUnixNanoseconds &- first
        }
    }

    /// Nanoseconds since the first session began.
    public func nanoseconds(_ at: Instant, in session: SessionID) -> Int64 {
        (starts[session] ?? 0) &+ at.nanoseconds
    }

    /// When a session began.
    public func start(of session: SessionID) -> Int64 { starts[session] ?? 0 }
}
