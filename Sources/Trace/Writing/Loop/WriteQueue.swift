internal import Dispatch
internal import Platform
internal import Synchronization
internal import Wire

/// The records that wait to be written, bounded by bytes and by time, and the sleep of the writer's
/// thread.
///
/// A commit has to follow its bytes within 50 ms, also when more arrives than can be written. So
/// the queue has room for no more than the writer writes in ``pace``, by its recent speed; a
/// producer that puts more has to stop reading, and unread bytes stay with their sender.
final class WriteQueue: Sendable {
    /// The next step of the writer's thread.
    enum Work {
        /// Write these.
        case records([Record])
        /// Nothing waits, or not long enough; do background work until then, in `DispatchTime`
        /// terms.
        case spare(until: UInt64)
        /// Write these, then end.
        case finish([Record])
    }

    /// Whether and how the writer's thread sleeps.
    private enum Sleep {
        case awake
        /// Wants to be woken by the first record.
        case idle
        /// Wants to be woken when the batch is large.
        case dozing
    }

    private struct State {
        var records: [Record] = []
        /// Bytes of records that wait or are being written.
        var bytes = 0
        /// Bytes of those that wait.
        var waiting = 0
        /// Bytes up to which there is room.
        var limit: Int
        /// When the first of the waiting records arrived.
        var since: UInt64 = 0
        /// When the last record arrived.
        var lastPut: UInt64 = 0
        var sleep = Sleep.awake
        var resumes: [@Sendable () -> Void] = []
        var flushes: [@Sendable () -> Void] = []
        var isFinishing = false
        var isClosed = false
        var refused: Int64 = 0
        /// Whether the writer is blocked and all of the budget may wait for it.
        var isHeld = false
        /// Whether the records that waited for it still exceed the usual amount.
        var isCatchingUp = false

        /// Bytes that are written at a time.
        var share: Int { limit / 2 }

        /// Bytes up to which there is room.
        func room(of budget: Int) -> Int { isHeld || isCatchingUp ? budget : limit }
    }

    private let state: Mutex<State>
    private let bell = DispatchSemaphore(value: 0)
    private let budget: Int

    /// Nanoseconds that a record waits for others before it is written; the rest of the 50 ms that
    /// a commit may take is for writing.
    private static let patience: UInt64 = 12_000_000
    /// Nanoseconds of writing that may wait or be running: half of it is written at a time, while the
    /// other half arrives.
    ///
    /// Each commit writes some ten pages again, the last ones of tables and indexes: the fewer commits,
    /// the less is written, and the older are the newest bytes that can be read.
    private static let pace = 14_000_000.0
    /// Nanoseconds without a record after which background work starts.
    private static let quiet: UInt64 = 50_000_000
    /// Room that there always is: one read.
    private static let least = 1 << 15

    /// A queue for `budget` bytes.
    init(budget: Int) {
        self.budget = budget
        // Little, since nobody knows yet how fast small records are written; it grows with the first.
        state = Mutex(State(limit: min(budget, 4 * Self.least)))
    }

    // MARK: Any thread

    /// Appends records; never blocks.
    ///
    /// - Returns: Whether there is room for more.
    func put(_ records: [Record]) -> Bool {
        guard !records.isEmpty else {
            return state.withLock { $0.bytes < $0.room(of: budget) }
        }
        let cost = records.reduce(0) { $0 + $1.cost }
        let (hasRoom, wakes) = state.withLock { state -> (Bool, Bool) in
            guard !state.isClosed else {
                state.refused += Int64(records.count)
                return (true, false)
            }
            state.lastPut = DispatchTime.now().uptimeNanoseconds
            if state.records.isEmpty { state.since = state.lastPut }
            state.records.append(contentsOf: records)
            state.bytes += cost
            state.waiting += cost
            let wakes =
                switch state.sleep {
                case .awake: false
                case .idle: true
                case .dozing: state.waiting >= state.share
                }
            if wakes { state.sleep = .awake }
            return (state.bytes < state.room(of: budget), wakes)
        }
        if wakes { bell.signal() }
        return hasRoom
    }

    /// Calls `resume` when a quarter of the room is free again.
    func whenRoom(_ resume: @escaping @Sendable () -> Void) {
        wake { state in
            guard !state.isClosed else { return false }
            state.resumes.append(resume)
            return true
        } otherwise: {
            resume()
        }
    }

    /// Calls `done` when all earlier records are written.
    func whenWritten(_ done: @escaping @Sendable () -> Void) {
        wake { state in
            guard !state.isClosed else { return false }
            state.flushes.append(done)
            return true
        } otherwise: {
            done()
        }
    }

    /// Makes the writer's thread end when everything is written.
    func finish() {
        wake { state in
            state.isFinishing = true
            return true
        } otherwise: {
        }
    }

    /// Whether nothing waits or is being written.
    var isEmpty: Bool { state.withLock { $0.bytes == 0 } }

