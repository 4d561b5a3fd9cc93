import Dissection
import Synchronization
import Trace
import Wire

/// Prints a line for each finished exchange, each command and each message of a WebSocket without
/// commands while a session is recorded.
///
/// Rows arrive after their commit, on the writer's thread.
final class LiveLines: Sendable {
    private struct State {
        var hasStarted = false
        var early: [String] = []
        var style: ListStyle
        var times: TimeColumn
        var sockets = SocketKinds()
    }

    private let isQuiet: Bool
    private let state: Mutex<State>
    private let faults = Mutex<FaultLookup?>(nil)

    init(isQuiet: Bool, style: ListStyle = .standard) {
        self.isQuiet = isQuiet
        state = Mutex(State(style: style, times: TimeColumn(.relative)))
    }

    /// From now on lines name the faults in the trace at `path`, once it is there.
    func nameFaults(in path: String) { faults.withLock { $0 = FaultLookup(path: path) } }

    /// Prints from now on, and earlier rows; the ready line is first.
    func start() {
        let early = state.withLock { state in
            state.hasStarted = true
            defer { state.early = [] }
            return state.early
        }
        for text in early { StandardOutput.write(text) }
    }

    /// Takes the rows of one commit.
    func show(_ rows: [DerivedRow]) {
        guard !isQuiet else { return }
        let faulted = faults.withLock { $0?.rows() } ?? FaultedRows()
        let live = state.withLock { state in
            let text = Self.lines(rows, faulted, &state)
            guard !state.hasStarted, !text.isEmpty else { return text }
            state.early.append(text)
            return ""
        }
        if !live.isEmpty { StandardOutput.write(live) }
    }

    private static func lines(
        _ rows: [DerivedRow], _ faulted: FaultedRows, _ state: inout State
    ) -> String {
        var text = ""
        var payloads: [MessageID: [UInt8]] = [:]
        func time(_ at: Instant) -> String { TimeSpan.clock(at.nanoseconds) }
        // What a socket carries may be known at a later row of the same commit.
        for case .exchange(let exchange) in rows { state.sockets.learn(exchange) }
        for row in rows {
            switch row {
            case .message(let message):
                payloads[message.id] = message.payload
                guard message.side != .server, state.sockets.isPlain(message.exchange) else {
                    continue
                }
                text +=
                    ListLine.message(
                        message, time: time(message.endedAt), state.style,
                        rules: faulted.rules(of: message.id)) + "\n"
            case .exchange(let exchange) where exchange.endedAt != nil:
                text +=
                    ListLine.exchange(
                        exchange, time: time(exchange.startedAt), state.style,
                        rules: faulted.rules(of: exchange.id)) + "\n"
            case .command(let command):
                text +=
                    ListLine.command(
                        command, text: command.text ?? payloads[command.message] ?? [],
                        time: time(command.at), state.style,
                        rules: faulted.rules(of: command.message)) + "\n"
            default:
                continue
            }
        }
        return text
    }
}

/// Which WebSockets carry something else than Simperium; of the newest ones.
struct SocketKinds {
    private var plain: Set<ExchangeID> = []
    private static let capacity = 4_096

    /// Takes what an exchange has become.
    mutating func learn(_ row: ExchangeRow) {
        guard row.api == "websocket" else {
            plain.remove(row.id)
            return
        }
        if plain.count >= Self.capacity, let oldest = plain.min() { plain.remove(oldest) }
        plain.insert(row.id)
    }

    /// Whether the messages of the socket are worth lines.
    func isPlain(_ exchange: ExchangeID) -> Bool { plain.contains(exchange) }
}

/// Looks up the faults of a trace while it is written.
private struct FaultLookup {
    let path: String
    private var reader: TraceReader?
    private var known = FaultedRows()

    init(path: String) { self.path = path }

    /// What was touched by faults up to now; what cannot be read is missing.
    mutating func rows() -> FaultedRows {
        if reader == nil { reader = try? TraceReader(path: path) }
        try? reader?.extend(&known)
        return known
    }
}
