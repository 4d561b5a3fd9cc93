import Dissection
import Simperium
import Wire

/// Follows what a client receives.
extension SimperiumSessionCheck {
    mutating func serverMessage(
        _ command: CommandEvidence, _ socket: inout Socket, _ session: borrowing SessionView,
        _ report: inout Report
    ) {
        guard let heard = command.heard?.command else {
            if let said = command.said?.command { lose(said, &socket) }
            return
        }
        hear(command, &socket)
        if case .logLevel(let level) = heard.body {
            socket.logLevel = (level, command)
            socket.hasLogged = false
            guard level > 0 else { return }
            promise(command, nil, SimperiumSessionTimes.log, .log(command))
            return
        }
        guard let number = heard.channel, var channel = socket.channels.removeValue(forKey: number)
        else { return }
        defer { socket.channels[number] = channel }
        if case .auth(let reply) = heard.body {
            authorize(reply, command, &channel, &socket, session, &report)
            return
        }
        guard case .open = channel.phase else { return }
        switch heard.body {
        case .indexPage(let page): hear(page, command, number, &channel)
        case .unknownMark:
            if !channel.awaitedPages.isEmpty { channel.awaitedPages.removeFirst() }
            channel.hasReason = true
            channel.needsIndex = true
            channel.run = nil
        case .entity(let reply): hear(reply, command, number, &channel)
        case .changes(let changes): hear(changes, command, number, &channel)
        case .unknownChangeVersion: loseVersion(command, number, &channel)
        case .indexStateRequest:
            if channel.stateAsked == nil {
                channel.stateAsked = command
                channel.changesSinceAsked = 0
                promise(command, number, SimperiumSessionTimes.remote, .state(command))
            }
        case .notUnderstood:
            channel.hasReason = true
            channel.needsIndex = true
        default: break
        }
    }

    private mutating func promise(
        _ command: CommandEvidence, _ channel: Int?, _ deadline: Int64, _ duty: Due.Duty
    ) {
        wait(
            Due(
                connection: command.row.connection, channel: channel, start: command.row.at,
                patience: patience.nanoseconds ?? deadline, duty: duty))
    }

    /// An answer that was never received.
    private func lose(_ said: SimperiumCommand, _ socket: inout Socket) {
        guard let number = said.channel else { return }
        switch said.body {
        case .indexPage, .unknownMark:
            guard socket.channels[number]?.awaitedPages.isEmpty == false else { return }
            socket.channels[number]?.awaitedPages.removeFirst()
        default: return
        }
    }

    // MARK: Opening

    private mutating func authorize(
        _ reply: AuthReply, _ command: CommandEvidence, _ channel: inout Channel,
        _ socket: inout Socket, _ session: borrowing SessionView, _ report: inout Report
    ) {
        // For the token that has expired, not for the one that was sent since.
        let isReason = channel.isReasonDue
        channel.isReasonDue = reply == .expired
        if isReason, case .refused = reply, case .opening = channel.phase { return }
        switch reply {
        case .accepted(let user):
            guard case .opening = channel.phase else { return }
            channel.phase = .open
            socket.wasAccepted = true
            enter(user, command, &channel, session, &report)
        case .refused(let code, _):
            channel.phase = .refused(command)
            channel.hasAsked = false
            socket.wasRefused = true
            // 500 does not concern the token.
            if code == 400 || code == 401 { remember(channel, command) }
        case .expired:
            channel.phase = .refused(command)
            socket.wasRefused = true
        }
    }

    private mutating func remember(_ channel: Channel, _ command: CommandEvidence) {
        guard let token = channel.token,
            case .initialize(let request)? = channel.initiation.said?.command.body
        else { return }
        let id = Refusal(
            app: request.app, clientID: request.clientID, bucket: channel.bucket, token: token)
        guard refusals[id] == nil, refusals.count < Self.maxLives else { return }
        refusals[id] = (0, command)
    }

