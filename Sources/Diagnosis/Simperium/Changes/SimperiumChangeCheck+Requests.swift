import Dissection
import Notation
import Simperium
import Wire

/// Requests and changes of clients.
extension SimperiumChangeCheck {
    mutating func takeRequest(
        _ scene: Scene, _ session: borrowing SessionView, _ report: inout Report
    ) {
        guard let said = scene.command.said, !scene.command.isCut else { return }
        switch said.command.body {
        case .changesSince:
            connections[scene.connection]?.channels[scene.channel.number]?.asks += 1
        case .indexRequest(let request):
            connections[scene.connection]?.channels[scene.channel.number]?.asks += 1
            guard request.mark == nil else { return }
            connections[scene.connection]?.channels[scene.channel.number]?.firstPage = nil
        case .entityRequest(let name, _):
            keys.update(Place(owner: scene.client, key: ExactText(name))) { $0.asks += 1 }
        case .changes(let changes):
            let isSound = Self.isSound(said.command)
            for change in changes {
                judgeRate(scene, &report)
                guard let key = change.key, let ccid = change.ccids.first else { continue }
                take(
                    change, ExactText(key), Place(owner: scene.client, key: ExactText(ccid)),
                    said.text, scene, isSound: isSound, session, &report)
            }
        default: break
        }
    }

    private mutating func judgeRate(_ scene: Scene, _ report: inout Report) {
        clients[Int(scene.client)].count += 1
        let count = connections[scene.connection]?.countChange(at: scene.at)
        guard count == SimperiumChangeRules.maxPerSecond + 1 else { return }
        find(
            SimperiumChangeRules.rate, scene, nil,
            detail: "More than \(SimperiumChangeRules.maxPerSecond) changes within one second.",
            "one too many", nil, &report)
    }

    private mutating func take(
        _ change: SimperiumChange<Range<Int>>, _ key: ExactText, _ ccid: Place, _ text: [UInt8],
        _ scene: Scene, isSound: Bool, _ session: borrowing SessionView, _ report: inout Report
    ) {
        let place = Place(owner: scene.client, key: key)
        var trial = SimperiumChangeTrial(
            change: change, key: key, ccid: ccid.key, text: text, isSound: isSound)
        if change.data != nil, let known = keys.use(place) {
            judgeWhole(change, key, keys.values[known].wholeRefusals, scene, &report)
        }
        let before = sent.value(ccid)
        if let before {
            judgeAgain(before, &trial, scene, &report)
            judgeWholeAgain(&trial, keys.value(place) ?? Key(), scene, &report)
            sent.change(ccid) { known in
                if !trial.isReuse {
                    known.evidence = scene.evidence
                    known.change = Sent.Gist(change)
                    if let code = known.answer?.code, code != 0, code != 409 { known.answer = nil }
                }
                known.session = scene.channel.session
                known.connection = scene.connection
                known.sentAt = scene.at
                known.asks = scene.channel.asks
            }
            if trial.isReuse { return }
        } else {
            let known = keys.value(place) ?? Key()
            prove(change, known, scene)
            judgeNew(&trial, known, scene, session, &report)
            let added = Sent(
                key: key, evidence: scene.evidence, change: Sent.Gist(change),
                session: scene.channel.session, connection: scene.connection, sentAt: scene.at,
                asks: scene.channel.asks,
                result: trial.result, size: trial.size, edits: trial.edits,
                repeats: trial.repeats)
            let cost = trial.edits.reduce(512 + 2 * trial.size) { $0 + $1.cost }
            sent.set(ccid, added, cost: cost)
        }
        let isAnswered = sent.place(of: ccid).map { sent.values[$0].isDone } ?? false
        if !isAnswered, clients[Int(scene.client)].unanswered.count < 10_000 {
            clients[Int(scene.client)].unanswered.insert(ccid)
        }
        keys.update(place) { state in
            if let refusal = state.refusal,
                change.data != nil || change.sv == nil && change.operation == .modify
            {
                clients[Int(scene.client)].sendsWhole.insert(refusal.code)
            }
            state.refusal = nil
            state.last = ccid.key
            state.ledger.send(ccid.key, scene)
            if !trial.isBehind { state.behind = [] }
        }
        if before == nil {
            goOn(scene, session, &report)
            judgeGoingOn(key, scene, session, &report)
        }
    }

    /// A version that was sent on this connection shows how much the client has received.
    private mutating func prove(_ change: SimperiumChange<Range<Int>>, _ known: Key, _ scene: Scene)
    {
        guard let sv = change.sv, known.session == scene.channel.session, known.isProof,
            known.shown == sv, known.shownSeq > connections[scene.connection]?.proven ?? 0
        else { return }
        connections[scene.connection]?.proven = known.shownSeq
    }

