public import Replaying
internal import Synchronization

/// The identity of a played client, as its exchanges and its sockets have it in common.
public final class SharedIdentity: Sendable {
    private let identity: Mutex<ReplayIdentity>

    /// Shares an identity.
    public init(_ identity: ReplayIdentity) { self.identity = Mutex(identity) }

    /// Reads or changes the identity with exclusive access.
    public func withLock<Value: Sendable>(
        _ work: (inout ReplayIdentity) -> Value
    ) -> Value {
        identity.withLock { work(&$0) }
    }
}
