internal import Notation
public import Replaying
internal import Synchronization

/// Plays a recorded session to a live server, as one client or as several at once.
public final class ReplayLoad: Sendable {
    /// Why it ended.
    public enum End: Hashable, Sendable {
        /// Everything was played.
        case played
        /// No connection could be opened; with the reason as text.
        case unreachable(String)
        /// Its time was over.
        case timeOver
        /// It was stopped.
        case stopped
    }

    private struct State {
        var work: Task<Void, Never>?
        var end: End?
    }

    private let session: ReplaySession
    private let target: ReplayTarget
    private let rate: StartRate?
    private let bound: Int64?
    private let clock: ReplayClock
    private let makePlayer: @Sendable (ReplayTarget) -> any StepPlayer
    private let state = Mutex(State())

    /// What was done so far.
    public let tally = ReplayTally()

    /// A replay that has not begun.
    ///
    /// - Parameters:
    ///   - session: What was recorded.
    ///   - target: The live server, the number of clients and the seed.
    ///   - rate: Exchanges, sockets, commands and messages that begin in a second, all clients
    ///     together; nil without a bound.
    ///   - bound: Nanoseconds after which it ends; nil without a bound.
    ///   - clock: Passes the time.
    ///   - makePlayer: Makes what plays the steps of one client, whose number and seed are set.
    public init(
        _ session: ReplaySession, to target: ReplayTarget, rate: Double? = nil,
        bound: Int64? = nil, clock: ReplayClock = .system,
        makePlayer: @escaping @Sendable (ReplayTarget) -> any StepPlayer
    ) {
        self.session = session
        self.target = target
        self.rate = rate.map { StartRate(perSecond: $0) }
        self.bound = bound
        self.clock = clock
        self.makePlayer = makePlayer
    }

    /// Plays it; once.
    ///
    /// - Returns: Why it ended; the results are in ``tally``.
    public func run() async -> End {
        let work = Task { await self.playAll() }
        let isStopped = state.withLock { state in
            state.work = work
            return state.end != nil
        }
        if isStopped { work.cancel() }
        let timer = bound.map { bound in
            Task { if await clock.sleep(bound) { end(.timeOver) } }
        }
        await withTaskCancellationHandler {
            await work.value
        } onCancel: {
            stop()
        }
        timer?.cancel()
        return state.withLock { $0.end } ?? .played
    }

    /// Ends it; what is in progress is cut off.
    public func stop() { end(.stopped) }

    private func end(_ reason: End) {
        let work = state.withLock { state in
            state.end = state.end ?? reason
            return state.work
        }
        work?.cancel()
    }

    private func playAll() async {
        await withDiscardingTaskGroup { group in
            for number in 1...max(1, target.clients) {
                guard !Task.isCancelled else { break }
                var target = target.numbered(number)
                target.seed = Self.seed(target.seed, number)
                let client = ReplayedClient(
                    session, to: target, rate: rate, tally: tally, clock: clock,
                    makePlayer: makePlayer)
                group.addTask {
                    do throws(ReplayedClient.Unreachable) {
                        try await client.run()
                    } catch {
                        self.end(.unreachable(error.reason))
                    }
                }
            }
        }
    }

    /// The seed of one client (SplitMix64).
    private static func seed(_ seed: UInt64, _ number: Int) -> UInt64 {
        guard number > 1 else { return seed }
        return SplitMix64.mixed(seed &+ UInt64(number) &* SplitMix64.step)
    }
}