    private mutating func enter(
        _ user: String, _ command: CommandEvidence, _ channel: inout Channel,
        _ session: borrowing SessionView, _ report: inout Report
    ) {
        guard let clientID = channel.clientID,
            case .initialize(let request)? = channel.initiation.said?.command.body
        else { return }
        if let token = request.token {
            refusals[
                Refusal(
                    app: request.app, clientID: request.clientID, bucket: channel.bucket,
                    token: token)] = nil
        }
        let name = Life.Name(
            app: request.app, bucket: channel.bucket, user: user, clientID: clientID)
        let known = lifeNumbers[name]
        guard known != nil || lifeNumbers.count < Self.maxLives else { return }
        let id = known ?? Life.ID(number: lifeNumbers.count)
        lifeNumbers[name] = id
        channel.life = id
        lives[id, default: Life()].connections += 1
        lives[id]?.open.insert(command.row.connection)
        // The first request travelled with the `init`.
        switch request.request {
        case .changesSince(let cv)?:
            judgeCV(cv, channel.initiation, channel, session, &report)
            channel.hasWorked = true
        case .index(let index)? where index.mark == nil:
            channel.hasAsked = false
            lives[id]?.unknown = nil
            judgeBeginning(channel.initiation, channel, session, &report)
            channel.hasAsked = true
            let life = lives[id]
            if life?.connections == 1, life?.versions.isEmpty == true { channel.run?.fetched = 0 }
        default: break
        }
    }

    // MARK: Index

    private mutating func hear(
        _ page: IndexPage<Range<Int>>, _ command: CommandEvidence, _ number: Int,
        _ channel: inout Channel
    ) {
        if let mark = page.mark, channel.marks.count < Channel.most { channel.marks.insert(mark) }
        guard !channel.awaitedPages.isEmpty else { return }
        let request = channel.awaitedPages.removeFirst()
        guard channel.run?.id == request.run, channel.run?.isComplete == false else { return }
        if let mark = request.mark { channel.run?.answered.insert(mark) }
        channel.run?.pages += 1
        channel.run?.bytes += command.heard?.text.count ?? 0
        if channel.run?.pages == 1 {
            channel.run?.current = page.current
            channel.hasReason = false
            channel.needsIndex = false
            channel.pretext = nil
        }
        var isWithoutData = false
        for entry in page.entries {
            guard let name = entry.key, let version = entry.version else { continue }
            let key = SimperiumName(name)
            if let id = channel.life { lives[id]?.tell(key, version) }
            channel.renew(key)
            if entry.data != nil, let id = channel.life {
                lives[id]?.hold(key, version, at: command.row.at)
            }
            guard entry.data == nil else { continue }
            isWithoutData = true
            if channel.run?.fetched != nil, channel.run?.fetch.count ?? 0 < Channel.most {
                channel.run?.fetch.append(Channel.Entity(key: key, version: version))
            }
        }
        if let mark = page.mark, !mark.isEmpty {
            channel.run?.last = (mark, command)
            channel.run?.isNextAsked = false
            if let run = channel.run {
                promise(
                    command, number, SimperiumSessionTimes.page,
                    .page(run: run.id, pages: run.pages))
            }
            return
        }
        channel.run?.isComplete = true
        channel.run?.completeAt = command.row.at
        channel.isSynced = true
        if !isWithoutData { channel.hasWorked = true }
        if let id = channel.life {
            lives[id]?.reading = nil
            if let run = channel.run, let current = run.current, !current.isEmpty {
                lives[id]?.give(current, at: command.row.at)
                lives[id]?.reading = Life.Reading(
                    connection: command.row.connection, current: current, bytes: run.bytes,
                    at: command.row.at)
            }
        }
        // Clients keep the first page's or the last's.
        if let id = channel.life, let current = page.current, !current.isEmpty,
            current != channel.run?.current
        {
            lives[id]?.give(current, at: command.row.at)
            lives[id]?.blur()
        }
        if let id = channel.life, channel.run?.hadChanges == true || command.origin != .peer {
            lives[id]?.blur()
        }
    }

    private mutating func loseVersion(
        _ command: CommandEvidence, _ number: Int, _ channel: inout Channel
    ) {
        channel.hasReason = true
        // An answer to something else is not about a cv.
        let isCV = command.heard?.command.name == "cv" && channel.askedCV != nil
        let isAwaited = channel.awaitedChanges > 0 || isCV
        if isAwaited { channel.awaitedChanges = max(0, channel.awaitedChanges - 1) }
        // The index that is being read has what the cv did not give.
        guard channel.run?.isComplete != false else { return }
        channel.needsIndex = true
        guard isAwaited else { return }
        let unknown = Channel.Unknown(cv: channel.askedCV, command: command)
        channel.unknown = unknown
        if let id = channel.life {
            lives[id]?.unknown = unknown
            lives[id]?.unknownSaidAt = nil
            lives[id]?.stored = nil
            lives[id]?.cutAt = nil
            lives[id]?.wasSettled = false
        }
        promise(command, number, SimperiumSessionTimes.reindex, .reindex(command))
    }

    // MARK: Objects

