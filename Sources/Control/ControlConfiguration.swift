public import Faults
public import Wire

/// The objects that a control interface controls, and its listening addresses.
public struct ControlConfiguration: Sendable {
    /// A loopback address.
    public struct Loopback: Hashable, Sendable {
        /// `127.0.0.1`, `::1` or `localhost`; anything else is refused.
        public var host: String
        /// The port; 0 asks for a free one.
        public var port: Int

        /// The address `host:port`.
        public init(host: String, port: Int) {
            self.host = host
            self.port = port
        }
    }

    /// A plan that is read again when one of its files changes.
    public struct PlanFiles: Sendable {
        /// The files, at least one.
        public var paths: [String]
        /// Composes the plan from those of the files, in their order.
        public var compose: @Sendable ([FaultPlan]) throws(FaultPlanError) -> FaultPlan

        /// The plan of the files at `paths`, combined by `compose`.
        public init(
            _ paths: [String],
            compose: @escaping @Sendable ([FaultPlan]) throws(FaultPlanError) -> FaultPlan
        ) {
            self.paths = paths
            self.compose = compose
        }
    }

    /// The rules at work.
    public var session: FaultSession
    /// The connections that are open.
    public var connections: @Sendable () async -> [ControlConnection]
    /// Carries out an action on one connection, or on all where nil; returns those that felt it.
    public var fire: @Sendable (Firing, ConnectionID?) async -> [ConnectionID]
    /// The messages that somebody has to decide about, oldest first.
    public var held: @Sendable () async -> [HeldMessage] = { [] }
    /// Carries out what was decided about a held message; returns whether it was held.
    public var decide: @Sendable (HeldMessage.ID, HoldDecision) async -> Bool = { _, _ in false }
    /// The clock of the session.
    public var now: @Sendable () -> Instant
    /// Writes a mark to the trace.
    public var mark: @Sendable (MarkRow) -> Void
    /// The plan's files; nil where the plan is in none.
    public var planFiles: PlanFiles?
    /// Where the Unix-domain socket is; nil for none.
    public var unixPath: String?
    /// Where to listen on loopback, with a token; nil for nowhere.
    public var loopback: Loopback?
    /// The maximum number of open connections on each of the two; others wait to be accepted.
    public var maximumConnections = 64
    /// Milliseconds that a client has for each head, each body after it, and each part of an answer
    /// that it reads, at least 1; then the connection is closed.
    public var idleMilliseconds: Int64 = 60_000
    /// Version of the program, for `/v1/health`.
    public var version: String
    /// Receives messages for the user: a plan that was reloaded, or could not be.
    public var notice: @Sendable (String) -> Void

    /// A configuration that listens nowhere yet and has no plan files.
    public init(
        session: FaultSession,
        connections: @escaping @Sendable () async -> [ControlConnection],
        fire: @escaping @Sendable (Firing, ConnectionID?) async -> [ConnectionID],
        now: @escaping @Sendable () -> Instant,
        mark: @escaping @Sendable (MarkRow) -> Void,
        version: String,
        notice: @escaping @Sendable (String) -> Void
    ) {
        self.session = session
        self.connections = connections
        self.fire = fire
        self.now = now
        self.mark = mark
        self.version = version
        self.notice = notice
    }
}
