internal import NIOCore
internal import Platform
internal import Serving
internal import Storage
internal import Synchronization

/// Serialises the requests of all connections to the CommCare server on a separate thread, so that
/// a large restore does not delay WebSockets.
final class CommCareService: Sendable {
    private let state: Mutex<State>
    private let loop: any EventLoop
    private let notice: @Sendable (String) -> Void

    /// A request and the receiver of its answer.
    private struct Held {
        var request: ServedRequest
        var promise: EventLoopPromise<ServedAnswer?>
    }

    /// What only the service's thread touches.
    private struct State {
        /// Nil once it has ended.
        var server: KeptCommCareServer?
        /// Released after the server's connection to it.
        var file: ServerState?
        /// Whether it was reported that the file cannot be written.
        var isFailing = false
        var random = SystemRandomNumberGenerator()
        /// Requests whose answer is a 202 that the client does not support, until it is another.
        var held: [Held] = []
        /// Restores that were done when those were last polled.
        var finished = 0
        /// Whether the next slice of a restore has its place among what the thread does.
        var isWorking = false
        /// Whether a check for restores that are not fetched is scheduled.
        var isTidying = false
    }

    /// How long other requests wait for a slice of a restore.
    private static let slice = TimeAmount.milliseconds(2)

    /// A service with what the state file has; in memory without one.
    ///
    /// - Parameters:
    ///   - options: How the server behaves.
    ///   - accounts: The accepted users.
    ///   - file: What is kept.
    ///   - loop: A separate thread.
    ///   - initial: What there is from the start.
    ///   - notice: Receives errors, as text.
    /// - Throws: ``SyncServerError`` where the state file cannot be read.
    init(
        _ options: CommCareServer.Options, _ accounts: Accounts, _ file: ServerState?,
        _ loop: any EventLoop, initial: InitialState? = nil,
        notice: @escaping @Sendable (String) -> Void
    ) throws(SyncServerError) {
        self.loop = loop
        self.notice = notice
        do throws(StorageFault) {
            let connection = try file.map { file throws(StorageFault) in try file.connect() }
            var empty = CommCareServer(options: options, accounts: accounts)
            empty.holdsBack = true
            let server = try KeptCommCareServer(
                empty, connection, initial: initial, now: Int64(time(nil)))
            state = Mutex(State(server: server, file: file))
        } catch {
            throw ServerState.error(error, file?.path ?? "")
        }
    }

    /// Has a request answered; with nil where the path is not one of CommCare's.
    ///
    /// A client that does not support the 202 waits for its restore instead.
    func answer(_ request: ServedRequest, _ promise: EventLoopPromise<ServedAnswer?>) {
        loop.execute { [self] in
            take([Held(request: request, promise: promise)], isAgain: false)
            goOn()
        }
    }

    /// The forms and cases of a project, sorted by identifier.
    func filed(domain: String) -> (forms: [HeldForm], cases: [HeldCase]) {
        state.withLock { $0.server?.filed(domain: domain) ?? ([], []) }
    }

    private func take(_ asked: [Held], isAgain: Bool) {
        for one in asked {
            let answer = answer(one.request, isAgain: isAgain)
            if answer?.status == 202, !CommCareServer.knowsPending(one.request) {
                state.withLock { $0.held.append(one) }
            } else {
                one.promise.succeed(answer)
            }
        }
    }

    private func answer(_ request: ServedRequest, isAgain: Bool) -> ServedAnswer? {
        state.withLock { state in
            let answer = state.server?.answer(
                request, now: Int64(time(nil)), random: &state.random, isAgain: isAgain)
            let fault = state.server?.fault
            // Once, not for each device that tries again.
            if let fault, !state.isFailing {
                notice(
                    "cannot write the state file: \(fault); CommCare requests that have to be "
                        + "kept are answered with 503; make room")
            }
            state.isFailing = fault != nil
            return answer
        }
    }

    /// Polls again for those whose answers are held.
    private func askAgain() {
        take(
            state.withLock { state in
                defer { state.held = [] }
                return state.held
            }, isAgain: true)
    }

    /// Whether restores were completed or dropped since the last call.
    private func hasNews() -> Bool {
        state.withLock { state in
            let finished = state.server?.finishedRestores ?? 0
            defer { state.finished = finished }
            return finished != state.finished
        }
    }

    /// Schedules the next slice of a restore after what waits by now.
    private func goOn() {
        while hasNews() { askAgain() }
        let (works, tidies) = state.withLock { state in
            let works = !state.isWorking && state.server?.hasWork == true
            let tidies = !state.isTidying && state.server?.hasRestores == true
            state.isWorking = state.isWorking || works
            state.isTidying = state.isTidying || tidies
            return (works, tidies)
        }
        if works { loop.execute { [self] in work() } }
        if tidies { _ = loop.scheduleTask(in: .seconds(10)) { [self] in tidy() } }
    }

    private func work() {
        state.withLock { state in
            let end = NIODeadline.now() + Self.slice
            repeat { state.server?.work(100) } while state.server?.hasWork == true && .now() < end
            state.isWorking = false
        }
        goOn()
    }

    private func tidy() {
        state.withLock { state in
            state.server?.tidy(now: Int64(time(nil)))
            state.isTidying = false
        }
        // So that they do not count as abandoned.
        askAgain()
        goOn()
    }

    /// Closes the state file; nothing is answered any more.
    func end(_ promise: EventLoopPromise<Void>) {
        loop.execute { [self] in
            let held = state.withLock { state in
                state.server = nil
                state.file = nil
                defer { state.held = [] }
                return state.held
            }
            for one in held {
                one.promise.succeed(.busy("The server ends; try again", retryAfter: 5))
            }
            promise.succeed()
        }
    }
}
