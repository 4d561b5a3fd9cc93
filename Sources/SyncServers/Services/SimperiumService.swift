internal import NIOCore
internal import Serving
internal import Simperium
internal import Storage
internal import Synchronization

/// Where all connections meet the Simperium server: one turn after the other, so that every
/// client sees the changes of a bucket in one order.
///
/// What a turn changed is on the disk before any client is sent it. Where that fails, nothing is
/// sent, all clients are disconnected, and the server continues from what is on the disk: clients
/// reconnect and resend what was not acknowledged.
final class SimperiumService: Sendable {
    /// Messages of one connection in one turn.
    private static let messages = 32

    /// What happens.
    enum Event: Sendable {
        case opened(SocketLine)
        case closed(SocketLine)
        case ready(SocketLine)
        case request(ServedRequest, EventLoopPromise<ServedAnswer?>)
        case ask(AdminQuestion, EventLoopPromise<ServedAnswer>)
        case end(EventLoopPromise<Void>)
    }

    /// What only the service's thread touches.
    private struct State {
        var server: SimperiumServer?
        var store: SimperiumStore?
        /// Released after the store's connection to it.
        var file: ServerState?
        var isEnded = false
        var lines: [Int: SocketLine] = [:]
        var admin = AdminState()
        var random = SystemRandomNumberGenerator()
    }

    /// What times the heartbeats of SockJS, and pings.
    let heartbeats: Heartbeats
    private let state: Mutex<State>
    private let accounts: Accounts
    private let behavior: SimperiumServer.Behavior
    private let loop: any EventLoop
    private let notice: @Sendable (String) -> Void
    private let last = Atomic<Int>(0)
    /// Set once, right after this object is made.
    private let turns = Mutex<Turns<Event>?>(nil)

    /// A service with what the state file has; in memory without one.
    ///
    /// - Parameters:
    ///   - accounts: The accepted users.
    ///   - file: What is kept.
    ///   - loop: A separate thread.
    ///   - heartbeats: What times the heartbeats of SockJS.
    ///   - initial: What there is from the start.
    ///   - behavior: What the server does now and then.
    ///   - notice: Receives errors, as text.
    /// - Throws: ``SyncServerError`` where the state file cannot be read.
    init(
        _ accounts: Accounts, _ file: ServerState?, _ loop: any EventLoop,
        _ heartbeats: Heartbeats = .timed, initial: InitialState? = nil,
        behavior: SimperiumServer.Behavior = .init(),
        notice: @escaping @Sendable (String) -> Void
    ) throws(SyncServerError) {
        self.accounts = accounts
        self.behavior = behavior
        self.loop = loop
        self.heartbeats = heartbeats
        self.notice = notice
        var state = State()
        state.file = file
        do throws(StorageFault) {
            state.store = try file.map { file throws(StorageFault) in
                try SimperiumStore(try file.connect())
            }
            var server = try Self.load(accounts, behavior, state.store, &state.random)
            if let initial {
                server.begin(with: initial)
                try state.store?.begin(with: initial, of: server)
            }
            state.server = server
        } catch {
            throw ServerState.error(error, file?.path ?? "")
        }
        self.state = Mutex(state)
        let turns = Turns<Event>(loop) { [weak self] in self?.work($0) }
        self.turns.withLock { $0 = turns }
    }

    private static func load(
        _ accounts: Accounts, _ behavior: SimperiumServer.Behavior, _ store: SimperiumStore?,
        _ random: inout SystemRandomNumberGenerator
    ) throws(StorageFault) -> SimperiumServer {
        var server = SimperiumServer(accounts: accounts, behavior: behavior)
        server.seed(&random)
        try store?.load(into: &server)
        return server
    }

    // MARK: From any thread

    /// Registers a socket and assigns its number.
    func open(_ endpoint: SimperiumEndpoint, _ outlet: any SocketOutlet) -> SocketLine {
        let number = last.wrappingAdd(1, ordering: .relaxed).newValue
        let line = SocketLine(
            number, endpoint, outlet, left: { [weak self] in self?.add(.closed($0)) },
            list: { [weak self] in self?.add(.ready($0)) })
        add(.opened(line))
        return line
    }

