import Dissection
import Simperium
import Wire

/// Checks the commands of a server.
extension SimperiumServerCheck {
    mutating func say(
        _ said: SimperiumCommand, _ command: CommandEvidence, _ socket: inout Socket,
        _ session: borrowing SessionView, _ report: inout Report
    ) {
        socket.lastSaidAt = command.row.at
        if !said.notes.isEmpty || said.problem != nil, !command.isCut {
            judgeForm(said, command, socket, session, &report)
        }
        if case .heartbeat(let count) = said.body {
            if said.channel == nil { beat(count, command, &socket, session, &report) }
            return
        }
        guard let number = said.channel else {
            // It is unknown which request was not understood.
            if case .notUnderstood = said.body { forgive(&socket) }
            return
        }
        guard var channel = socket.channels.removeValue(forKey: number) else {
            guard session.isWhole(command.row.connection),
                session[command.row.connection]?.lastFaultAt == nil
            else { return }
            add(
                Rules.unopenedChannel, command, nil,
                "The server sends \(said.name) on channel \(number), which the client has not opened.",
                session, &report)
            return
        }
        channel.answered = nil
        defer { socket.channels[number] = channel }
        let place = Bucket.Place(connection: command.row.connection, channel: number)
        switch said.body {
        case .auth(let reply): authorize(reply, command, place, &channel, session, &report)
        case .indexPage(let page): tell(page, command, &channel, session, &report)
        case .unknownMark:
            if channel.awaitedPages.isEmpty {
                unasked(said, command, channel, session, &report)
            } else {
                channel.awaitedPages.removeFirst()
            }
        case .entity(let reply): tell(reply, said, command, &channel, session, &report)
        case .unknownChangeVersion:
            if !channel.awaitedChanges.isEmpty { channel.awaitedChanges.removeFirst() }
            if said.name == "cv" {
                // What looked like an answer may have been another client's change.
                channel.askedChanges -= 1
                if channel.askedChanges < 0 { unasked(said, command, channel, session, &report) }
            } else {
                // The older answer to a change.
                channel.changes = [:]
            }
        case .changes(let changes): tell(changes, command, place, &channel, session, &report)
        case .notUnderstood:
            channel.awaitedPages = []
            channel.awaitedChanges = []
            channel.awaitedEntities = [:]
            channel.changes = [:]
            channel.isAnswered = true
            // The answers to requests that followed it are still to come.
            channel.isHasty = true
        default: break
        }
        judgeBeats(command, channel, &socket, session, &report)
    }

    private func forgive(_ socket: inout Socket) {
        socket.beats = []
        for number in socket.channels.keys {
            socket.channels[number]?.awaitedPages = []
            socket.channels[number]?.awaitedChanges = []
            socket.channels[number]?.awaitedEntities = [:]
            socket.channels[number]?.changes = [:]
            socket.channels[number]?.isAnswered = true
            socket.channels[number]?.isHasty = true
        }
    }

    /// An answer without a request.
    private func unasked(
        _ said: SimperiumCommand, _ command: CommandEvidence, _ channel: Channel,
        _ session: borrowing SessionView, _ report: inout Report
    ) {
        // It may be the answer to what was requested before.
        guard let view = session[command.row.connection], view.coverage == .whole,
            view.lastFaultAt == nil, !channel.isHasty
        else { return }
        add(
            Rules.unasked, command, channel,
            "The server sends \(said.name) on the channel of bucket \(channel.request.bucket ?? ""), without a request.",
            session, &report)
    }

