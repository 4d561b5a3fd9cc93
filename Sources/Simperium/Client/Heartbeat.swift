public import Wire

/// Keeps a connection alive and detects when it is lost.
///
/// One per socket, whatever the number of channels. Source: Simperium/Specification.md#heartbeats:
/// one is sent after 20 s of idle time, with the server's number plus one, and answered at once.
public struct Heartbeat: Hashable, Sendable {
    /// What is to be done.
    public enum Command: Hashable, Sendable {
        /// To be sent; it has no channel.
        case send(SimperiumMessage)
        /// The server does not answer: close the socket and open another.
        case reconnect
        /// ``timePassed(at:)`` is due at this time.
        case setTimer(Instant)
    }

    /// Nanoseconds of the server's silence after which a heartbeat is sent.
    ///
    /// What the client sends does not count: it shows nothing about the other side.
    public let idle: Int64
    /// Nanoseconds that the answer may take.
    public let patience: Int64
    /// The number of the next heartbeat.
    public private(set) var next: Int64 = 0

    private var lastHeard: Instant
    private var sentAt: Instant?

    /// A heartbeat of a socket that opened at `now`.
    public init(
        at now: Instant, idle: Int64 = 20_000_000_000, patience: Int64 = 10_000_000_000
    ) {
        self.idle = max(1, idle)
        self.patience = max(1, patience)
        lastHeard = now
    }

    /// When ``timePassed(at:)`` is due next.
    public var deadline: Instant {
        if let sentAt { return Instant(nanoseconds: sentAt.nanoseconds + patience) }
        return Instant(nanoseconds: lastHeard.nanoseconds + idle)
    }

    /// A message was received; any shows that the server is alive.
    public mutating func received(_ message: SimperiumMessage, at now: Instant) {
        lastHeard = max(lastHeard, now)
        sentAt = nil
        if case .heartbeat(let count) = message.body { next = count < .max ? count + 1 : 0 }
    }

    /// Time passed.
    ///
    /// - Parameter now: Never earlier than in the call before.
    /// - Returns: What is to be done.
    public mutating func timePassed(at now: Instant) -> [Command] {
        guard now >= deadline else { return [.setTimer(deadline)] }
        guard sentAt == nil else { return [.reconnect] }
        sentAt = now
        return [.send(SimperiumMessage(nil, .heartbeat(next))), .setTimer(deadline)]
    }
}
