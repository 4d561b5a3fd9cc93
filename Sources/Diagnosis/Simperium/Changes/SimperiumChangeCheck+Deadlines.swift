import Dissection
import Notation
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
            guard isListening(refusal.answer, at, session),
                isAwake(refusal.answer.connection, at)
            else { return }
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
            && (isEnded || had(answer.connection, answer.seq, answer.at, now: now))
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

    /// Whether the client has sent something lately: a phone that sleeps tries nothing again.
    private func isAwake(_ id: ConnectionID, _ now: Instant) -> Bool {
        guard !isEnded, let connection = connections[id] else { return isEnded }
        return now.nanoseconds - connection.lastSentAt.nanoseconds <= Self.heartbeats
    }

    private mutating func judgeCatchUp(
        _ place: Place, _ refusal: SimperiumChangeRefusal, _ now: Instant, _ report: inout Report
    ) {
        guard let channel = channel(of: refusal.answer), let key = keys.value(place),
            channel.asks <= refusal.channelAsks, key.asks <= refusal.keyAsks,
            key.news <= refusal.news, !channel.reported.contains(refusal.ccid)
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
            key.presence != .removed || refusal.code != 404,
            key.news <= refusal.news || isLeftOut(refusal, key, place),
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

    /// Whether what came of the object since a refusal is certainly without what was refused.
    mutating func isLeftOut(
        _ refusal: SimperiumChangeRefusal, _ key: Key, _ place: Place
    ) -> Bool {
        guard let refused = sent.peek(Place(owner: place.owner, key: refusal.ccid)),
            !refused.edits.isEmpty, key.presence == .present
        else { return false }
        let object = Place(owner: clients[Int(place.owner)].bucket, key: place.key)
        return truth.knows(object, key.shown)
            && !isContained(refused, in: truth.value(object, key.shown), object)
    }

    func channel(of answer: Answer) -> Channel? {
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
        guard isMissing(owed, place) else { return clients[client].answer(place) }
        // What the user made of it since may be under another identifier.
        let isLast = keys.peek(Place(owner: place.owner, key: owed.key))?.last == place.key
        guard isLast || isEnded else { return }
        clients[client].answer(place)
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

    /// At the end: changes that never reached the server, or whose connection ended before the
    /// answer, and that were not sent again.
    mutating func leaveUnanswered(_ session: borrowing SessionView, _ report: inout Report) {
        for index in clients.indices {
            let left = clients[index].unanswered.compactMap { place in
                sent.peek(place).map { (place: place, change: $0) }
            }.sorted { $0.change.evidence < $1.change.evidence }
            for (place, change) in left.prefix(64) {
                guard change.answer == nil, change.isOwed || change.isAnswerLost,
                    session.isWhole(change.connection), let command = kept[change.evidence],
                    change.isAnswerLost || command.heard == nil
                        || connections[change.connection]?.endedAt != nil,
                    isMissing(change, place)
                else { continue }
                report.add(
                    Finding(
                        SimperiumChangeRules.neverResent, connection: change.connection,
                        client: clients[index].id,
                        topic: topic(clients[index].bucketName, change.key),
                        detail: "The change \(place.key) of \(change.key) was not answered and "
                            + "not sent again.",
                        steps: [FindingStep(command, "sent, and not answered")]))
            }
        }
    }

    /// Whether what a change did is neither in the object nor in what the client sent of it last.
    private mutating func isMissing(_ owed: Sent, _ place: Place) -> Bool {
        guard let key = keys.peek(Place(owner: place.owner, key: owed.key)) else { return true }
        let object = Place(owner: clients[Int(place.owner)].bucket, key: owed.key)
        if owed.change.operation == .remove, key.presence == .removed { return false }
        if isContained(owed, in: truth.value(object, key.shown), object) { return false }
        let last = key.last.flatMap { sent.peek(Place(owner: place.owner, key: $0)) }
        return key.last == place.key || !isContained(owed, in: last?.result, object)
    }

    /// Whether an object has all that a change did; false where that cannot be seen.
    mutating func isContained(_ change: Sent, in value: JSONValue?, _ place: Place) -> Bool {
        guard case .object(let object)? = value else { return false }
        if !change.edits.isEmpty { return change.edits.allSatisfy { $0.count(in: object) > 0 } }
        guard case .object(let wanted)? = change.result,
            case .object(let old)? = change.change.sv.map({ truth.value(place, $0) })
                ?? .object(JSONObject())
        else { return false }
        return Self.changed(old, wanted).allSatisfy {
            Self.isSame(object[$0.string], wanted[$0.string])
        }
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
