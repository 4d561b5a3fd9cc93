internal import Glibc
internal import Simperium
internal import Synchronization

/// The state of both servers, shared by all connections.
final class SyncHub: Sendable {
    /// What the lock guards.
    private struct State {
        var commCare: CommCareServer
        var simperium = SimperiumServer()
        var outlets: [Int: SocketOutlet] = [:]
        var last = 0
        var random = SystemRandomNumberGenerator()
    }

    private let state: Mutex<State>

    /// Both servers without any data.
    init(_ options: CommCareServer.Options) {
        state = Mutex(State(commCare: CommCareServer(options: options)))
    }

    /// Seconds since 1970.
    private static var now: Int64 { Int64(time(nil)) }

    /// Answers an HTTP request.
    func answer(_ request: ServedRequest) -> ServedAnswer {
        state.withLock { state in
            state.commCare.answer(request, now: Self.now, random: &state.random)
                ?? state.simperium.answer(request, random: &state.random)
                ?? .text(404, "There is nothing at this path")
        }
    }

    /// Lets a socket in and gives it a number.
    func open(_ endpoint: SimperiumEndpoint, _ outlet: SocketOutlet) -> Int {
        state.withLock { state in
            state.last += 1
            state.outlets[state.last] = outlet
            state.simperium.open(state.last, app: endpoint.app)
            return state.last
        }
    }

    /// Takes a message from a socket and passes on what comes of it.
    func receive(_ message: [UInt8], from connection: Int) {
        state.withLock { state in
            let replies = state.simperium.receive(
                message, from: connection, random: &state.random)
            // Queued under the lock, so that all clients see changes in one order.
            for reply in replies { state.outlets[reply.connection]?.send(reply.text) }
        }
    }

    /// Forgets a socket.
    func close(_ connection: Int) {
        state.withLock { state in
            state.outlets[connection] = nil
            state.simperium.close(connection)
        }
    }
}
