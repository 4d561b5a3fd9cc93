import Dissection
import Simperium
import Wire

/// The requests to a server, and the answers that it owes.
extension SimperiumServerCheck {
    mutating func ask(
        _ heard: SimperiumCommand, _ command: CommandEvidence, _ socket: inout Socket
    ) {
        if case .heartbeat(let count) = heard.body {
            guard socket.beats.count < 1_000 else { return }
            socket.beats.append((count, command))
            expect(.heartbeat(command.row.id), nil, command, Self.heartbeatTime)
            return
        }
        guard let number = heard.channel else { return }
        if case .initialize(let request) = heard.body {
            guard
                socket.channels.count < ConnectionView.maxChannels
                    || socket.channels[number] != nil
            else { return }
            if let old = socket.channels[number] { leave(old, command.row.connection, number) }
            socket.channels[number] = Channel(request, command)
            expect(.auth(command.row.id), number, command)
            return
        }
        guard var channel = socket.channels.removeValue(forKey: number) else { return }
        defer { socket.channels[number] = channel }
        channel.last = command
        // The server need not answer on a channel that it has not opened.
        guard channel.bucket != nil else {
            if ["i", "e", "cv"].contains(heard.name) { channel.isHasty = true }
            return
        }
        if case .changes(let changes) = heard.body, changes.contains(where: { $0.ccids.isEmpty }) {
            channel.hasNamelessChange = true
        }
        ask(heard, command, number, &channel)
    }

    private mutating func ask(
        _ heard: SimperiumCommand, _ command: CommandEvidence, _ number: Int,
        _ channel: inout Channel
    ) {
        switch heard.body {
        case .indexRequest(let request):
            guard channel.awaitedPages.count < 1_000 else { return }
            channel.awaitedPages.append(Channel.PageRequest(request: request, command: command))
            expect(.page(command.row.id), number, command)
        case .changesSince:
            channel.askedChanges += 1
            guard channel.awaitedChanges.count < 1_000 else { return }
            channel.awaitedChanges.append(command)
            expect(.changes(command.row.id), number, command)
        case .entityRequest(let key, let version):
            guard channel.awaitedEntities.count < Channel.most else { return }
            let entity = Channel.Entity(key: SimperiumName(key), version: version)
            let count = channel.awaitedEntities[entity]?.count ?? 0
            channel.awaitedEntities[entity] = (count + 1, command)
            expect(.entity(entity, command.row.id), number, command)
        case .changes(let changes):
            for change in changes {
                guard let text = change.ccids.first, change.key != nil,
                    channel.changes.count < Channel.most
                else { continue }
                let ccid = SimperiumName(text)
                guard channel.changes.updateValue(command, forKey: ccid) == nil else { continue }
                expect(.change(ccid), number, command)
                if let id = channel.bucket { buckets[id]?.get(ccid, command) }
            }
        default: break
        }
    }

    private mutating func expect(
        _ duty: Due.Duty, _ channel: Int?, _ command: CommandEvidence,
        _ deadline: Int64 = Self.answerTime
    ) {
        let start = command.row.at
        let patience = patience.nanoseconds ?? deadline
        deadlines.wait(
            until: Instant(nanoseconds: start.nanoseconds + patience),
            Due(
                connection: command.row.connection, channel: channel, start: start,
                patience: patience, duty: duty))
    }

    // MARK: What was not answered

    /// Whether the server still owes it.
    func isOpen(_ due: Due, _ socket: borrowing Socket) -> Bool {
        if case .heartbeat(let id) = due.duty {
            return !socket.isSilenceReported && socket.beats.contains { $0.command.row.id == id }
        }
        guard let channel = due.channel.flatMap({ socket.channels[$0] }) else { return false }
        switch due.duty {
        case .auth(let id): return !channel.isAnswered && channel.initiation.row.id == id
        case .changes(let id): return channel.awaitedChanges.contains { $0.row.id == id }
        case .page(let id): return channel.awaitedPages.contains { $0.command.row.id == id }
        case .entity(let entity, let id):
            return channel.awaitedEntities[entity]?.command.row.id == id
        case .change(let ccid): return channel.changes[ccid] != nil
        case .loss(let loss):
            let head = channel.bucket.flatMap { buckets[$0]?.heads[loss.key] }
            return !isEnded && head?.command.row.id == loss.head.command.row.id
        case .heartbeat, .echo: return false
        }
    }

