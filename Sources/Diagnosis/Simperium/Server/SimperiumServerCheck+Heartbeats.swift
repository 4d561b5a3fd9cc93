import Dissection
import Simperium
import Wire

/// Heartbeats that a server does not answer: Diagnosis/Catalogue.md#s01.
extension SimperiumServerCheck {
    /// A connection that its client left before the time for an answer was up.
    struct Left: Sendable {
        let beat: (count: Int64, command: CommandEvidence)
        let leftAt: Instant
    }

    /// The server answers what it received after a heartbeat that it has not answered.
    func judgeBeats(
        _ command: CommandEvidence, _ channel: Channel, _ socket: inout Socket,
        _ session: borrowing SessionView, _ report: inout Report
    ) {
        guard let beat = socket.beats.first, !socket.isSilenceReported,
            let request = channel.answered,
            // On a slow link the server may have had a change by its first sending.
            request.row.name != "c" || session[command.row.connection]?.isQuick ?? false,
            request.row.at.nanoseconds - beat.command.row.at.nanoseconds > Self.second,
            isJudgeable(command.row.connection, since: beat.command.row.at, session)
        else { return }
        socket.isSilenceReported = true
        let span = SimperiumSessionCheck.seconds(from: beat.command.row.at, to: request.row.at)
        add(
            Rules.heartbeatUnanswered, command, nil,
            "The server answers \(request.row.name), which it received \(span) after h:\(beat.count), and has not answered the heartbeat.",
            expected: Self.answer(to: beat.count),
            steps: [
                FindingStep(beat.command, "the heartbeat without answer"),
                FindingStep(request, "what is answered"),
            ], shows: "the answer", session, &report)
    }

    /// The server answers a heartbeat, and not at once.
    func judgeLateness(
        _ beat: (count: Int64, command: CommandEvidence), _ answer: CommandEvidence,
        _ session: borrowing SessionView, _ report: inout Report
    ) {
        let asked = beat.command.row
        guard answer.row.at.nanoseconds - asked.at.nanoseconds > Self.lateBeatTime,
            session[asked.connection]?.isQuick ?? false,
            isJudgeable(asked.connection, since: asked.at, session)
        else { return }
        let span = SimperiumSessionCheck.seconds(from: asked.at, to: answer.row.at)
        add(
            Rules.heartbeatLate, answer, nil,
            "The server has answered h:\(beat.count) after \(span).", expected: "at once",
            steps: [FindingStep(beat.command, "the heartbeat")], shows: "the answer", session,
            &report)
    }

    static func answer(to count: Int64) -> String { "h:\(count < .max ? count + 1 : 0)" }

    /// A connection ends with a heartbeat that was not answered.
    ///
    /// One may have been unreachable; a server that answers no heartbeat on several is not.
    mutating func leaveBeats(
        _ socket: borrowing Socket, _ connection: ConnectionID, at: Instant,
        _ session: borrowing SessionView, _ report: inout Report
    ) {
        let server = Self.server(of: connection, session)
        guard let beat = socket.beats.first, !socket.hasBeaten, !socket.isSilenceReported,
            !beating.contains(server),
            at.nanoseconds - beat.command.row.at.nanoseconds > Self.reaction,
            let view = session[connection], view.coverage == .whole, view.lastFaultAt == nil,
            silent[server] != nil || silent.count < 1_000
        else { return }
        let before = silent[server] ?? []
        guard before.count < Self.leastSilent else { return }
        silent[server] = before + [Left(beat: beat, leftAt: at)]
        guard before.count + 1 == Self.leastSilent else { return }
        let beats = before.map { FindingStep($0.beat.command, "a heartbeat without answer") }
        add(
            Rules.heartbeatUnanswered, beat.command, nil,
            "The server has answered no heartbeat on \(Self.leastSilent) connections, the last in \(SimperiumSessionCheck.seconds(from: beat.command.row.at, to: at)), until the client left.",
            expected: Self.answer(to: beat.count), steps: beats,
            shows: "the heartbeat without answer", session, &report)
    }

    /// The server of a connection, by which its silence on several is counted.
    static func server(
        of connection: ConnectionID, _ session: borrowing SessionView
    ) -> String {
        session[connection]?.upgrade.map { "\($0.host):\($0.port)" } ?? ""
    }

    /// Heartbeats that were not answered when their connections ended.
    func undecidedBeats(_ session: borrowing SessionView, _ report: inout Report) {
        for (server, left) in silent.sorted(by: { $0.key < $1.key })
        where !beating.contains(server) && left.count < Self.leastSilent {
            for each in left {
                add(
                    Rules.heartbeatUnanswered, each.beat.command, nil,
                    "The server has not answered h:\(each.beat.count).",
                    shows: "the heartbeat without answer", session, &report)
            }
        }
    }
}