    private mutating func beat(
        _ count: Int64, _ command: CommandEvidence, _ socket: inout Socket,
        _ session: borrowing SessionView, _ report: inout Report
    ) {
        if let index = socket.beats.firstIndex(where: { $0.count < .max && $0.count + 1 == count })
        {
            judgeLateness(socket.beats[index], command, session, &report)
            socket.beats.removeFirst(index + 1)
            if !socket.hasBeaten {
                socket.hasBeaten = true
                beating.insert(Self.server(of: command.row.connection, session))
            }
            return
        }
        let asked = socket.beats.first
        if asked != nil { socket.beats.removeFirst() }
        guard let view = session[command.row.connection], view.coverage == .whole,
            view.lastFaultAt == nil
        else { return }
        add(
            Rules.heartbeatNumber, command, nil,
            asked.map { "The server answers h:\($0.count) with h:\(count)." }
                ?? "The server sends h:\(count) where no heartbeat is unanswered.",
            expected: asked.map { "h:\($0.count < .max ? $0.count + 1 : 0)" },
            steps: asked.map { [FindingStep($0.command, "the client's heartbeat")] } ?? [],
            session, &report)
    }

    // MARK: Opening

    private mutating func authorize(
        _ reply: AuthReply, _ command: CommandEvidence, _ place: Bucket.Place,
        _ channel: inout Channel, _ session: borrowing SessionView, _ report: inout Report
    ) {
        // A refusal may be sent late, when the token has become invalid.
        if channel.isAnswered, case .accepted = reply,
            let view = session[place.connection], view.coverage == .whole, view.lastFaultAt == nil
        {
            add(
                Rules.unasked, command, channel,
                "The server sends auth a second time for one init of bucket \(channel.request.bucket ?? "").",
                steps: [FindingStep(channel.initiation, "the init")], session, &report)
        }
        let isFirst = !channel.isAnswered
        channel.isAnswered = true
        guard case .accepted(let user) = reply else {
            leave(channel, place.connection, place.channel)
            channel.bucket = nil
            return
        }
        guard isFirst else { return }
        let host = session[place.connection]?.upgrade.map { "\($0.host):\($0.port)" } ?? ""
        let id = number(
            of: Channel.BucketName(
                server: host, app: channel.request.app, bucket: channel.request.bucket ?? "",
                user: user))
        channel.bucket = id
        channel.openedAt = command.row.at
        buckets[id, default: Bucket()].places.insert(place)
        switch channel.request.request {
        case .index(let request)?:
            channel.awaitedPages.append(
                Channel.PageRequest(request: request, command: channel.initiation))
        case .changesSince?:
            channel.awaitedChanges.append(channel.initiation)
            channel.askedChanges += 1
        case .other?, nil: break
        }
    }

    // MARK: Pages

    private mutating func tell(
        _ page: IndexPage<Range<Int>>, _ command: CommandEvidence, _ channel: inout Channel,
        _ session: borrowing SessionView, _ report: inout Report
    ) {
        let isUntouched =
            session.isWhole(command.row.connection)
            && session[command.row.connection]?.lastFaultAt == nil
        if isUntouched { remember(page, command, channel, session, &report) }
        guard !channel.awaitedPages.isEmpty else {
            if let said = command.said?.command {
                unasked(said, command, channel, session, &report)
            }
            return
        }
        let asked = channel.awaitedPages.removeFirst()
        channel.answered = asked.command
        guard isUntouched else { return }
        if asked.request.mark == nil {
            channel.marks = [:]
            channel.current = nil
        }
        judgeVersions(page, asked, command, &channel, session, &report)
        judge(page, asked, command, channel, session, &report)
        if let mark = page.mark, !mark.isEmpty, channel.marks.count < Channel.most {
            channel.marks[mark] = command
        }
        if channel.current == nil { channel.current = (page.current, command) }
    }

