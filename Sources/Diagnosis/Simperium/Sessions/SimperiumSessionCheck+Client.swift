import Dissection
import Simperium
import Wire

/// Checks the commands of a client.
extension SimperiumSessionCheck {
    mutating func clientMessage(
        _ said: SimperiumCommand, _ command: CommandEvidence, _ socket: inout Socket,
        _ session: borrowing SessionView, _ report: inout Report
    ) {
        noteTraffic(command, said, &socket, session, &report)
        if !said.notes.isEmpty || said.problem != nil, !command.isCut {
            judgeForm(said, command, socket, session, &report)
        }
        switch said.body {
        case .heartbeat(let count): beat(count, command, &socket, session, &report)
        case .log: log(command, &socket, session, &report)
        case .initialize(let request): open(request, said, command, &socket, session, &report)
        default: ask(said, command, &socket, session, &report)
        }
    }

    // MARK: Opening

    private mutating func open(
        _ request: InitRequest, _ said: SimperiumCommand, _ command: CommandEvidence,
        _ socket: inout Socket, _ session: borrowing SessionView, _ report: inout Report
    ) {
        guard let number = said.channel,
            socket.channels.count < ConnectionView.maxChannels || socket.channels[number] != nil
        else { return }
        let wasOpen = socket.channels[number]?.wasOpen ?? false
        var channel = Channel(
            initiation: command, clientID: request.clientID, bucket: request.bucket ?? "",
            token: request.token,
            wasOpen: wasOpen
                || { if case .open? = socket.channels[number]?.phase { true } else { false } }())
        channel.isReasonDue = socket.channels[number]?.isReasonDue ?? false
        if socket.owner == nil, let clientID = request.clientID {
            let owner = SimperiumSessionAttempts.ID(app: request.app, clientID: clientID)
            socket.owner = owner
            know(clientID, command.row.connection, session)
            begin(owner, command, socket, session, &report)
        }
        for (other, open) in socket.channels where other != number {
            guard case .open = open.phase, open.bucket == channel.bucket, !channel.bucket.isEmpty,
                open.token == channel.token
            else { continue }
            add(
                Rules.bucketTwice, command, channel,
                "Bucket \(channel.bucket) is opened on channel \(number) while channel \(other) of the same connection is open for it.",
                steps: [FindingStep(open.initiation, "the first init")], shows: "the second init",
                session, &report)
        }
        judgeToken(request, command, channel, session, &report)
        switch request.request {
        case .index(let index)?:
            channel.hasAsked = true
            beginRun(index.mark, isFirst: false, &channel)
        case .changesSince(let cv)?:
            channel.hasAsked = true
            channel.awaitedChanges = 1
            channel.askedCV = cv
        case .other?, nil: break
        }
        socket.channels[number] = channel
    }

    private mutating func judgeToken(
        _ request: InitRequest, _ command: CommandEvidence, _ channel: Channel,
        _ session: borrowing SessionView, _ report: inout Report
    ) {
        guard !refusals.isEmpty, let token = request.token else { return }
        let id = Refusal(
            app: request.app, clientID: request.clientID, bucket: channel.bucket, token: token)
        guard let known = refusals[id] else { return }
        refusals[id]?.times += 1
        guard known.times >= 1 else { return }
        add(
            Rules.sameTokenAgain, command, channel,
            "Bucket \(channel.bucket) is opened with the same token for the \(Words.ordinal(known.times + 1)) time after the server refused it \(Self.seconds(from: known.command.row.at, to: command.row.at)) ago.",
            steps: [FindingStep(known.command, "the refusal")], shows: "the same token again",
            session, &report)
    }

    // MARK: Channels

    /// Names of commands that belong to a channel.
    private static func belongsToChannel(_ name: String) -> Bool {
        switch name {
        case "i", "e", "cv", "c", "index": true
        default: false
        }
    }

    private mutating func ask(
        _ said: SimperiumCommand, _ command: CommandEvidence, _ socket: inout Socket,
        _ session: borrowing SessionView, _ report: inout Report
    ) {
        guard let number = said.channel, Self.belongsToChannel(said.name) else { return }
        guard var channel = socket.channels.removeValue(forKey: number) else {
            guard session.isWhole(command.row.connection) else { return }
            add(
                Rules.commandBeforeInit, command, nil,
                "\(said.name) on channel \(number), which no init has opened on this connection.",
                shows: "the command", session, &report)
            return
        }
        defer { socket.channels[number] = channel }
        guard mayAsk(said, command, channel, session, &report) else { return }
        judgeWork(said, command, &channel, session, &report)
        switch said.body {
        case .indexRequest(let request):
            askIndex(request, command, &channel, session, &report)
        case .changesSince(let cv): askChanges(cv, command, &channel, session, &report)
        case .entityRequest(let key, let version):
            askEntity(SimperiumName(key), version, command, &channel, session, &report)
        case .changes(let changes):
            for change in changes { send(change, command, &channel, session, &report) }
            judgeSilence(command, &channel, session, &report)
        default:
            if said.name == "index" { channel.stateAsked = nil }
        }
    }