    /// The whole object, after it was refused as a whole repeatedly.
    private func judgeWhole(
        _ change: SimperiumChange<Range<Int>>, _ key: ExactText, _ refusals: [Int], _ scene: Scene,
        _ report: inout Report
    ) {
        guard refusals.count >= SimperiumChangeRules.maxWhole, change.data != nil else { return }
        find(
            SimperiumFindingGroups.fullResendLoop, scene, key,
            detail: "\(key) is sent with its whole data once more, after \(refusals.count) such "
                + "changes were refused in a row.",
            after: refusals.map { ($0, "refused") }, "sent whole again", change.range, &report)
    }

    // MARK: The same identifier again

    private mutating func judgeAgain(
        _ before: Sent, _ trial: inout SimperiumChangeTrial, _ scene: Scene,
        _ report: inout Report
    ) {
        let change = trial.change
        guard before.key == trial.key else {
            trial.isReuse = true
            return find(
                SimperiumChangeRules.ccidOfAnotherObject, scene, trial.key,
                detail:
                    "The ccid \(trial.ccid) of a change of \(before.key) is used for a change of "
                    + "\(trial.key).",
                after: [(before.evidence, "its first use")], "its second", change.range, &report)
        }
        let likeness = trial.likeness(to: before, kept)
        let earlier = [(evidence: before.evidence, detail: "sent first")]
        guard let answer = before.answer else {
            guard likeness == .other || likeness == .whole else { return }
            return find(
                SimperiumChangeRules.ccidWithOtherContent, scene, trial.key,
                detail: "The change \(trial.ccid) of \(trial.key) is sent again with another "
                    + trial.difference(from: before, kept) + ", though it was not refused.",
                after: earlier, "not the same", change.range, &report)
        }
        let answered = earlier + [(answer.evidence, Self.words(answer.code))]
        if answer.code == 0 {
            trial.isReuse = true
            guard likeness == .other || likeness == .whole || isKnown(answer, to: before, scene)
            else { return }
            return find(
                SimperiumChangeRules.ccidReused, scene, trial.key,
                detail:
                    "The ccid \(trial.ccid) is used again after the server accepted its change of "
                    + "\(trial.key).",
                after: answered, "used again", change.range, &report)
        }
        guard isKnown(answer, to: before, scene) else { return }
        judgeAfter(
            answer.code, before, &trial, likeness, answered, nil, scene, &report)
    }

    static func words(_ code: Int) -> String {
        code == 0 ? "acknowledged" : "answered with \(code), \(SimperiumErrorCode.detail(code))"
    }

    // MARK: After a refusal

    /// Judges what is sent after a refusal; `refusal` is what was known then, nil where the same
    /// ccid is sent again.
    private mutating func judgeAfter(
        _ code: Int, _ before: Sent, _ trial: inout SimperiumChangeTrial,
        _ likeness: SimperiumChangeTrial.Likeness, _ earlier: [(evidence: Int, detail: String)],
        _ refusal: SimperiumChangeRefusal?, _ scene: Scene, _ report: inout Report
    ) {
        let change = trial.change
        let place = Place(owner: scene.client, key: trial.key)
        let isSame = likeness == .same
        let isModify = change.operation == .modify
        let isInformed = isInformed(since: refusal, before, scene)
        var rule: Rule?
        var expected: String?
        switch code {
        case 409: rule = isSame ? SimperiumChangeRules.afterDuplicate : nil
        case 412: rule = isSame ? SimperiumChangeRules.afterEmpty : nil
        case 400:
            rule = isSame && (isModify || refusal == nil) ? SimperiumChangeRules.afterInvalid : nil
        case 413:
            // One that has become larger once may have been smaller in between.
            let isBigger: Bool =
                if keys.peek(place)?.tooLarge ?? 0 >= 2, let old = before.result,
                    let new = trial.result, !isInformed
                {
                    new.bytes().count >= old.bytes().count
                } else {
                    false
                }
            rule = isSame || isBigger && isModify ? SimperiumChangeRules.afterTooLarge : nil
        case 401:
            let isSameToken = before.answer?.session == scene.channel.session
            rule = refusal == nil && isSameToken ? SimperiumChangeRules.sameToken : nil
        case 404 where isModify && change.data == nil && change.sv != nil && !isInformed:
            rule = SimperiumChangeRules.diffAfterNotFound
        case 405
        where isModify && change.data == nil && !isInformed
            && change.sv == before.change.sv:
            rule = SimperiumChangeRules.diffAfterBadVersion
        case 417 where isDiffOnly(change, after: before) && !isInformed,
            440 where isDiffOnly(change, after: before) && !isInformed:
            rule = SimperiumChangeRules.diffAfterInvalidDiff
        case 500...599:
            guard let answer = before.answer,
                scene.at.nanoseconds - answer.at.nanoseconds < 200_000_000
            else { break }
            connections[scene.connection]?.channels[scene.channel.number]?.hasty += 1
            let hasty = connections[scene.connection]?.channels[scene.channel.number]?.hasty ?? 0
            if hasty >= 3 { rule = SimperiumChangeRules.retryAtOnce }
        default: break
        }
        let mayDiffer: Bool =
            switch code {
            case 404, 405, 417, 440: true
            default: change.data != nil
            }
        if rule == nil, refusal == nil, likeness == .other, !mayDiffer {
            rule = SimperiumChangeRules.ccidWithOtherContent
            expected = "a new ccid for another change"
        }
        guard let rule else { return }
        trial.isJudged = true
        let what = refusal == nil ? "again" : "again under the ccid \(trial.ccid)"
        let isOther = rule == SimperiumChangeRules.afterTooLarge && !isSame
        find(
            rule, scene, trial.key,
            detail: "The change \(before.change.ccid) of \(trial.key) was answered with "
                + "\(code), \(SimperiumErrorCode.detail(code)), and "
                + (isOther
                    ? "\(trial.ccid) makes the object no smaller."
                    : "is sent \(what)"
                        + (isSame ? " as it was." : change.data == nil ? " without d." : ".")),
            expected: expected,
            absorbs: rule == SimperiumChangeRules.afterDuplicate
                ? [SimperiumChangeRules.noCatchUp.id] : [], after: earlier, "sent again",
            change.range, &report)
    }