    private func judge(
        _ page: IndexPage<Range<Int>>, _ asked: Channel.PageRequest, _ command: CommandEvidence,
        _ channel: Channel, _ session: borrowing SessionView, _ report: inout Report
    ) {
        let request = FindingStep(asked.command, "the request")
        if let mark = page.mark, !mark.isEmpty {
            if mark == asked.request.mark || channel.marks[mark] != nil {
                add(
                    Rules.pageLoop, command, channel,
                    "The page has the mark \(Quote.escaped(mark)), \(mark == asked.request.mark ? "which it was requested with" : "which an earlier page of this reading had").",
                    steps: (channel.marks[mark].map { [FindingStep($0, "the earlier page")] } ?? [])
                        + [request], session, &report)
            }
            if mark.utf8.allSatisfy({ $0 &- 0x30 < 10 }) {
                add(
                    Rules.markDigits, command, channel,
                    "The mark \(mark) could be taken for an offset.", session, &report)
            }
        }
        if let current = channel.current, current.text != page.current, asked.request.mark != nil {
            add(
                Rules.currentMoves, command, channel,
                "current was \(current.text ?? "missing") on the first page and is \(page.current ?? "missing") on this one.",
                steps: [FindingStep(current.page, "the first page")], session, &report)
        }
        if let limit = asked.request.limit, limit > 0, page.entries.count > limit {
            add(
                Rules.pageTooLong, command, channel,
                "The page has \(page.entries.count) entries; \(limit) at most were requested.",
                steps: [request], session, &report)
        }
        if asked.request.wantsData, let entry = page.entries.first(where: { $0.data == nil }) {
            add(
                Rules.pageWithoutData, command, channel,
                "The entry of \(entry.key ?? "an object") has no d, though the request has 1 in its first slot.",
                steps: [request], session, &report)
        }
    }

    // MARK: Entities

    private mutating func tell(
        _ reply: EntityReply<Range<Int>>, _ said: SimperiumCommand, _ command: CommandEvidence,
        _ channel: inout Channel, _ session: borrowing SessionView, _ report: inout Report
    ) {
        let key = SimperiumName(reply.key)
        let entity = Channel.Entity(key: key, version: reply.version)
        if let asked = channel.awaitedEntities[entity] {
            // Of several equal requests the first is answered, and only the last is known.
            channel.answered = asked.count == 1 ? asked.command : nil
            channel.awaitedEntities[entity] =
                asked.count > 1 ? (asked.count - 1, asked.command) : nil
        } else if channel.bucket != nil {
            unasked(said, command, channel, session, &report)
        }
        judgeVersion(reply, command, channel)
        guard let data = reply.data, let id = channel.bucket, !command.isCut,
            session.isWhole(command.row.connection)
        else { return }
        objects.check(id, key, reply.version, command, data).map {
            differs($0, reply.key, reply.version, command, channel, session, &report)
        }
    }

    private mutating func remember(
        _ page: IndexPage<Range<Int>>, _ command: CommandEvidence, _ channel: Channel,
        _ session: borrowing SessionView, _ report: inout Report
    ) {
        guard let id = channel.bucket, !command.isCut else { return }
        for entry in page.entries {
            guard let name = entry.key, let version = entry.version, let data = entry.data,
                let known = objects.check(id, SimperiumName(name), version, command, data)
            else { continue }
            differs(known, name, version, command, channel, session, &report)
        }
    }

    private func differs(
        _ known: SimperiumServerObjects.Difference, _ key: String, _ version: Int64,
        _ command: CommandEvidence, _ channel: Channel, _ session: borrowing SessionView,
        _ report: inout Report
    ) {
        add(
            Rules.entityDiffers, command, channel, key: key,
            "Version \(version) of \(key) is \(Quote.of(known.reported)) here; \(Self.origin(known)) \(Quote.of(known.expected)).",
            steps: [
                FindingStep(
                    known.command,
                    known.base > 0 ? "version \(known.base) as it was sent" : "the object is made")
            ],
            session, &report)
    }

    private static func origin(_ known: SimperiumServerObjects.Difference) -> String {
        guard known.steps > 0 else { return "it was sent as" }
        let changes = known.steps == 1 ? "the change" : "the \(known.steps) changes"
        let since = known.base > 0 ? " since version \(known.base)" : " that made it"
        return changes + since + (known.steps == 1 ? " makes it" : " make it")
    }

