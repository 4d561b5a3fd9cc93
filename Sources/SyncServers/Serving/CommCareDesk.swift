internal import Glibc
internal import NIOCore
internal import Storage
internal import Synchronization

/// Where all connections meet the CommCare server: one request after the other, on a thread of
/// its own, so that a large restore keeps no WebSocket waiting.
final class CommCareDesk: Sendable {
    private let state: Mutex<State>
    private let loop: any EventLoop
    private let notice: @Sendable (String) -> Void

    /// What only the desk's thread touches.
    private struct State {
        /// Nil once it has ended.
        var server: KeptCommCareServer?
        /// Let go after the server's connection to it.
        var file: ServerState?
        /// Whether people were told that the file cannot be written.
        var isFailing = false
        var random = SystemRandomNumberGenerator()
    }

    /// A desk with what the state file has; in memory without one.
    ///
    /// - Parameters:
    ///   - options: How the server behaves.
    ///   - accounts: Who is let in.
    ///   - file: What is kept.
    ///   - loop: A thread that nobody else needs.
    ///   - notice: Told what went wrong, for people.
    /// - Throws: ``SyncServerError`` where the state file cannot be read.
    init(
        _ options: CommCareServer.Options, _ accounts: Accounts, _ file: ServerState?,
        _ loop: any EventLoop, notice: @escaping @Sendable (String) -> Void
    ) throws(SyncServerError) {
        self.loop = loop
        self.notice = notice
        do throws(StorageFault) {
            let connection = try file.map { file throws(StorageFault) in try file.connect() }
            let server = try KeptCommCareServer(
                CommCareServer(options: options, accounts: accounts), connection,
                now: Int64(time(nil)))
            state = Mutex(State(server: server, file: file))
        } catch {
            throw ServerState.error(error, file?.path ?? "")
        }
    }

    /// Has a request answered; with nil where the path is none of CommCare's.
    func answer(_ request: ServedRequest, _ promise: EventLoopPromise<ServedAnswer?>) {
        loop.execute { [self] in
            let answer = state.withLock { state in
                let answer = state.server?.answer(
                    request, now: Int64(time(nil)), random: &state.random)
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
            promise.succeed(answer)
        }
    }

    /// Lets go of the state file; nothing is answered any more.
    func end(_ promise: EventLoopPromise<Void>) {
        loop.execute { [self] in
            state.withLock { state in
                state.server = nil
                state.file = nil
            }
            promise.succeed()
        }
    }
}
