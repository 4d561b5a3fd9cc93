import Dissection
import Simperium
import Wire

/// Checks what a client should have done by now.
extension SimperiumChangeCheck {
    mutating func wait(
        for refusal: SimperiumChangeRefusal, _ sent: Sent, _ place: SimperiumChangePlace
    ) {
        func wait(
            _ rule: Rule, _ item: SimperiumChangeDeadline, for pause: Int64? = nil
        ) {
            let patience = pause ?? patience.deadline(of: rule)
            deadlines.wait(
                until: Instant(nanoseconds: refusal.answer.at.nanoseconds + patience), item)
        }
        let isModify = sent.change.operation == .modify
        switch refusal.code {
        case 409: wait(SimperiumChangeRules.noCatchUp, .catchUp(place, refusal))
        case 404 where isModify && sent.change.data == nil:
            wait(SimperiumChangeRules.notSentWhole, .resend(place, refusal))
        case 417 where isModify && sent.change.data == nil,
            440 where isModify && sent.change.data == nil:
            wait(SimperiumChangeRules.notSentWhole, .resend(place, refusal))
        case 500...599:
            let pause = SimperiumChangeRules.retryPause(after: refusal.times)
            if patience.nanoseconds == nil {
                wait(SimperiumChangeRules.stuckKey, .resend(place, refusal), for: pause)
            }
            wait(SimperiumChangeRules.stuckKey, .resend(place, refusal))
        case 400, 401, 405, 413: wait(SimperiumChangeRules.stuckKey, .resend(place, refusal))
        default: break
        }
    }

    mutating func judge(
        _ item: SimperiumChangeDeadline, _ at: Instant, _ session: borrowing SessionView,
        _ report: inout Report
    ) {
        switch item {
        case .catchUp(let place, let refusal):
            guard isListening(refusal.answer, at, session) else { return }
            judgeCatchUp(place, refusal, at, &report)
        case .resend(let place, let refusal):
            guard isListening(refusal.answer, at, session) else { return }
            judgeResend(place, refusal, at, &report)
        case .owed(let place, let number, let connection, let since):
            judgeOwed(place, number, connection, since, at, session, &report)
        }
    }

    /// Whether the client is still connected, has received the answer and sends something.
    private func isListening(
        _ answer: Answer, _ now: Instant, _ session: borrowing SessionView
    ) -> Bool {
        isThere(answer.connection, since: answer.at, now, session)
            && (isEnded || isCertain(answer.connection, answer.seq, answer.at, now: now))
    }

    private func isThere(
        _ id: ConnectionID, since: Instant, _ now: Instant, _ session: borrowing SessionView
    ) -> Bool {
        guard let connection = connections[id], isEnded || connection.endedAt == nil,
            session.isWhole(id), let view = session[id], !view.wasCut
        else { return false }
        // A fault meanwhile may be why nothing was sent.
        if let fault = view.lastFaultAt, fault > since { return false }
        return isEnded || connection.lastSentAt > since
    }

    private mutating func judgeCatchUp(
        _ place: Place, _ refusal: SimperiumChangeRefusal, _ now: Instant, _ report: inout Report
    ) {
        guard let channel = channel(of: refusal.answer), let key = keys.value(place),
            channel.asks <= refusal.channelAsks, key.asks <= refusal.keyAsks,
            key.news <= refusal.news
        else { return }
        findLate(
            SimperiumChangeRules.noCatchUp, place, refusal, channel, now,
            detail:
                "The change \(refusal.ccid) of \(place.key) was answered with 409, and the "
                + "client has not requested the server's state with cv, i or e.", "no cv", &report)
    }

    private mutating func judgeResend(
        _ place: Place, _ refusal: SimperiumChangeRefusal, _ now: Instant, _ report: inout Report
    ) {
        guard let channel = channel(of: refusal.answer), let key = keys.value(place),
            let last = key.refusal, last.ccid == refusal.ccid, last.answer.at == refusal.answer.at,
            key.presence != .removed || refusal.code != 404, key.news <= refusal.news,
            key.asks <= refusal.keyAsks, channel.asks <= refusal.channelAsks
        else { return }
        let code = "\(refusal.code), \(SimperiumErrorCode.detail(refusal.code))"
        let client = Int(place.owner)
        guard refusal.code == 404 || refusal.code == 417 || refusal.code == 440 else {
            let elsewhere = clients[client].count - refusal.count
            guard isEnded || elsewhere >= SimperiumChangeRules.leastElsewhere else { return }
            // It is looked at twice.
            keys.change(place) { $0.refusal = nil }
            return findLate(
                SimperiumChangeRules.stuckKey, place, refusal, channel, now,
                detail: "A change of \(place.key) was answered with \(code), and nothing of it was "
                    + "sent any more, while \(elsewhere) changes of other objects were.",
                severity: refusal.code >= 500 ? nil : .info, "nothing more of this object",
                &report)
        }
        // An app may have undone its edit; a client that never sends the whole object did not.
        clients[client].fails[refusal.code, default: []].insert(place.key)
        let fails = clients[client].fails[refusal.code]?.count ?? 0
        let isHabit = fails >= 2 && !clients[client].sendsWhole.contains(refusal.code)
        findLate(
            SimperiumChangeRules.notSentWhole, place, refusal, channel, now,
            detail:
                "A change of \(place.key) was answered with \(code), and the object was not sent "
                + "with its whole data"
                + (isHabit ? "; \(fails) objects were left so, and none was sent." : "."),
            severity: isHabit ? nil : .info, "not sent", &report)
    }

