import Dissection
import Filters
import Simperium
import Wire

/// The `cv` in the `cmd` of an `init`.
///
/// The server gets the `init`, and answers it with `auth` and the `cv` with changes; what is
/// replaced is this second answer.
extension WebSocketGate {
    /// The actions that answer such a `cv` as they answer one of its own.
    private static let answering: Set<ActionKind> = [.cvUnknown, .changeUnknown]

    /// Evaluates the rules about `cv` for an `init` that the server gets.
    mutating func judgeRequest(
        of spoken: Spoken, _ subject: MessageSubject, _ scope: FaultScope, _ position: Int,
        _ at: Instant, _ verdict: inout MessageVerdict
    ) {
        guard case .initialize(let request) = spoken.command.body,
            let channel = spoken.command.channel
        else { return }
        unknowns[channel] = nil
        guard case .changesSince(let cv)? = request.request, !verdict.isDropped,
            verdict.outcomes[position] == .same
        else { return }
        var row = spoken.row
        row.name = "cv"
        row.cv = cv
        for firing in session.judge(
            CommandSubject(message: subject, row: row, changes: []), phase: .command,
            scope: scope, at: at, only: Self.answering)
        {
            guard unknowns[channel] == nil, unknowns.count < Self.maxRefusals else {
                fail(
                    firing, .client, at, "another rule answers the same cv", position: position,
                    &verdict)
                continue
            }
            unknowns[channel] = firing
        }
    }

    /// Puts `cv:?` in the place of the server's answer to such a `cv`.
    mutating func answerRequest(
        _ spoken: Spoken, _ position: Int, _ at: Instant, _ verdict: inout MessageVerdict
    ) {
        guard !unknowns.isEmpty, spoken.command.sender == .server,
            let channel = spoken.command.channel, let firing = unknowns[channel]
        else { return }
        switch spoken.command.body {
        case .changes, .unknownChangeVersion: break
        default: return
        }
        unknowns[channel] = nil
        guard let text = Self.answers(firing.action, channel: channel).first else { return }
        verdict.before.append(
            row(firing, .server, at, position: spoken.row.position, hasTaken: true))
        wait(firing, .server, at, &verdict)
        verdict.outcomes[position] = .changed(text)
    }
}
