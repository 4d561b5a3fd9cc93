internal import Synchronization

/// Judgements of certificates that are under way, which take place outside of the event loops of their
/// connections.
final class PendingVerdicts: Sendable {
    private struct State {
        var count = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// A judgement begins.
    func begin() { state.withLock { $0.count += 1 } }

    /// A judgement has been handed over.
    func end() {
        let waiting = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            state.count -= 1
            guard state.count == 0 else { return [] }
            defer { state.waiting = [] }
            return state.waiting
        }
        for each in waiting { each.resume() }
    }

    /// Returns once none is under way.
    func settled() async {
        await withCheckedContinuation { done in
            let isSettled = state.withLock { state in
                if state.count > 0 { state.waiting.append(done) }
                return state.count == 0
            }
            if isSettled { done.resume() }
        }
    }
}
