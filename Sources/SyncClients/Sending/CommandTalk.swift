internal import Simperium
internal import Wire

/// The course of one command that is sent again: the channel is opened, the command sent, and what
/// comes passed on until its answer.
///
/// A value without a socket or a clock.
struct CommandTalk {
    /// What happened.
    enum Event: Hashable {
        /// Messages can be sent.
        case opened
        /// The server sent a command.
        case received([UInt8])
        /// The connection ended; with the reason.
        case ended(String)
        /// The time to wait is over.
        case timePassed
    }

    /// What is to be done.
    enum Step: Hashable {
        /// A command is sent.
        case send([UInt8])
        /// It is over.
        case finish(SentCommand.Outcome)
    }

    private let opening: [UInt8]?
    private let command: [UInt8]
    private let parsed: SimperiumCommand
    private let waits: Bool
    private var isSent = false
    private var isOver = false

    /// The course of a command.
    ///
    /// - Parameters:
    ///   - command: The command.
    ///   - opening: The `init` of its channel; nil where it needs none.
    ///   - waits: Whether all is passed on until the time is over, beyond the answer.
    init(_ command: [UInt8], opening: [UInt8]?, waits: Bool) {
        self.command = command
        self.opening = opening
        self.waits = waits
        parsed = SimperiumCommand.parse(command, from: .client)
    }

    /// Processes what happened.
    mutating func handle(_ event: Event) -> [Step] {
        guard !isOver else { return [] }
        switch event {
        case .opened:
            if let opening { return [.send(opening)] }
            return sendCommand()
        case .received(let text):
            let answer = SimperiumCommand.parse(text, from: .server)
            guard isSent else {
                guard let opening,
                    SimperiumCommand.parse(opening, from: .client).isAnswered(by: answer)
                else { return [] }
                switch answer.body {
                case .auth(.refused(let code, let message)):
                    let reason = [code.map { "with \($0)" }, message].compactMap(\.self)
                    return finish(
                        .refused("the server refuses the channel \(reason.joined(separator: ": "))")
                    )
                // A refusal follows.
                case .auth(.expired): return []
                default: break
                }
                return sendCommand()
            }
            return parsed.isAnswered(by: answer) && !waits ? finish(.answered) : []
        case .ended(let reason): return finish(isSent && waits ? .waited : .ended(reason))
        case .timePassed: return finish(waits ? .waited : .unanswered)
        }
    }

    private mutating func sendCommand() -> [Step] {
        isSent = true
        guard !parsed.hasAnswer, !waits else { return [.send(command)] }
        return [.send(command)] + finish(.sent)
    }

    private mutating func finish(_ outcome: SentCommand.Outcome) -> [Step] {
        isOver = true
        return [.finish(outcome)]
    }
}

/// What came of a command that was sent again.
public struct SentCommand: Hashable, Sendable {
    /// How it ended.
    public enum Outcome: Hashable, Sendable {
        /// The answer came; it is the last that was received.
        case answered
        /// It was sent, and nothing answers such a command.
        case sent
        /// The time that was asked for is over.
        case waited
        /// No answer came in time.
        case unanswered
        /// The server refused the channel, and the command was not sent.
        case refused(String)
        /// The connection ended before.
        case ended(String)
    }

    /// How it ended.
    public var outcome: Outcome
    /// The commands of the server, in order.
    public var received: [[UInt8]]
}
