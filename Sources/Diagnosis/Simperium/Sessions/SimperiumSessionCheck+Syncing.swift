import Dissection
import Simperium
import Wire

/// The requests of a client to get in sync: the index, changes, entities.
extension SimperiumSessionCheck {
    // MARK: Index

    /// Times that the first page takes the place of the next, until that is no accident.
    private static let leastRestarts = 3

    mutating func askIndex(
        _ request: IndexRequest, _ command: CommandEvidence, _ channel: inout Channel,
        _ session: borrowing SessionView, _ report: inout Report
    ) {
        let isWhole = session.isWhole(command.row.connection)
        defer {
            channel.hasAsked = true
            // A request that did not arrive will not be answered.
            if command.origin == .lost { channel.awaitedPages.removeLast() }
        }
        guard let mark = request.mark else {
            judgeBeginning(command, channel, session, &report)
            judgeReading(command, channel, session, &report)
            judgeRestart(command, &channel, session, &report)
            let life = channel.life.flatMap { lives[$0] }
            let isFirst = life.map { $0.versions.isEmpty && $0.connections == 1 } ?? false
            beginRun(nil, isFirst: isFirst && channel.askedCV == nil, &channel)
            return
        }
        channel.awaitedPages.append((channel.run?.id ?? 0, mark))
        guard isWhole, !channel.marks.isEmpty else { return }
        let isOffset = mark.utf8.allSatisfy { $0 &- 0x30 < 10 }
        if !channel.marks.contains(mark), !isOffset, channel.marks.count < Channel.most {
            add(
                Rules.unknownMark, command, channel,
                "The client requests the page after \(Quote.escaped(mark)), a mark that no page had.",
                steps: channel.run?.last.map { [FindingStep($0.page, "the last page")] } ?? [],
                shows: "the request", session, &report)
        } else if let run = channel.run, run.answered.contains(mark), run.last?.mark != mark {
            add(
                Rules.pageAgain, command, channel,
                "The client requests the page after \(Quote.escaped(mark)) again, which was received\(run.last.map { "; the last page has the mark " + Quote.escaped($0.mark) } ?? "").",
                steps: run.last.map { [FindingStep($0.page, "the last page")] } ?? [],
                shows: "the request", session, &report)
        }
        channel.run?.isNextAsked = true
    }

    /// The first page is requested in the place of the next, again and again.
    private func judgeRestart(
        _ command: CommandEvidence, _ channel: inout Channel, _ session: borrowing SessionView,
        _ report: inout Report
    ) {
        guard session.isWhole(command.row.connection), let run = channel.run, !run.isComplete,
            run.pages == 1, !run.isNextAsked, let last = run.last,
            channel.restarts == 0 || channel.restarted == run.current
        else {
            channel.restarts = 0
            return
        }
        channel.restarts += 1
        channel.restarted = run.current
        guard channel.restarts >= Self.leastRestarts else { return }
        add(
            Rules.pageAgain, command, channel,
            "The client requests the first page \(channel.restarts + 1) times in a row, though the "
                + "last page has the mark \(Quote.escaped(last.mark)).",
            steps: [FindingStep(last.page, "the last page")], shows: "the request", session,
            &report)
    }

    /// The index is read from its start.
    mutating func beginRun(_ mark: String?, isFirst: Bool, _ channel: inout Channel) {
        lastRun += 1
        var run = Channel.Run(id: lastRun)
        if isFirst { run.fetched = 0 }
        channel.run = run
        channel.awaitedPages.append((lastRun, mark))
        if channel.awaitedPages.count > Channel.most { channel.awaitedPages.removeFirst() }
        channel.unknown = nil
        if let id = channel.life { lives[id]?.unknown = nil }
        channel.gaps = [:]
    }

    /// The first request of a connection is for the index though a cv was known.
    mutating func judgeBeginning(
        _ command: CommandEvidence, _ channel: Channel, _ session: borrowing SessionView,
        _ report: inout Report
    ) {
        guard !channel.hasAsked, session.isWhole(command.row.connection),
            let life = channel.life.flatMap({ lives[$0] }), life.wasSettled
        else { return }
        guard let cut = life.cutAt, let newest = life.newest,
            channel.initiation.row.at.nanoseconds - cut.nanoseconds
                < 60 * SimperiumSessionTimes.second
        else { return judgeHabit(command, channel, life, session, &report) }
        add(
            Rules.insteadOfCV, command, channel,
            "The client was in sync at \(newest.cv) when its connection was ended \(Self.seconds(from: cut, to: command.row.at)) ago, and requests the whole index of \(channel.bucket).",
            expected: "CHANNEL:cv:\(newest.cv)",
            steps: [
                FindingStep(at: newest.at, "the client received \(newest.cv)"),
                FindingStep(at: cut, "its connection was ended"),
                FindingStep(channel.initiation, "the new connection"),
            ], shows: "the request for the index", session, &report)
    }

    /// The second connection in a row that begins with the index, soon after one on which the client was
    /// in sync.
    private mutating func judgeHabit(
        _ command: CommandEvidence, _ channel: Channel, _ life: Life,
        _ session: borrowing SessionView, _ report: inout Report
    ) {
        guard let id = channel.life, let left = life.leftAt, let newest = life.newest,
            life.open.count <= 1, !session.hasGaps,
            channel.initiation.row.at.nanoseconds - left.nanoseconds
                < 60 * SimperiumSessionTimes.second
        else { return }
        lives[id]?.needlessBeginnings += 1
        let times = life.needlessBeginnings + 1
        guard times >= 2 else { return }
        let cost = life.reading.map { "; each reading takes \($0.bytes) bytes" } ?? ""
        add(
            Rules.insteadOfCV, command, channel,
            "The client was in sync at \(newest.cv) \(Self.seconds(from: left, to: command.row.at)) ago, and requests the whole index of \(channel.bucket), on the \(Words.ordinal(times)) connection in a row\(cost).",
            expected: "CHANNEL:cv:\(newest.cv)",
            steps: [
                FindingStep(at: newest.at, "the client received \(newest.cv)"),
                FindingStep(at: left, "its connection ended"),
                FindingStep(channel.initiation, "the new connection"),
            ], shows: "the request for the index", session, &report)
    }