    mutating func judge(
        _ due: Due, _ socket: borrowing Socket, _ session: borrowing SessionView,
        _ report: inout Report
    ) {
        let time = SimperiumSessionCheck.seconds(due.patience)
        if case .heartbeat(let id) = due.duty {
            // The way to the server may take as long as that to the client.
            guard let beat = socket.beats.first(where: { $0.command.row.id == id }),
                session[beat.command.row.connection]?.isQuick ?? false
            else { return }
            add(
                Rules.heartbeatUnanswered, beat.command, nil,
                "The server has not answered h:\(beat.count) in \(time), though it sent other commands.",
                expected: Self.answer(to: beat.count),
                shows: "the heartbeat without answer", session, &report)
            return
        }
        guard let number = due.channel, let channel = socket.channels[number] else { return }
        switch due.duty {
        case .auth:
            add(
                Rules.noAuth, channel.initiation, channel,
                "The server has not answered the init of bucket \(channel.request.bucket ?? "") in \(time), though it sent other commands.",
                shows: "the init without answer", session, &report)
        case .changes(let id):
            guard let command = channel.awaitedChanges.first(where: { $0.row.id == id }) else {
                return
            }
            unanswered(command, channel, time, session, &report)
        case .page(let id):
            guard let page = channel.awaitedPages.first(where: { $0.command.row.id == id })
            else { return }
            unanswered(page.command, channel, time, session, &report)
        case .entity(let entity, _):
            guard let command = channel.awaitedEntities[entity]?.command else { return }
            unanswered(command, channel, time, session, &report)
        case .change(let ccid):
            guard let command = channel.changes[ccid] else { return }
            add(
                Rules.changeUnanswered, command, channel, key: command.heard?.command.key,
                "The server has neither acknowledged nor refused the change \(ccid) in \(time), though it sent other commands.",
                expected: "\(number):c:[{…,\"ccids\":[\"\(ccid)\"]}]",
                shows: "the change without answer", session, &report)
        case .loss(let loss): judge(loss, channel, session, &report)
        case .heartbeat, .echo: return
        }
    }

    private func unanswered(
        _ command: CommandEvidence, _ channel: Channel, _ time: String,
        _ session: borrowing SessionView, _ report: inout Report
    ) {
        add(
            Rules.noAnswer, command, channel,
            "The server has not answered \(command.row.name) in \(time), though it sent other commands.",
            shows: "the request without answer", session, &report)
    }

    // MARK: Broadcasts

    /// A change is sent on one channel: finds the others that have to receive it.
    mutating func spread(
        _ change: SimperiumChange<Range<Int>>, _ place: Bucket.Place, _ id: Channel.BucketID,
        _ command: CommandEvidence, _ session: borrowing SessionView
    ) {
        for text in change.ccids {
            let ccid = SimperiumName(text)
            guard buckets[id]?.tell(ccid, change, at: place, command) == true else { continue }
            let start = command.row.at
            let patience = patience.deadline(of: Rules.echoMissing)
            deadlines.wait(
                until: Instant(nanoseconds: start.nanoseconds + patience),
                Due(
                    connection: place.connection, channel: place.channel, start: start,
                    patience: patience, duty: .echo(id, ccid)))
        }
    }

    mutating func judgeEcho(
        _ id: Channel.BucketID, _ ccid: SimperiumName, _ session: borrowing SessionView,
        _ report: inout Report
    ) {
        guard let echo = buckets[id]?.echoes.removeValue(forKey: ccid) else { return }
        for place in echo.awaiting {
            guard isJudgeable(place.connection, since: echo.sentAt, session),
                let socket = sockets[place.connection],
                let channel = socket.channels[place.channel], channel.bucket == id,
                channel.openedAt < echo.sentAt,
                isEnded
                    || socket.lastSaidAt.nanoseconds
                        > echo.command.row.at.nanoseconds + patience.deadline(of: Rules.echoMissing)
                        / 4
            else { continue }
            add(
                Rules.echoMissing, echo.command, channel, key: echo.command.said?.command.key,
                "The change \(ccid) was sent on connection \(echo.command.row.connection.rawValue) and not on channel \(place.channel) of connection \(place.connection.rawValue), which was open for the same bucket.",
                steps: [FindingStep(channel.initiation, "the channel that did not receive it")],
                shows: "the change as another channel received it", session, &report)
        }
    }
}
