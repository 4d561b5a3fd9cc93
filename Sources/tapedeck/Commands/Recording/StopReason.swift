import Synchronization

/// Why a recording ended, if not by the user.
final class StopReason: Sendable {
    private let state = Mutex<Failure?>(nil)

    /// The failure that ended it.
    var failure: Failure? { state.withLock { $0 } }

    /// The same in words, for the trace.
    var detail: String? { failure?.detail }

    /// The first failure counts.
    func set(_ failure: Failure) {
        state.withLock { $0 = $0 ?? failure }
    }
}
