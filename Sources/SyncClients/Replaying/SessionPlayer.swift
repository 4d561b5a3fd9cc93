public import Replaying
public import Wire

/// Plays the exchanges and the sockets of one recorded client, which share its identity.
public final class SessionPlayer: StepPlayer {
    private let exchanges: [ExchangeID: RecordedExchange]
    private let http: HTTPPlayer
    private let sockets: SocketPlayer
    private let conversations: ConversationPlayer
    private let target: ReplayTarget

    /// A player that has played nothing yet.
    ///
    /// - Parameters:
    ///   - exchanges: Those that may be played, by their number.
    ///   - http: Plays exchanges.
    ///   - sockets: Plays sockets with Simperium on them.
    ///   - conversations: Plays the other ones.
    ///   - target: The live server.
    public init(
        _ exchanges: [ExchangeID: RecordedExchange], http: HTTPPlayer, sockets: SocketPlayer,
        conversations: ConversationPlayer, target: ReplayTarget
    ) {
        self.exchanges = exchanges
        self.http = http
        self.sockets = sockets
        self.conversations = conversations
        self.target = target
    }

    /// Plays an exchange or a socket to its end; cancelled with its task.
    public func play(_ step: ReplaySchedule.Step) async -> PlayedStep {
        switch step {
        case .exchange(let id):
            guard let exchange = exchanges[id] else { return PlayedStep(.stopped, matched: 0) }
            return result(await http.play(exchange), of: exchange)
        case .socket(let id): return result(await sockets.play(id))
        case .conversation(let id): return result(await conversations.play(id))
        case .command, .message: return PlayedStep(.stopped, recorded: 0, matched: 0)
        }
    }

    private func result(_ played: PlayedExchange, of exchange: RecordedExchange) -> PlayedStep {
        var step = PlayedStep(matched: played.isSame ? 1 : 0, differing: played.isSame ? 0 : 1)
        step.line = "exchange \(exchange.id), \(exchange.line)"
        step.api = played.api ?? "http"
        step.requests = played.requests
        switch played.outcome {
        case .compared, .joined:
            if played.requests > 0 { step.latency = played.latency }
        case .unanswered: break
        case .unreachable:
            let server = target.server(for: exchange.host)
            let why = played.differences.items.last?.live ?? "no connection"
            step.outcome = .unreachable("\(server?.authority ?? exchange.host): \(why)")
        case .notSent, .stopped:
            step.outcome = .stopped
            step.differing = 0
        }
        if step.differing > 0 {
            step.items = [.init(line: step.line, detail: played.description)]
        } else if !played.bridged.isEmpty {
            step.bridged = 1
            step.bridgedItems = [.init(line: step.line, detail: played.description)]
        }
        return step
    }

    private func result(_ played: PlayedSocket) -> PlayedStep {
        var step = PlayedStep(
            recorded: played.recorded, matched: played.matched,
            differing: played.deviationCount)
        step.line = "connection \(played.id)"
        step.items = played.deviations.map { deviation in
            .init(
                line: "connection \(played.id), \(deviation.line)",
                detail: "connection \(played.id), \(deviation.description)")
        }
        step.bridged = played.bridgedCount
        step.bridgedItems = played.bridged.map { .init(line: "connection \(played.id), \($0)") }
        step.outcome = outcome(played.unreachable, wasStopped: played.wasStopped)
        return step
    }

    private func result(_ played: PlayedConversation) -> PlayedStep {
        var step = PlayedStep(
            recorded: played.recorded, matched: played.matched,
            differing: played.deviationCount)
        step.line = "exchange \(played.exchange)"
        step.items = played.deviations.map { deviation in
            .init(
                line: "exchange \(played.exchange), \(deviation.line)",
                detail: "exchange \(played.exchange), \(deviation.description)")
        }
        step.outcome = outcome(played.unreachable, wasStopped: played.wasStopped)
        return step
    }

    private func outcome(_ unreachable: String?, wasStopped: Bool) -> PlayedStep.Outcome {
        if let unreachable { return .unreachable(unreachable) }
        return wasStopped ? .stopped : .played
    }
}
