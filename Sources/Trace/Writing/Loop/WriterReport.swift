internal import Synchronization

/// What the writer's thread and those who use it tell each other, apart from records.
final class WriterReport: Sendable {
    /// How the session is to end.
    struct End: Sendable {
        var reason = "the program let go of it"
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

    /// Where the trace is by now; nil while it is where it began.
    var path: String? { state.withLock { $0.path } }

    /// The trace goes on at `path`.
    func move(to path: String) { state.withLock { $0.path = path } }

    var end: End { state.withLock { $0.end ?? End() } }

    func count(_ change: (inout TraceTotals) -> Void) { state.withLock { change(&$0.totals) } }

    /// Keeps the first failure.
    func fail(_ error: TraceError) { state.withLock { $0.failure = $0.failure ?? error } }

    /// Says how the session ends, unless somebody did.
    func end(reason: String, indexing: (@Sendable (Double) -> Bool)?) {
        state.withLock { $0.end = $0.end ?? End(reason: reason, indexing: indexing) }
    }
}