    /// Whether a diff is followed by another for the same version.
    private func isDiffOnly(
        _ change: SimperiumChange<Range<Int>>, after before: Sent
    ) -> Bool {
        change.operation == .modify && before.change.operation == .modify && change.data == nil
            && before.change.data == nil && change.sv == before.change.sv
    }

    /// Whether the client has requested, or received, the current object.
    private func isInformed(
        since refusal: SimperiumChangeRefusal?, _ before: Sent, _ scene: Scene
    ) -> Bool {
        let key = keys.peek(Place(owner: scene.client, key: before.key))
        guard let refusal = refusal ?? key?.refusal, let key,
            refusal.answer.session == scene.channel.session
        else { return true }
        if key.news > refusal.news { return true }
        let channel = connections[scene.connection]?.channels[scene.channel.number]
        let (asks, answers) = (channel?.asks ?? 0, channel?.answers ?? 0)
        // Before the answer it knows as little of the version as before the request.
        if refusal.code == 405 {
            return asks > refusal.channelAsks && answers > refusal.channelAnswers
        }
        return asks > refusal.channelAsks || key.asks > refusal.keyAsks
    }

    // MARK: A new change

    private mutating func judgeNew(
        _ trial: inout SimperiumChangeTrial, _ known: Key, _ scene: Scene,
        _ session: borrowing SessionView, _ report: inout Report
    ) {
        let change = trial.change
        if scene.isWhole { trial.work(&truth, Place(owner: scene.bucket, key: trial.key)) }
        judgeForgetting(&trial, known, scene, session, &report)
        guard !trial.isJudged else { return }
        judgeInFlight(&trial, known, scene, session, &report)
        if let refusal = known.refusal, !trial.isJudged,
            refusal.answer.session == scene.channel.session,
            let before = sent.value(Place(owner: scene.client, key: refusal.ccid))
        {
            judgeAfter(
                refusal.code, before, &trial, trial.likeness(to: before, kept),
                [
                    (before.evidence, "sent first"),
                    (refusal.answer.evidence, Self.words(refusal.code)),
                ], refusal, scene, &report)
        }
        if scene.channel.unpermitted >= SimperiumChangeRules.maxUnpermitted, !trial.isJudged {
            trial.isJudged = true
            find(
                SimperiumChangeRules.sameToken, scene, trial.key,
                detail: "\(scene.channel.unpermitted) changes in a row were refused with 401, and "
                    + "another is sent with the same token.",
                "sent with the same token", change.range, &report)
        }
        guard !trial.isJudged else { return }
        judgeRepetition(&trial, known, scene, &report)
        guard !trial.isJudged else { return }
        judgeDoubling(&trial, known, scene, &report)
        guard !trial.isJudged else { return }
        judgeEcho(&trial, known, scene, &report)
        guard !trial.isJudged else { return }
        judgeVersion(&trial, known, scene, &report)
        guard !trial.isJudged else { return }
        judgeDiff(&trial, known, scene, &report)
    }
}
