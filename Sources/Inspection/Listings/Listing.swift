internal import Filters
internal import Synchronization
internal import Trace

/// The rows that a filter selects, in their order: an array that grows at its end.
///
/// For any thread.
final class Listing: Sendable {
    /// How far it is.
    struct Progress: Hashable, Sendable {
        /// The number of rows.
        var count = 0
        /// Whether all rows that there were at the beginning are in it.
        var isComplete = false
        /// Increases whenever rows are added or change.
        var changes = 0
        /// Why it does not go on; nil as long as it does.
        var problem: String?
    }

    private struct State {
        var places: [PackedPlace] = []
        var progress = Progress()
        /// Rows that were in it and changed, each with the number of that change.
        var changed: [(change: Int, place: PackedPlace)] = []
        /// Changes up to this one are no longer known one by one.
        var forgotten = 0
        var usedAt = ContinuousClock.now
        /// Those who wait for the first rows.
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    /// The most changed rows that are remembered.
    static let remembered = 1_000

    /// Its number.
    let id: Int
    /// Which rows; nil for all.
    let filter: Filter?
    /// Whose.
    let side: LineSide
    private let state = Mutex(State())

    init(id: Int, filter: Filter?, side: LineSide) {
        self.id = id
        self.filter = filter
        self.side = side
    }

    /// How far it is.
    var progress: Progress { state.withLock { $0.progress } }

    /// When somebody asked for it last.
    var usedAt: ContinuousClock.Instant { state.withLock { $0.usedAt } }

    /// Notes that somebody asked for it.
    func use() { state.withLock { $0.usedAt = .now } }

    /// Adds rows behind the others.
    func append(_ places: [LinePlace]) {
        guard !places.isEmpty else { return }
        state.withLock { state in
            state.places += places.map(PackedPlace.init)
            state.progress.count = state.places.count
            state.progress.changes += 1
        }
        endWaiting()
    }

    /// Notes that all rows of the beginning are in it.
    func complete() {
        state.withLock { state in
            state.progress.isComplete = true
            state.progress.changes += 1
        }
        endWaiting()
    }

    /// Notes that it does not go on.
    func fail(_ problem: String) {
        state.withLock { state in
            state.progress.problem = problem
            state.progress.isComplete = true
            state.progress.changes += 1
        }
        endWaiting()
    }

    /// Waits until it has rows or is complete, at most for `limit`.
    func begin(within limit: Duration) async {
        await withCheckedContinuation { continuation in
            let isBegun = state.withLock { state in
                if state.progress.count > 0 || state.progress.isComplete { return true }
                state.waiting.append(continuation)
                return false
            }
            guard !isBegun else {
                continuation.resume()
                return
            }
            Task {
                try? await Task.sleep(for: limit)
                endWaiting()
            }
        }
    }

    private func endWaiting() {
        let waiting = state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
        for each in waiting { each.resume() }
    }

    /// Notes that rows have other values now; nil for any of them.
    func change(_ places: [LinePlace]?) {
        state.withLock { state in
            state.progress.changes += 1
            let change = state.progress.changes
            guard let places else {
                state.forgotten = change
                state.changed = []
                return
            }
            state.changed += places.map { (change, PackedPlace($0)) }
            let excess = state.changed.count - Self.remembered
            if excess > 0 {
                state.forgotten = state.changed[excess - 1].change
                state.changed.removeFirst(excess)
            }
        }
    }

    /// The rows from a position on.
    func places(from first: Int, count: Int) -> [LinePlace] {
        state.withLock { state in
            guard first < state.places.count else { return [] }
            return state.places[first..<min(state.places.count, first + count)].map(\.place)
        }
    }

    /// The position of a row; nil where it is not among them.
    func position(of place: LinePlace) -> Int? {
        let wanted = PackedPlace(place)
        return state.withLock { $0.places.firstIndex(of: wanted) }
    }

    /// The rows that changed after `change`; nil where any may have.
    func changed(after change: Int) -> [LinePlace]? {
        state.withLock { state in
            guard change >= state.forgotten else { return nil }
            return state.changed.filter { $0.change > change }.map(\.place.place)
        }
    }
}

/// A place in 8 bytes: a listing may have millions.
struct PackedPlace: Hashable, Sendable {
    private let value: Int64

    init(_ place: LinePlace) {
        let kind: Int64 =
            switch place.subject {
            case .exchange: 0
            case .command: 1
            case .message: 2
            }
        value = place.id &* 4 &+ kind
    }

    var place: LinePlace {
        let subject: FilterSubject =
            switch value & 3 {
            case 0: .exchange
            case 1: .command
            default: .message
            }
        return LinePlace(subject, value >> 2)
    }
}
