import Dissection
import Simperium
import Wire

/// How a client keeps its connection, and how it reconnects.
extension SimperiumSessionCheck {
    mutating func noteTraffic(
        _ command: CommandEvidence, _ said: SimperiumCommand, _ socket: inout Socket,
        _ session: borrowing SessionView, _ report: inout Report
    ) {
        let at = command.row.at
        if said.name == "h" { judgeLateness(command, &socket, session, &report) }
        noteSilence(until: at, &socket)
        socket.lastSaidAt = at
        socket.lastTrafficAt = at
        if said.name == "h" { socket.hadHeartbeat = true }
        if let gap = socket.gap {
            socket.gap = nil
            judge(gap, command, socket, session, &report)
        }
        guard let beat = socket.unanswered, !socket.isKnownDead,
            at.nanoseconds - beat.row.at.nanoseconds > patience.deadline(of: Rules.deadConnection),
            session.isWhole(command.row.connection)
        else { return }
        socket.isKnownDead = true
        add(
            Rules.deadConnection, command, nil,
            "Nothing was received for \(Self.seconds(from: beat.row.at, to: at)) after a heartbeat, and the client still uses the connection.",
            steps: [FindingStep(beat, "the heartbeat without answer")],
            shows: "the client goes on", session, &report)
    }

    /// A heartbeat comes after a silence that it should have ended earlier.
    private func judgeLateness(
        _ command: CommandEvidence, _ socket: inout Socket,
        _ session: borrowing SessionView, _ report: inout Report
    ) {
        let from = socket.lastTrafficAt
        guard !socket.isLateReported, socket.wasAccepted,
            command.row.at.nanoseconds - from.nanoseconds > SimperiumSessionTimes.lateBeat,
            let view = session[command.row.connection], view.coverage == .whole,
            view.lastFaultAt ?? .zero < from
        else { return }
        socket.isLateReported = true
        add(
            Rules.heartbeatLate, command, nil,
            "The connection was idle for \(Self.seconds(from: from, to: command.row.at)) before the heartbeat.",
            expected: "after 20 s",
            steps: [FindingStep(at: from, "the last command before the silence")],
            shows: "the heartbeat", session, &report)
    }

    /// Connections on which heartbeats were not answered for half a minute when the recording ended,
    /// while their clients went on.
    func openBeats(
        at end: Instant, _ session: borrowing SessionView, _ report: inout Report
    ) {
        let beats = doubtful + sockets.values.compactMap { Self.doubtfulBeat($0, at: end) }
        for beat in beats.sorted(by: { $0.row.at < $1.row.at })
        where session.isWhole(beat.row.connection) {
            add(
                Rules.deadConnection, beat, nil, "Nothing was received since a heartbeat.",
                shows: "the heartbeat without answer", session, &report)
        }
    }

    /// The heartbeat that was not answered for half a minute, while the client sent others.
    private static func doubtfulBeat(_ socket: Socket, at end: Instant) -> CommandEvidence? {
        guard let beat = socket.unanswered, !socket.isKnownDead,
            end.nanoseconds - beat.row.at.nanoseconds >= SimperiumSessionTimes.doubtful,
            socket.lastSaidAt.nanoseconds - beat.row.at.nanoseconds
                > SimperiumSessionTimes.reaction
        else { return nil }
        return beat
    }

    private func noteSilence(until at: Instant, _ socket: inout Socket) {
        guard at.nanoseconds - socket.lastTrafficAt.nanoseconds > SimperiumSessionTimes.idle,
            !socket.hadHeartbeat, socket.gap == nil, socket.wasAccepted
        else { return }
        socket.gap = (socket.lastTrafficAt, at)
    }

    private func judge(
        _ gap: (from: Instant, to: Instant), _ command: CommandEvidence, _ socket: Socket,
        _ session: borrowing SessionView, _ report: inout Report
    ) {
        guard wasSilent(gap, command.row.connection, socket, session) else { return }
        add(
            Rules.heartbeatMissing, command, nil, Self.silence(gap),
            steps: [FindingStep(at: gap.from, "the last command before the silence")],
            shows: "the client sends again", session, &report)
    }

