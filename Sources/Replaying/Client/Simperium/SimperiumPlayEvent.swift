public import Wire

/// An event of recorded Simperium clients that are played.
public enum SimperiumPlayEvent: Hashable, Sendable {
    /// The live socket of a recorded one can be written to.
    case opened(ConnectionID)
    /// The live server sent a command, outside of any SockJS frame.
    case received(ConnectionID, [UInt8])
    /// The live socket ended, or could not be opened.
    case closed(ConnectionID, code: Int?, reason: String)
    /// A client command that ``SimperiumPlayCommand/askTurn(_:)`` named may go out.
    case turn(CommandID)
    /// Time passed; with it what the order of several sockets has counted so far.
    case timePassed(progress: Int)
    /// A recorded socket is not played, or no longer.
    case abandoned(ConnectionID)
}

/// What played Simperium clients do.
public enum SimperiumPlayCommand: Hashable, Sendable {
    /// A command is sent.
    case send(ConnectionID, [UInt8])
    /// The turn of a recorded client command is requested, where there is an order.
    case askTurn(CommandID)
    /// A recorded server command arrived, or is no longer waited for.
    case came(CommandID)
    /// The live socket is closed by this side.
    case close(ConnectionID)
    /// The socket is played; ``SimperiumPlay/played(_:)`` has its result.
    case finished(ConnectionID)
    /// ``SimperiumPlayEvent/timePassed(progress:)`` is due at this time; it takes the place of the
    /// one before.
    case setTimer(Instant)
}

extension SimperiumPlay {
    /// How a session is played.
    public struct Settings: Sendable {
        /// Whether exactly the recorded commands are sent.
        public var isVerbatim = false
        /// How fast recorded pauses pass.
        public var pace = ReplayPace.asFastAsPossible
        /// Nanoseconds after which something that the recorded client waited for is missing.
        public var patience: Int64 = 10_000_000_000
        /// Nanoseconds of the server's silence after which a heartbeat is sent.
        public var idle: Int64 = 20_000_000_000
        /// What takes no part in comparing; rules for JSON count.
        public var rules: [IgnoreRule] = []
        /// Whether the user keeps the recorded name on the live server.
        public var comparesUsers = true
        /// Whether others play the same session on the same server, so that new objects need
        /// distinct keys and changes of others are expected.
        public var isOneOfSeveral = false
        /// Whether the turn of each client command is requested.
        public var hasOrder = false

        /// The usual settings.
        public init() {}
    }

    /// Where the names of a played client are kept, which it may share with its requests over HTTP.
    public struct Names: Sendable {
        /// The live name; nil where none is bound.
        public var live: @Sendable (ReplayIdentity.Kind, String) -> String?
        /// The live name, synthesized where there is none.
        public var fresh: @Sendable (ReplayIdentity.Kind, String) -> String
        /// Binds the last name to the one before.
        public var bind: @Sendable (ReplayIdentity.Kind, String, String) -> Void
        /// A name that looks like another one.
        public var make: @Sendable (String) -> String

        /// Names that are kept there.
        public init(
            live: @escaping @Sendable (ReplayIdentity.Kind, String) -> String?,
            fresh: @escaping @Sendable (ReplayIdentity.Kind, String) -> String,
            bind: @escaping @Sendable (ReplayIdentity.Kind, String, String) -> Void,
            make: @escaping @Sendable (String) -> String
        ) {
            self.live = live
            self.fresh = fresh
            self.bind = bind
            self.make = make
        }
    }
}
