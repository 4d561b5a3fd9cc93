internal import Synchronization

/// Why a server's certificate was not accepted, once that is known.
public final class ServerVerdict: Sendable {
    private let refusal = Mutex<String?>(nil)

    /// A verdict that is still to be given.
    public init() {}

    /// Why the certificate was not accepted, in a few words; nil where it was, or was not seen yet.
    public var reason: String? { refusal.withLock { $0 } }

    /// Sets the reason.
    func refuse(_ reason: String) { refusal.withLock { $0 = reason } }
}
