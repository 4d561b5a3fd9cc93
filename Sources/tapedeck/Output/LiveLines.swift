import Dissection
import Synchronization
import Wire

/// Prints a line for each finished exchange and each command while a session is recorded.
///
/// Rows arrive after their commit, on the writer's thread.
final class LiveLines: Sendable {
    private struct State {
        var hasStarted = false
        var early: [String] = []
    }

    private let isQuiet: Bool
    private let state = Mutex(State())

    init(isQuiet: Bool) { self.isQuiet = isQuiet }

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
        var text = ""
        var payloads: [MessageID: [UInt8]] = [:]
        for row in rows {
            switch row {
            case .message(let message):
                payloads[message.id] = message.payload
            case .exchange(let exchange) where exchange.endedAt != nil:
                text += ListLine.exchange(exchange) + "\n"
            case .command(let command):
                text +=
                    ListLine.command(
                        command, text: command.text ?? payloads[command.message] ?? []) + "\n"
            default:
                continue
            }
        }
        guard !text.isEmpty else { return }
        let isLive = state.withLock { state in
            if !state.hasStarted { state.early.append(text) }
            return state.hasStarted
        }
        if isLive { StandardOutput.write(text) }
    }
}
