import Dissection
import Simperium
import Wire

/// Deadlines of a client, and its logging.
extension SimperiumSessionCheck {
    /// The deadline has passed, the connection is open and the client alive.
    mutating func judge(
        _ due: Due, _ socket: borrowing Socket, _ session: borrowing SessionView,
        _ report: inout Report
    ) {
        if case .log(let command) = due.duty {
            guard let level = socket.logLevel, level.level > 0, !socket.hasLogged,
                level.command.row.id == command.row.id
            else { return }
            add(
                Rules.logMissing, command, nil,
                "The server requested log messages (log:\(level.level)), and none was sent in \(Self.seconds(due.patience)).",
                shows: "the request", session, &report)
            return
        }
        guard let number = due.channel, let channel = socket.channels[number] else { return }
        switch due.duty {
        case .page(let run, let pages):
            judgePage(run, pages, due, channel, session, &report)
        case .reindex(let command):
            guard let unknown = channel.unknown, !unknown.isReported,
                unknown.command.row.id == command.row.id
            else { return }
            add(
                Rules.unknownIgnored, command, channel,
                "\(Self.answer(unknown)), and the client has not requested the index of \(channel.bucket) in \(Self.seconds(due.patience)).",
                shows: "the answer that nothing followed", session, &report)
        case .entity(let run, let fetched, let command):
            guard let current = channel.run, current.id == run, current.fetched == fetched,
                channel.lastEntityAt <= command.row.at
            else { return }
            let next = current.fetch[fetched]
            add(
                Rules.stalled, command, channel,
                "After the answer ? the client requests no more entities, though \(current.fetch.count - fetched) of the index are missing, the next of them \(next.key).\(next.version).",
                expected: "\(number):e:\(next.key).\(next.version)", shows: "the answer ?",
                session, &report)
        case .reload(let key, let command):
            guard let gap = channel.gaps[key], gap.command.row.id == command.row.id else {
                return
            }
            add(
                Rules.notReloaded, command, channel, key: key.string,
                "A change of \(key) applies to version \(gap.sv), the client received \(gap.known), and has not loaded the object in \(Self.seconds(due.patience)).",
                shows: "the change that does not apply", session, &report)
        case .state(let command):
            guard let asked = channel.stateAsked, asked.row.id == command.row.id else { return }
            add(
                Rules.indexUnanswered, command, channel,
                "The server requested the client's index of \(channel.bucket), and no answer was sent in \(Self.seconds(due.patience)).",
                shows: "the request", session, &report)
        case .log, .reconnect: return
        }
    }

    /// Changes are sent in the place of the client's index, which the server has requested.
    func judgeSilence(
        _ command: CommandEvidence, _ channel: inout Channel, _ session: borrowing SessionView,
        _ report: inout Report
    ) {
        guard let asked = channel.stateAsked else { return }
        channel.changesSinceAsked += 1
        let span = command.row.at.nanoseconds - asked.row.at.nanoseconds
        guard channel.changesSinceAsked >= 3,
            let view = session[command.row.connection], view.coverage == .whole,
            !view.isHeldBack,
            span > (view.isQuick ? SimperiumSessionTimes.reaction : SimperiumSessionTimes.remote)
        else { return }
        let count = channel.changesSinceAsked
        channel.stateAsked = nil
        add(
            Rules.indexUnanswered, command, channel,
            "The server requested the client's index of \(channel.bucket), and \(count) changes were sent in the \(Self.seconds(span)) since, and no answer.",
            steps: [FindingStep(asked, "the request")], shows: "the client goes on", session,
            &report)
    }

    private mutating func judgePage(
        _ run: Int, _ pages: Int, _ due: Due, _ channel: Channel,
        _ session: borrowing SessionView, _ report: inout Report
    ) {
        guard let current = channel.run, current.id == run, current.pages == pages,
            !current.isNextAsked, let last = current.last
        else { return }
        // Entities of the page come first where clients request them one by one.
        if channel.lastEntityAt > due.start {
            var due = due
            due.start = channel.lastEntityAt
            return wait(due)
        }
        add(
            Rules.unfinished, last.page, channel,
            "The page has the mark \(Quote.escaped(last.mark)), and the client has not requested the next one in \(Self.seconds(due.patience)).",
            expected: "\(due.channel ?? 0):i::\(Quote.escaped(last.mark))::LIMIT",
            shows: "the page with a mark", session, &report)
    }

    // MARK: Logging

    mutating func log(
        _ command: CommandEvidence, _ socket: inout Socket, _ session: borrowing SessionView,
        _ report: inout Report
    ) {
        socket.hasLogged = true
        guard session.isWhole(command.row.connection) else { return }
        guard let level = socket.logLevel else {
            add(
                Rules.logUnasked, command, nil,
                "The client logs, which the server has not requested.", shows: "the message",
                session, &report)
            return
        }
        let since = command.row.at.nanoseconds - level.command.row.at.nanoseconds
        guard level.level == 0, since > 5 * SimperiumSessionTimes.second else { return }
        add(
            Rules.logUnasked, command, nil,
            "The client logs \(Self.seconds(since)) after log:0.",
            steps: [FindingStep(level.command, "the end of logging")], shows: "the message",
            session, &report)
    }
}