    /// The client sends Close after a silence, in which it was alive.
    func judgeLeave(
        _ message: MessageEvidence, _ session: borrowing SessionView, _ report: inout Report
    ) {
        let id = message.row.connection
        guard message.row.opcode == 8, message.row.sender == .client, message.origin == .peer,
            var socket = sockets[id], socket.closer == nil
        else { return }
        noteSilence(until: message.row.endedAt, &socket)
        guard let gap = socket.gap, wasSilent(gap, id, socket, session) else { return }
        report.add(
            Finding(
                Rules.heartbeatMissing, connection: id, client: session.client(of: id),
                detail: Self.silence(gap),
                steps: [
                    FindingStep(at: gap.from, "the last command before the silence"),
                    FindingStep(message, "the client sends Close"),
                ]))
    }

    private func wasSilent(
        _ gap: (from: Instant, to: Instant), _ id: ConnectionID, _ socket: Socket,
        _ session: borrowing SessionView
    ) -> Bool {
        guard !socket.hadHeartbeat, let view = session[id] else { return false }
        return view.coverage == .whole && view.lastFaultAt ?? .zero < gap.from
    }

    private static func silence(_ gap: (from: Instant, to: Instant)) -> String {
        "The connection was idle for \(seconds(from: gap.from, to: gap.to)) and the client never sent a heartbeat on it, though it was alive."
    }

    mutating func beat(
        _ count: Int64, _ command: CommandEvidence, _ socket: inout Socket,
        _ session: borrowing SessionView, _ report: inout Report
    ) {
        if let reply = socket.serverCount, socket.unanswered == nil,
            case .heartbeat(let number)? = reply.heard?.command.body, number < .max,
            count != number + 1
        {
            add(
                Rules.notIncremented, command, nil,
                "The client sends h:\(count) after h:\(number) of the server.",
                expected: "h:\(number + 1)", steps: [FindingStep(reply, "the server's number")],
                shows: "the client's", session, &report)
        }
        if socket.unanswered == nil { socket.unanswered = command }
    }

    mutating func hear(_ command: CommandEvidence, _ socket: inout Socket) {
        noteSilence(until: command.row.at, &socket)
        socket.lastTrafficAt = command.row.at
        socket.unanswered = nil
        if case .heartbeat? = command.heard?.command.body { socket.serverCount = command }
    }

    // MARK: Reconnecting

    mutating func begin(
        _ owner: SimperiumSessionAttempts.ID, _ command: CommandEvidence, _ socket: Socket,
        _ session: borrowing SessionView, _ report: inout Report
    ) {
        guard attempts.count < Self.maxLives || attempts[owner] != nil else { return }
        var attempt = attempts[owner] ?? SimperiumSessionAttempts()
        defer { attempts[owner] = attempt }
        attempt.open += 1
        if let connection = attempt.left { left[connection] = nil }
        attempt.left = nil
        attempt.lastBegin = socket.openedAt
        guard let last = attempt.lastEnd, attempt.open == 1,
            session.isWhole(command.row.connection)
        else {
            (attempt.failing, attempt.quick, attempt.steps) = (0, 0, [])
            return
        }
        let pause = socket.openedAt.nanoseconds - last.at.nanoseconds
        let second = SimperiumSessionTimes.second
        attempt.failing = pause < second && !last.wasAccepted ? attempt.failing + 1 : 0
        attempt.quick =
            pause < second * 3 / 10 && last.lived < 5 * second ? attempt.quick + 1 : 0
        guard attempt.failing > 0 || attempt.quick > 0 else {
            attempt.steps = []
            return
        }
        attempt.steps.append(
            FindingStep(
                command, "a new connection \(Self.seconds(pause)) after the end of the last"))
        if attempt.steps.count > 8 { attempt.steps.removeFirst() }
        let isFailing = attempt.failing >= 3
        guard isFailing || attempt.quick >= 7 else { return }
        let many = isFailing ? attempt.failing + 1 : attempt.quick + 1
        report.add(
            Finding(
                Rules.reconnectStorm, connection: command.row.connection, client: owner.clientID,
                detail:
                    "\(many) connections in a row\(isFailing ? " on which no bucket was opened" : ""), the last \(Self.seconds(pause)) after the end of the one before.",
                steps: attempt.steps))
    }

