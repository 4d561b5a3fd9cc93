internal import Synchronization

/// The state shared between the writer's thread and its users, apart from records.
final class WriterReport: Sendable {
    /// The reason for the end of the session.
    struct End: Sendable {
        var reason = "the program released it"
        var indexing: (@Sendable (Double) -> Bool)?
    }

    private struct State {
        var totals = TraceTotals()
        var failure: TraceError?
        var path: String?
        var end: End?
    }

    private let state = Mutex(State())

    var totals: TraceTotals { state.withLock { $0.totals } }

    var failure: TraceError? { state.withLock { $0.failure } }

    /// The current path of the trace; nil while it has not changed.
    var path: String? { state.withLock { $0.path } }

    /// The trace continues at `path`.
    func move(to path: String) { state.withLock { $0.path = path } }

    var end: End { state.withLock { $0.end ?? End() } }

    func count(_ change: (inout TraceTotals) -> Void) { state.withLock { change(&$0.totals) } }

    /// Keeps the first failure.
    func fail(_ error: TraceError) { state.withLock { $0.failure = $0.failure ?? error } }

    /// Sets the reason for the end of the session, unless it is set.
    func end(reason: String, indexing: (@Sendable (Double) -> Bool)?) {
        state.withLock { $0.end = $0.end ?? End(reason: reason, indexing: indexing) }
    }
}