    /// Records that arrived after the end.
    var refused: Int64 { state.withLock { $0.refused } }

    private func wake(
        _ change: (inout State) -> Bool, otherwise: () -> Void
    ) {
        let (isTaken, wakes) = state.withLock { state -> (Bool, Bool) in
            guard change(&state) else { return (false, false) }
            defer { state.sleep = .awake }
            return (true, state.sleep != .awake)
        }
        if wakes { bell.signal() }
        if !isTaken { otherwise() }
    }

    // MARK: The writer's thread

    /// Sleeps until there is something to write or `deadline` is reached.
    ///
    /// `deadline` is in nanoseconds of `DispatchTime`, nil where nothing else is to be done. With
    /// `spareWorkFrom`, `spare` is returned instead of sleeping when nothing arrived for a while,
    /// and from that time on in any case.
    func next(deadline: UInt64?, spareWorkFrom: UInt64? = nil) -> Work {
        while true {
            enum Step {
                case work(Work)
                case sleep(until: UInt64?)
            }
            let now = DispatchTime.now().uptimeNanoseconds
            callResumes()
            let step = state.withLock { state -> Step in
                if state.isFinishing { return .work(.finish(Self.takeAll(&state))) }
                if !state.records.isEmpty {
                    let due = state.since + Self.patience
                    if state.waiting >= state.share || now >= due
                        || !state.flushes.isEmpty && !state.isHeld
                    {
                        return .work(.records(Self.takeAll(&state)))
                    }
                    if let spareWorkFrom, now >= spareWorkFrom {
                        return .work(.spare(until: due))
                    }
                    state.sleep = .dozing
                    return .sleep(until: due)
                }
                if !state.flushes.isEmpty, !state.isHeld { return .work(.records([])) }
                let spare = spareWorkFrom.map { min($0, state.lastPut + Self.quiet) }
                if let spare, now >= spare { return .work(.spare(until: now + Self.patience)) }
                if let deadline, now >= deadline { return .work(.spare(until: now)) }
                state.sleep = .idle
                return .sleep(until: [deadline, spare].compactMap { $0 }.min())
            }
            switch step {
            case .work(let work): return work
            case .sleep(let until):
                if let until {
                    _ = bell.wait(timeout: DispatchTime(uptimeNanoseconds: until))
                } else {
                    bell.wait()
                }
                state.withLock { $0.sleep = .awake }
            }
        }
    }

    private static func takeAll(_ state: inout State) -> [Record] {
        let records = state.records
        state.records = []
        state.waiting = 0
        return records
    }

    /// Releases the room of written records and calls the waiters.
    ///
    /// `nanoseconds` is the time that writing them took; it decides how much may wait from now on.
    func release(_ cost: Int, after nanoseconds: UInt64) {
        state.withLock { state in
            state.bytes -= cost
            if state.bytes < state.limit { state.isCatchingUp = false }
            // Small batches measure the commit rather than the bytes.
            guard cost >= Self.least / 4, nanoseconds > 0 else { return }
            let able = Double(cost) / Double(nanoseconds) * Self.pace
            let smooth = (3 * Double(state.limit) + able) / 4
            state.limit = max(min(Self.least, budget), min(budget, Int(smooth)))
        }
        callResumes()
    }

    /// Nothing can be written for a while, and producers do not wait while the budget lasts.
    ///
    /// Later writes release their room then.
    func hold() { state.withLock { $0.isHeld = true } }

    /// Writing goes on.
    func resume() {
        state.withLock { state in
            guard state.isHeld else { return }
            (state.isHeld, state.isCatchingUp) = (false, true)
        }
    }

    /// Bytes that are written in one transaction, so that producers find room while the next is
    /// written.
    var share: Int { state.withLock { max(1 << 14, $0.share) } }

    /// Whether enough waits that spare work should stop.
    func isPressed(until deadline: UInt64) -> Bool {
        DispatchTime.now().uptimeNanoseconds >= deadline
            || state.withLock {
                $0.waiting >= $0.share || $0.isFinishing || !$0.flushes.isEmpty
            }
    }

    /// Calls the waiters for everything before them to be written.
    func callFlushes() {
        let flushes = state.withLock { state in
            guard state.records.isEmpty, !state.isHeld || state.isClosed else {
                return [@Sendable () -> Void]()
            }
            defer { state.flushes = [] }
            return state.flushes
        }
        for done in flushes { done() }
    }

    private func callResumes() {
        let resumes = state.withLock { state in
            guard state.bytes < state.room(of: budget) / 4 * 3 || state.isClosed else {
                return [@Sendable () -> Void]()
            }
            defer { state.resumes = [] }
            return state.resumes
        }
        for resume in resumes { resume() }
    }

    /// Accepts no more and releases all waiters.
    func close() {
        state.withLock { state in
            state.isClosed = true
            state.refused += Int64(state.records.count)
            state.records = []
        }
        callResumes()
        callFlushes()
    }
}