    /// Something happens.
    func add(_ event: Event) { turns.withLock { $0 }?.add(event) }

    /// The objects of all buckets of an application with this name, sorted by key.
    func objects(app: String, bucket: String) -> [HeldObject] {
        state.withLock { state in
            let buckets = state.server?.model.buckets ?? [:]
            return buckets.filter { $0.key.app == app && $0.key.name == bucket }.flatMap {
                $0.value.contents.map { object in
                    HeldObject(
                        key: object.key, isRemoved: object.isRemoved,
                        versions: object.versions.map(\.data))
                }
            }.sorted { $0.key < $1.key }
        }
    }

    // MARK: A turn

    private func work(_ events: [Event]) {
        state.withLock { state in
            if state.server == nil, !state.isEnded {
                state.server = try? Self.load(accounts, behavior, state.store, &state.random)
            }
            // The only copy, so that changing it copies nothing.
            guard let server = state.server.take() else { return fail(events, &state) }
            var turn = SimperiumTurn(server: consume server)
            var again: [SocketLine] = []
            for event in events {
                switch event {
                case .opened(let line):
                    state.lines[line.number] = line
                    turn.server.open(line.number, app: line.endpoint.app)
                case .closed(let line):
                    state.lines[line.number] = nil
                    state.admin.forget(line.number)
                    turn.server.close(line.number)
                case .ready(let line):
                    if receive(line, &turn, &state.random) { again.append(line) }
                case .request(let request, let promise):
                    let answer = turn.server.answer(request, random: &state.random)
                    turn.answers.append((promise, answer))
                case .ask(let question, let promise):
                    state.admin.ask(question, promise, &turn, state.lines, loop)
                case .end(let promise):
                    for line in state.lines.values { line.end(1001, "The server ends") }
                    turn.ends.append(promise)
                }
            }
            let records = turn.server.records
            turn.server.records = []
            do {
                try state.store?.write(records, of: turn.server)
            } catch {
                notice(
                    "cannot write the state file: \(error); nothing was sent to clients, which are "
                        + "disconnected and will send again; make room")
                return fail(events, &state)
            }
            let reports = turn.server.reports
            turn.server.reports = []
            for reply in turn.replies { state.lines[reply.connection]?.send(reply) }
            for (promise, answer) in turn.answers { promise.succeed(answer) }
            state.admin.take(reports, turn.server, state.lines)
            state.server = turn.server
            for line in again { add(.ready(line)) }
            guard !turn.ends.isEmpty else { return }
            state.isEnded = true
            state.server = nil
            state.store = nil
            state.file = nil
            for promise in turn.ends { promise.succeed() }
        }
    }

    /// Works off some messages of a connection.
    ///
    /// - Returns: Whether there may be more.
    private func receive(
        _ line: SocketLine, _ turn: inout SimperiumTurn,
        _ random: inout SystemRandomNumberGenerator
    ) -> Bool {
        var size = 0
        for _ in 0..<Self.messages {
            // What a turn answers waits for its end.
            guard size < SocketLine.eager else { return true }
            guard let message = line.take() else { return false }
            let replies = turn.server.receive(message, from: line.number, random: &random)
            for reply in replies where reply.connection == line.number { size += reply.body.count }
            turn.replies += replies
        }
        return true
    }

    /// Nothing of a turn could be kept.
    private func fail(_ events: [Event], _ state: inout State) {
        state.server = nil
        for event in events {
            switch event {
            case .request(_, let promise):
                promise.succeed(.busy("The state file cannot be written"))
            case .ask(_, let promise):
                promise.succeed(.busy("The state file cannot be written"))
            case .end(let promise): promise.succeed()
            case .opened(let line): line.end(1011, "The state file cannot be written")
            case .closed, .ready: break
            }
        }
        for line in state.lines.values { line.end(1011, "The state file cannot be written") }
        state.lines = [:]
    }
}

/// What one turn of the service has come to.
struct SimperiumTurn {
    var server: SimperiumServer
    var replies: [SimperiumServer.Reply] = []
    var answers: [(EventLoopPromise<ServedAnswer?>, ServedAnswer?)] = []
    var ends: [EventLoopPromise<Void>] = []
}