    // MARK: Changes

    mutating func askChanges(
        _ cv: String, _ command: CommandEvidence, _ channel: inout Channel,
        _ session: borrowing SessionView, _ report: inout Report
    ) {
        judgeRepetition(of: cv, command, channel, session, &report)
        if !channel.hasAsked { judgeCV(cv, command, channel, session, &report) }
        for key in channel.gaps.keys { channel.gaps[key]?.isRequested = true }
        channel.hasAsked = true
        channel.hasWorked = true
        channel.wasRefused = false
        channel.askedCV = cv
        // Where Tapedeck dropped the request, it may answer it.
        channel.awaitedChanges += 1
    }

    /// The change version that a connection begins with.
    mutating func judgeCV(
        _ cv: String, _ command: CommandEvidence, _ channel: Channel,
        _ session: borrowing SessionView, _ report: inout Report
    ) {
        guard let id = channel.life, let life = lives[id] else { return }
        lives[id]?.needlessBeginnings = 0
        lives[id]?.begin()
        judgeReturn(with: cv, command, channel, life, session, &report)
        guard let order = life.order(of: cv) else {
            // Its state was not seen in the capture.
            lives[id]?.versions = [:]
            lives[id]?.firstParts = [:]
            guard life.wasSettled, !life.hasForgotten, !session.hasGaps,
                session.isWhole(command.row.connection), let newest = life.newest,
                life.open.count <= 1, !cv.isEmpty, cv != "0", cv != "null"
            else { return }
            add(
                Rules.neverIssued, command, channel,
                "The client requests changes since \(Quote.escaped(cv)), which the server has never sent to it; the last it received is \(newest.cv).",
                expected: "CHANNEL:cv:\(newest.cv)",
                steps: [FindingStep(at: newest.at, "the client received \(newest.cv)")],
                shows: "the request", session, &report)
            return
        }
        guard let stored = life.stored, order < stored.order, life.open.count <= 1,
            life.wasLong || order > life.unorderedUpTo
        else { return }
        add(
            Rules.notAdvanced, command, channel,
            "The client requests changes since \(Quote.escaped(cv)), though it received \(stored.order - order) later change versions, up to \(stored.cv), \(Self.seconds(from: stored.at, to: life.endedAt ?? command.row.at)) before its last connection ended.",
            severity: life.wasLong ? nil : .warning,
            expected: "CHANNEL:cv:\(life.newest?.cv ?? stored.cv)",
            steps: [FindingStep(at: stored.at, "the client received \(stored.cv)")],
            shows: "the older one", session, &report)
    }

    // MARK: Entities

    mutating func askEntity(
        _ key: SimperiumName, _ version: Int64, _ command: CommandEvidence,
        _ channel: inout Channel, _ session: borrowing SessionView, _ report: inout Report
    ) {
        let entity = Channel.Entity(key: key, version: version)
        channel.lastEntityAt = command.row.at
        channel.gaps[key] = nil
        if !channel.missing.isEmpty { channel.missing[key] = nil }
        noteRequest(of: entity, command, &channel)
        if let fetched = channel.run?.fetched, let run = channel.run {
            let isNext = fetched < run.fetch.count && run.fetch[fetched] == entity
            channel.run?.fetched = isNext ? fetched + 1 : nil
        }
        if session.isWhole(command.row.connection) {
            judgeEntity(entity, command, &channel, session, &report)
        }
        guard command.origin != .lost, channel.awaited.count < Channel.most else { return }
        channel.awaited[entity, default: 0] += 1
        channel.awaitedCount += 1
        guard channel.awaitedCount > 500, session.isWhole(command.row.connection) else { return }
        add(
            Rules.flood, command, channel,
            "\(channel.awaitedCount) entities are requested and not answered.",
            shows: "one more request", session, &report)
    }

    private mutating func judgeEntity(
        _ entity: Channel.Entity, _ command: CommandEvidence, _ channel: inout Channel,
        _ session: borrowing SessionView, _ report: inout Report
    ) {
        let name = "\(entity.key).\(entity.version)"
        judgeHaste(entity, command, channel, session, &report)
        judgeRefetching(entity, command, &channel, session, &report)
        if let known = channel.answered[entity.key], known.version == entity.version,
            known.times >= 2
        {
            add(
                Rules.entityAgain, command, channel, key: entity.key.string,
                "The client requests \(name) once more; it has received it \(known.times) times and nothing new about the object since.",
                shows: "the request", session, &report)
        }
        guard let life = channel.life.flatMap({ lives[$0] }) else { return }
        if let known = life.versions[entity.key] {
            guard entity.version > known, entity.version - known > 1 else { return }
            add(
                Rules.notAnnounced, command, channel, key: entity.key.string,
                "The client requests version \(entity.version) of \(entity.key); the newest it received is \(known).",
                shows: "the request", session, &report)
        } else if let whole = life.firstParts[entity.key], channel.run?.isComplete ?? false {
            add(
                Rules.truncatedKey, command, channel, key: whole.string,
                "The client requests \(name); there is no such object, but one with the key \(whole).",
                expected: "CHANNEL:e:\(whole).\(life.versions[whole] ?? entity.version)",
                shows: "the request", session, &report)
        }
    }
}