    /// Whether the server has accepted the client.
    private func mayAsk(
        _ said: SimperiumCommand, _ command: CommandEvidence, _ channel: Channel,
        _ session: borrowing SessionView, _ report: inout Report
    ) -> Bool {
        switch channel.phase {
        case .open: return true
        case .opening:
            guard session.isWhole(command.row.connection) else { return true }
            if !channel.wasOpen {
                add(
                    Rules.commandBeforeAuth, command, channel,
                    "\(said.name) \(Self.seconds(from: channel.initiation.row.at, to: command.row.at)) after the init of bucket \(channel.bucket), which the server has not answered.",
                    steps: [FindingStep(channel.initiation, "the init")],
                    shows: "sent before its auth", session, &report)
            }
            return false
        case .refused(let refusal):
            let since = command.row.at.nanoseconds - refusal.row.at.nanoseconds
            if !channel.wasOpen || since > 5 * SimperiumSessionTimes.second {
                add(
                    Rules.commandAfterRefusal, command, channel,
                    "\(said.name) on the channel of bucket \(channel.bucket), which the server refused to open \(Self.seconds(since)) before.",
                    steps: [FindingStep(refusal, "the refusal")],
                    shows: "sent on the dead channel", session, &report)
            }
            return false
        }
    }

    // MARK: Changes

    private mutating func send(
        _ change: SimperiumChange<Range<Int>>, _ command: CommandEvidence, _ channel: inout Channel,
        _ session: borrowing SessionView, _ report: inout Report
    ) {
        judgeRemoval(change, command, channel, session, &report)
        judgeGap(change, command, &channel, session, &report)
        let ccid = change.ccids.first.map { SimperiumName($0) }
        let earlier = ccid.flatMap { pending[$0] }.flatMap { known in
            known.bucket == channel.bucket && known.key == change.key ? known : nil
        }
        if let earlier, earlier.clientID != channel.clientID {
            add(
                Rules.clientIDChanged, command, channel, key: change.key,
                "The change \(change.ccids.first ?? "") of \(change.key ?? "") has the clientid \(channel.clientID ?? "none"); it was sent under \(earlier.clientID ?? "none") and not answered.",
                steps: [FindingStep(earlier.command, "the first sending")],
                shows: "the same change under another clientid", session, &report)
        }
        if !channel.isSynced, session.isWhole(command.row.connection) {
            sendUnsynced(change, earlier, command, channel, session, &report)
        }
        channel.hasWorked = true
        if let ccid, earlier == nil, pending.count < Self.maxPending {
            pending[ccid] = Pending(
                bucket: channel.bucket, key: change.key, clientID: channel.clientID,
                command: command)
        }
        takeTurns(command, channel, session, &report)
    }

    private func sendUnsynced(
        _ change: SimperiumChange<Range<Int>>, _ earlier: Pending?, _ command: CommandEvidence,
        _ channel: Channel, _ session: borrowing SessionView, _ report: inout Report
    ) {
        let key = change.key ?? ""
        if let earlier, earlier.command.row.connection != command.row.connection {
            add(
                Rules.resendBeforeCV, command, channel,
                "The change \(change.ccids.first ?? "") of \(key), not acknowledged on the connection before, is sent again before the server has sent the changes since.",
                steps: [
                    FindingStep(earlier.command, "the first sending"),
                    FindingStep(channel.initiation, "the new connection"),
                ], shows: "sent again too early", session, &report)
            return
        }
        let isFirst = channel.life.flatMap { lives[$0]?.connections } ?? 1 <= 1
        // A client that was active before the capture may resend its changes.
        let mayBeOld = isFirst && channel.askedCV != nil || isFirst && !channel.hasAsked
        let what =
            if channel.run.map({ $0.pages > 0 }) ?? false {
                "before the last page of the index was received"
            } else if channel.hasAsked {
                "before the answer to its request was received"
            } else {
                "before it has requested the index or changes"
            }
        add(
            Rules.changeBeforeIndex, command, channel,
            "The client changes \(key) in bucket \(channel.bucket) \(what).",
            severity: mayBeOld && channel.hasAsked ? .warning : nil,
            steps: [FindingStep(channel.initiation, "the init of the bucket")],
            shows: "the change", session, &report)
    }

    /// Two connections with one clientid that both send.
    private mutating func takeTurns(
        _ command: CommandEvidence, _ channel: Channel, _ session: borrowing SessionView,
        _ report: inout Report
    ) {
        guard let id = channel.life, lives[id]?.open.count ?? 0 > 1 else { return }
        let connection = command.row.connection
        guard let turns = lives[id]?.turns else {
            lives[id]?.turns = Life.Turns(
                pair: [connection], last: command, first: command, count: 0)
            return
        }
        let other = turns.last.row.connection
        guard other != connection else {
            lives[id]?.turns?.last = command
            return
        }
        guard session[other]?.endedAt == nil else {
            lives[id]?.turns = Life.Turns(
                pair: [connection], last: command, first: command, count: 0)
            return
        }
        let pair: Set<ConnectionID> = [connection, other]
        guard turns.pair == pair || turns.pair.count == 1 else {
            lives[id]?.turns = Life.Turns(pair: pair, last: command, first: command, count: 1)
            return
        }
        let first = turns.count == 0 ? command : turns.first
        lives[id]?.turns = Life.Turns(
            pair: pair, last: command, first: first, count: turns.count + 1)
        let span = command.row.at.nanoseconds - first.row.at.nanoseconds
        guard turns.count >= 2, span > 10 * SimperiumSessionTimes.second else { return }
        lives[id]?.turns = nil
        add(
            Rules.sharedClientID, command, channel,
            "Connections \(other.rawValue) and \(connection.rawValue) are both open under clientid \(channel.clientID ?? "") and take turns in changing bucket \(channel.bucket).",
            steps: [
                FindingStep(first, "connection \(first.row.connection.rawValue) sends"),
                FindingStep(turns.last, "connection \(other.rawValue) sends"),
            ], shows: "connection \(connection.rawValue) sends again", session, &report)
    }
}