    private mutating func hear(
        _ reply: EntityReply<Range<Int>>, _ command: CommandEvidence, _ number: Int,
        _ channel: inout Channel
    ) {
        let key = SimperiumName(reply.key)
        let entity = Channel.Entity(key: key, version: reply.version)
        if let count = channel.awaited[entity] {
            channel.awaited[entity] = count > 1 ? count - 1 : nil
            channel.awaitedCount -= 1
        }
        channel.lastEntityAt = command.row.at
        guard case .data = reply.content else {
            channel.hasReason = true
            channel.needsIndex = true
            if channel.missing.count < Channel.most { channel.missing[key] = command }
            if let run = channel.run, run.isComplete, let fetched = run.fetched, fetched > 0,
                fetched < run.fetch.count, run.fetch[fetched - 1] == entity
            {
                promise(
                    command, number, SimperiumSessionTimes.entity,
                    .entity(run: run.id, fetched: fetched, command))
            }
            return
        }
        if channel.answered.count < Channel.most {
            let known = channel.answered[key]
            let times = known?.version == reply.version ? known?.times ?? 0 : 0
            channel.answered[key] = (reply.version, times + 1)
        }
        if let id = channel.life {
            lives[id]?.tell(key, reply.version)
            lives[id]?.hold(key, reply.version, at: command.row.at)
        }
    }

    private mutating func hear(
        _ changes: [SimperiumChange<Range<Int>>], _ command: CommandEvidence, _ number: Int,
        _ channel: inout Channel
    ) {
        var hasError = false
        for change in changes {
            for ccid in change.ccids where !pending.isEmpty { pending[SimperiumName(ccid)] = nil }
            guard let name = change.key else { continue }
            let key = SimperiumName(name)
            channel.renew(key)
            if change.error != nil {
                hasError = true
                channel.wasRefused = true
                channel.hasReason = true
                if let id = channel.life { lives[id]?.drop(key) }
                excuse(change, name, command, &channel)
                continue
            }
            hear(change, key, command, number, &channel)
        }
        guard !hasError else { return }
        if channel.awaitedChanges > 0 {
            channel.awaitedChanges -= 1
            channel.hasWorked = true
            channel.pretext = Channel.Pretext(
                detail: "the server knew its cv and sent the changes since", command: command,
                expects: "Nothing: the changes since the cv are all that was missing.")
            channel.unknown = nil
            if let id = channel.life { lives[id]?.unknown = nil }
        }
        if channel.run?.isComplete ?? true { channel.isSynced = true }
    }

    /// A refusal after which a client may read the index.
    private func excuse(
        _ change: SimperiumChange<Range<Int>>, _ key: String, _ command: CommandEvidence,
        _ channel: inout Channel
    ) {
        let expects: String
        let knows = channel.life.flatMap { lives[$0]?.versions[SimperiumName(key)] } != nil
        switch change.error {
        // Whoever knows no version of it can request none, and learns it from the index.
        case 405 where knows: expects = "CHANNEL:e:\(key).VERSION, the one object that was refused."
        case 413: expects = "A smaller object, or none: what is too large stays too large."
        default:
            channel.needsIndex = true
            return
        }
        channel.pretext = Channel.Pretext(
            detail: "the server refused a change of \(key) with \(change.error ?? 0)",
            command: command, expects: expects)
    }

    private mutating func hear(
        _ change: SimperiumChange<Range<Int>>, _ key: SimperiumName, _ command: CommandEvidence,
        _ number: Int,
        _ channel: inout Channel
    ) {
        // Looked up once: a life is large, and changes are many.
        guard let id = channel.life, let life = lives.index(forKey: id) else { return }
        if let cv = change.cv, !cv.isEmpty { lives.values[life].give(cv, at: command.row.at) }
        if channel.run?.isComplete == false { channel.run?.hadChanges = true }
        guard change.operation == .modify else {
            channel.gaps[key] = nil
            lives.values[life].drop(key)
            if let ev = change.ev { lives.values[life].tell(key, ev) }
            return
        }
        if let gap = channel.gaps[key] { channel.gaps[key] = gap.after(change) }
        let known = lives.values[life].versions[key]
        if let sv = change.sv, let known, sv > known, channel.isSynced,
            change.clientID != channel.clientID, channel.run?.isComplete ?? true,
            channel.gaps.count < 1_000, channel.gaps[key] == nil,
            !channel.awaited.keys.contains(where: { $0.key == key })
        {
            channel.gaps[key] = Channel.Gap(command: command, known: known, sv: sv)
            promise(command, number, SimperiumSessionTimes.reload, .reload(key, command))
        }
        if let ev = change.ev {
            lives.values[life].tell(key, ev)
            lives.values[life].hold(key, ev, after: change.sv, at: command.row.at)
        }
    }
}