    private func channel(of answer: Answer) -> Channel? {
        connections[answer.connection]?.channels.values.first { $0.session == answer.session }
    }

    private mutating func findLate(
        _ rule: Rule, _ place: Place, _ refusal: SimperiumChangeRefusal, _ channel: Channel,
        _ now: Instant, detail: String, severity: FindingRow.Severity? = nil, _ step: String,
        _ report: inout Report
    ) {
        var steps: [FindingStep] = []
        if let first = sent.peek(Place(owner: place.owner, key: refusal.ccid)).flatMap({
            kept[$0.evidence]
        }) {
            steps.append(FindingStep(first, "sent"))
        }
        let answer = kept[refusal.answer.evidence]
        if let answer { steps.append(FindingStep(answer, Self.words(refusal.code))) }
        steps.append(FindingStep(at: now, step, place: answer?.place))
        report.add(
            Finding(
                rule, connection: refusal.answer.connection, client: channel.clientID,
                topic: topic(channel.bucketName, place.key), detail: detail, severity: severity,
                steps: steps))
    }

    /// After a reconnection: a change that is to be sent again.
    ///
    /// `goneOn` is the number of other changes that were sent since; nil where only time passed.
    mutating func judgeOwed(
        _ place: Place, _ number: Int32, _ connection: ConnectionID, _ since: Instant,
        _ now: Instant, goneOn: Int? = nil, _ session: borrowing SessionView,
        _ report: inout Report
    ) {
        let client = Int(place.owner)
        guard clients[client].session == number, clients[client].unanswered.contains(place),
            let owed = sent.value(place), owed.session != number, owed.isOwed,
            session.isWhole(owed.connection), isThere(connection, since: since, now, session),
            isEnded || goneOn != nil
                || (connections[connection]?.lastSentAt.nanoseconds ?? 0) - since.nanoseconds
                    > Self.surely
        else { return }
        clients[client].answer(place)
        // If sent under another identifier it is not lost.
        let key = keys.peek(Place(owner: place.owner, key: owed.key))
        guard key?.last == place.key else { return }
        let ccid = place.key
        let answer = owed.answer.map { Self.words($0.code) } ?? "not answered"
        var steps: [FindingStep] = []
        let first = kept[owed.evidence]
        if let first { steps.append(FindingStep(first, "sent, and \(answer)")) }
        steps.append(FindingStep(at: since, "connected again and up to date"))
        let others =
            goneOn.map { ", while \($0 == 1 ? "another change was" : "\($0) other changes were")" }
            ?? ""
        steps.append(FindingStep(at: now, "not sent again", place: first?.place))
        report.add(
            Finding(
                SimperiumChangeRules.neverResent, connection: connection,
                client: clients[client].id, topic: topic(clients[client].bucketName, owed.key),
                detail: "The change \(ccid) of \(owed.key) was \(answer) when its connection "
                    + "ended, and was not sent again on the next one\(others): the edit is lost.",
                steps: steps))
    }

    /// After a reconnection: another change was sent instead of what is to be sent again.
    mutating func goOn(
        _ scene: Scene, _ session: borrowing SessionView, _ report: inout Report
    ) {
        guard let channel = connections[scene.connection]?.channels[scene.channel.number],
            !channel.owed.isEmpty, let since = channel.syncedAt
        else { return }
        let goneOn = channel.goneOn + 1
        connections[scene.connection]?.channels[scene.channel.number]?.goneOn = goneOn
        let passed = scene.at.nanoseconds - since.nanoseconds
        guard passed >= SimperiumChangeRules.leastPause else { return }
        let due = channel.owed.filter { place in
            guard let change = sent.peek(place) else { return true }
            let age = scene.at.nanoseconds - change.sentAt.nanoseconds
            return passed >= SimperiumChangeRules.longPause
                || goneOn >= 2 && age >= SimperiumChangeRules.longPause
        }
        guard !due.isEmpty else { return }
        connections[scene.connection]?.channels[scene.channel.number]?.owed.removeAll {
            due.contains($0)
        }
        for place in due {
            judgeOwed(
                place, channel.session, scene.connection, since, scene.at, goneOn: goneOn, session,
                &report)
        }
    }
}