    // MARK: Changes

    private mutating func tell(
        _ changes: [SimperiumChange<Range<Int>>], _ command: CommandEvidence, _ place: Bucket.Place,
        _ channel: inout Channel, _ session: borrowing SessionView, _ report: inout Report
    ) {
        let isAnswer = !channel.awaitedChanges.isEmpty
        var hasError = false
        var isOwn = false
        for (index, change) in changes.enumerated() {
            if change.error != nil { hasError = true }
            for ccid in change.ccids where !channel.changes.isEmpty {
                guard let own = channel.changes.removeValue(forKey: SimperiumName(ccid)) else {
                    continue
                }
                isOwn = true
                channel.answered = own
                judgeAcknowledgement(change, of: own, command, channel, session, &report)
            }
            guard let id = channel.bucket else { continue }
            spread(change, place, id, command, session)
            guard change.error == nil, session.isWhole(place.connection) else { continue }
            if !command.isCut { objects.take(id, change, index, command) }
            follow(
                change, command, isAnswer: isAnswer, isAlone: changes.count == 1, id, &channel,
                session, &report)
        }
        // The acknowledgement of a change is not an answer to `cv`.
        if isAnswer, !hasError, !(isOwn && changes.count == 1) {
            channel.awaitedChanges.removeFirst()
        }
    }

    /// The order of the changes of one object.
    private mutating func follow(
        _ change: SimperiumChange<Range<Int>>, _ command: CommandEvidence, isAnswer: Bool,
        isAlone: Bool,
        _ id: Channel.BucketID, _ channel: inout Channel, _ session: borrowing SessionView,
        _ report: inout Report
    ) {
        guard let name = change.key, let ev = change.ev else { return }
        let key = SimperiumName(name)
        if !isAnswer {
            judge(change, key, ev, command, channel, session, &report)
            if isAlone, let cv = change.cv, !cv.isEmpty,
                let known = buckets[id]?.give(SimperiumName(cv), change, command)
            {
                add(
                    Rules.cvRepeated, command, channel, key: name,
                    "The change version \(cv) belongs to version \(ev) of \(name), and belonged to another change before.",
                    steps: [FindingStep(known, "the other change")], session, &report)
            }
        }
        buckets[id]?.lead(key, change, command)
        if change.operation == .remove {
            channel.versions[key] = nil
        } else if channel.versions.count < Channel.most || channel.versions[key] != nil {
            channel.versions[key] = (ev, change.ccids, command)
        }
    }

    private func judge(
        _ change: SimperiumChange<Range<Int>>, _ key: SimperiumName, _ ev: Int64,
        _ command: CommandEvidence,
        _ channel: Channel, _ session: borrowing SessionView, _ report: inout Report
    ) {
        guard let known = channel.versions[key] else { return }
        if let sv = change.sv, sv > known.ev {
            add(
                Rules.versionGap, command, channel, key: key.string,
                "The change of \(key) leads from version \(sv) to \(ev), and the last one sent on this channel led to \(known.ev): what led to \(sv == known.ev + 1 ? "version \(sv)" : "versions \(known.ev + 1) to \(sv)") is missing.",
                expected:
                    "The change from version \(known.ev) first, or this one with \"sv\":\(known.ev).",
                steps: [FindingStep(known.command, "the change before")], session, &report)
        } else if ev == known.ev, !change.ccids.isEmpty, !known.ccids.isEmpty,
            Set(change.ccids).isDisjoint(with: known.ccids)
        {
            add(
                Rules.versionRepeated, command, channel, key: key.string,
                "Two changes of \(key), \(known.ccids.joined(separator: " ")) and \(change.ccids.joined(separator: " ")), lead to version \(ev).",
                steps: [FindingStep(known.command, "the change before")], session, &report)
        }
    }
}
