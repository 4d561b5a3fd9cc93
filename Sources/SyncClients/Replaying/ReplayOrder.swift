public import Replaying

/// The recorded order between the sockets and exchanges of a played client.
///
/// A command or message of one socket may have been sent because of what another one received, and
/// the answer to it may depend on what another one sent. Every socket reports what it received and
/// requests its turn; heartbeats and lines of logs are ignored. All functions may be called from
/// any thread, and return at once.
public protocol ReplayOrder: Sendable {
    /// Requests the turn of a recorded client command or message, when its own channel is ready to
    /// send it.
    ///
    /// - Parameters:
    ///   - step: The recorded command or message; each is requested once, or not at all.
    ///   - go: Called once, before this returns or later and from another thread: what had come
    ///     before it in the recording has come. The pause before it is not waited for here.
    func awaitTurn(_ step: ReplaySchedule.Step, go: @escaping @Sendable () -> Void)

    /// A command or message of the recorded server has its counterpart, or is no longer waited for;
    /// or an exchange was answered that opened a socket.
    func came(_ step: ReplaySchedule.Step)

    /// Counts what came and went anywhere in the played session.
    ///
    /// A counterpart is missing when nothing happened for as long as the patience: until then
    /// another socket may still do what it is the consequence of.
    var progress: Int { get }

    /// Counts a recorded pause as progress while it lasts; called repeatedly meanwhile.
    func pauses()
}