    mutating func end(
        _ connection: ConnectionID, at: Instant, _ session: borrowing SessionView
    ) {
        guard let socket = sockets.removeValue(forKey: connection) else { return }
        if doubtful.count < Self.maxDues, let beat = Self.doubtfulBeat(socket, at: at) {
            doubtful.append(beat)
        }
        let view = session[connection]
        let wasCut = view?.wasCut ?? false
        for (_, channel) in socket.channels {
            guard let id = channel.life else { continue }
            leave(
                id, channel, connection, at: at, lastSaidAt: socket.lastSaidAt,
                byOther: wasCut || socket.closer == .server, isQuick: view?.isQuick ?? false)
        }
        guard let owner = socket.owner, attempts[owner] != nil else { return }
        attempts[owner]?.open -= 1
        if attempts[owner]?.open == 0, left.count < Self.maxLeft {
            attempts[owner]?.left = connection
            left[connection] = Left(socket: socket)
        }
        attempts[owner]?.lastEnd = (
            at, at.nanoseconds - socket.openedAt.nanoseconds, socket.wasAccepted
        )
        guard wasCut || socket.closer == .server, socket.wasAccepted, !socket.wasRefused else {
            return
        }
        let step = FindingStep(
            at: at, wasCut ? "Tapedeck cut the connection" : "the server closed the connection")
        wait(
            Due(
                connection: connection, channel: nil, start: at,
                patience: patience.deadline(of: Rules.noReconnect),
                duty: .reconnect(owner, client: owner.clientID, [step])))
    }

    /// What the client must have stored when it disconnected.
    private mutating func leave(
        _ id: Life.ID, _ channel: Channel, _ connection: ConnectionID, at: Instant,
        lastSaidAt: Instant, byOther: Bool, isQuick: Bool
    ) {
        guard var life = lives.removeValue(forKey: id) else { return }
        defer { lives[id] = life }
        life.open.remove(connection)
        let long = isQuick ? SimperiumSessionTimes.long : SimperiumSessionTimes.longest
        let margin = isQuick ? ConnectionView.crossingNanoseconds : long
        life.certainUntil = Instant(nanoseconds: max(0, at.nanoseconds - margin))
        if life.unknown?.command.row.connection == connection {
            life.unknownSaidAt = lastSaidAt
        }
        guard channel.isSettled, life.open.isEmpty, let newest = life.newest else { return }
        life.wasSettled = true
        let lag = at.nanoseconds - newest.at.nanoseconds
        // Commands just before the end may still have been on their way.
        life.cutAt = byOther && lag > 60 * SimperiumSessionTimes.second ? at : nil
        let before = Instant(nanoseconds: at.nanoseconds - ConnectionView.crossingNanoseconds)
        let known = life.newest(before: before)
        let isRead = isQuick && known != nil || lag > long
        life.leftAt = isRead ? at : nil
        life.wasLong = lag > long
        life.endedAt = at
        if life.wasLong {
            life.stored = newest
        } else if isQuick, let known {
            life.stored = known
        }
    }

    func judgeAbsence(
        of owner: SimperiumSessionAttempts.ID, _ client: String, _ steps: [FindingStep],
        _ due: Due, _ report: inout Report
    ) {
        guard let attempt = attempts[owner], attempt.open == 0, attempt.lastBegin < due.start
        else { return }
        report.add(
            Finding(
                Rules.noReconnect, connection: due.connection, client: client,
                detail:
                    "The client did not reconnect within \(Self.seconds(due.patience)) after its connection was ended.",
                steps: steps))
    }
}
