public import Wire

/// An event of a replayed Simperium server.
public enum SimperiumReplayEvent: Hashable, Sendable {
    /// A client opened a WebSocket; its number is the shell's.
    case opened(socket: Int)
    /// A command came, out of any SockJS frame.
    case received(socket: Int, text: [UInt8])
    /// The WebSocket ended.
    case closed(socket: Int)
    /// All clients are silent, and have been for a while: who is not there yet is not waited for.
    case nothingCame
}

/// What a replayed Simperium server does.
public enum ReplayCommand: Hashable, Sendable {
    /// A command is sent.
    case send(Sending)
    /// The server closes the WebSocket, as it did.
    case close(socket: Int, code: Int?, due: Instant)
    /// A command has no counterpart; the replay continues.
    case report(SimperiumMiss)
    /// A model answers for a bucket from now on; nothing is to be done.
    case handOver(SimperiumHandOver)
    /// A command has no counterpart; nothing follows.
    case stop(SimperiumMiss)

    /// A command on its way to a client.
    public struct Sending: Hashable, Sendable {
        /// The WebSocket, as the shell numbers it.
        public var socket: Int
        /// The command, with the identifiers of the live client.
        public var text: [UInt8]
        /// The recorded command; nil for the answer to a heartbeat.
        public var recorded: CommandID?
        /// When that was recorded.
        public var recordedAt: Instant?
        /// When it is due at the pace of the replay; never before what went before on its channel.
        public var due: Instant
    }
}
