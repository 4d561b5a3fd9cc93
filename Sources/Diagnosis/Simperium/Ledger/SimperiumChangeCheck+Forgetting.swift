import Notation
import Simperium
import Wire

/// What a client leaves out though the server does not have it.
extension SimperiumChangeCheck {
    /// The least that is sure to be missed: code units of a text, bytes of another value.
    private static let leastMissed = 4

    /// A change of an object whose last change the client still has to send, and that leaves it out.
    mutating func judgeForgetting(
        _ trial: inout SimperiumChangeTrial, _ known: Key, _ scene: Scene,
        _ session: borrowing SessionView, _ report: inout Report
    ) {
        judgeForgottenRemoval(&trial, known, scene, session, &report)
        guard !trial.isJudged, scene.isWhole, !known.isAltered, trial.change.operation == .modify,
            let last = known.last, let base = trial.base, let after = trial.after,
            let place = sent.use(Place(owner: scene.client, key: last)),
            !sent.values[place].isMade, sent.values[place].answer?.code != 0,
            sent.values[place].change.operation == .modify
        else { return }
        let before = sent.values[place]
        guard isToBeSentAgain(before, scene, session), case .object(let wanted)? = before.result,
            let old = object(before, scene),
            !Self.changed(base, after).contains(where: { Self.isReplaced($0, base, after) })
        else { return }
        if let member = missed(before, old, trial, base, after) {
            return findForgotten(before, last, member, "", &trial, scene, &report)
        }
        let gone = Self.changed(old, wanted).filter { Self.isGone($0, old, wanted, base, after) }
        guard !gone.isEmpty,
            let first = gone.first(where: { Self.isSure($0, old, wanted) })
        else { return }
        let others = gone.count - 1
        let more = others > 0 ? " and \(others) other member\(others == 1 ? "" : "s")" : ""
        findForgotten(before, last, first, more, &trial, scene, &report)
    }

    /// An object whose removal the client still has to send is edited.
    private mutating func judgeForgottenRemoval(
        _ trial: inout SimperiumChangeTrial, _ known: Key, _ scene: Scene,
        _ session: borrowing SessionView, _ report: inout Report
    ) {
        guard scene.isWhole, !known.isAltered, trial.change.operation == .modify,
            trial.change.sv != nil, known.presence != .removed, let last = known.last,
            let before = sent.peek(Place(owner: scene.client, key: last)),
            before.change.operation == .remove, before.answer == nil, before.isOwed,
            before.session != scene.channel.session, scene.channel.isSynced,
            session.isWhole(before.connection), connections[before.connection]?.endedAt != nil
        else { return }
        trial.isJudged = true
        find(
            SimperiumChangeRules.forgotten, scene, trial.key,
            detail:
                "The removal \(before.change.ccid) of \(trial.key) was not answered, and the next "
                + "change, \(trial.ccid), edits the object: the removal is lost.",
            absorbs: [SimperiumChangeRules.neverResent.id], after: [(before.evidence, "removed")],
            "edited", trial.change.range, &report)
        clients[Int(scene.client)].answer(Place(owner: scene.client, key: last))
    }

    private mutating func findForgotten(
        _ before: Sent, _ ccid: ExactText, _ member: ExactText, _ more: String,
        _ trial: inout SimperiumChangeTrial, _ scene: Scene, _ report: inout Report
    ) {
        trial.isJudged = true
        let answer = before.answer.map { Self.words($0.code) } ?? "not answered"
        var earlier = [(evidence: before.evidence, detail: "sent")]
        if let answer = before.answer { earlier.append((answer.evidence, Self.words(answer.code))) }
        find(
            SimperiumChangeRules.forgotten, scene, trial.key,
            detail: "The change \(before.change.ccid) of \(trial.key) was \(answer), and the next "
                + "change, \(trial.ccid), is without what it did to \(member)\(more): the edit is "
                + "lost.",
            absorbs: [SimperiumChangeRules.neverResent.id], after: earlier, "without it",
            trial.change.value ?? trial.change.range, &report)
        clients[Int(scene.client)].answer(Place(owner: scene.client, key: ccid))
    }

    /// A member from which a text or element of an earlier change is missing, though others changed
    /// it since; nil where there is none, or where this change is about the member as well.
    private func missed(
        _ before: Sent, _ old: JSONObject, _ trial: SimperiumChangeTrial, _ base: JSONObject,
        _ after: JSONObject
    ) -> ExactText? {
        guard trial.change.data == nil, let operations = trial.operations else { return nil }
        return before.edits.first { edit in
            operations[edit.member.string] == nil && edit.isWhole
                && !Self.isReplaced(edit.member, old, base)
                && edit.count(in: base) == 0 && edit.count(in: after) == 0
        }?.member
    }

    /// The object that a change was for.
    private mutating func object(_ change: Sent, _ scene: Scene) -> JSONObject? {
        guard let sv = change.change.sv else { return JSONObject() }
        guard
            case .object(let object)? = truth.value(
                Place(owner: scene.bucket, key: change.key), sv)
        else { return nil }
        return object
    }

    /// Whether the client knows that a change is not made, or has connected again without knowing.
    private func isToBeSentAgain(
        _ before: Sent, _ scene: Scene, _ session: borrowing SessionView
    ) -> Bool {
        let isRefused = before.answer.map { answer in
            switch answer.code {
            // With its whole data there is nothing more to send.
            case 404, 417, 440: before.change.data == nil
            case 500...599: true
            // A client that reads the object again may give up its own edit.
            case 405: isUnread(since: answer, before)
            default: false
            }
        }
        if let answer = before.answer, answer.session == scene.channel.session {
            // Both may have crossed.
            return isRefused == true
                && (isCertain(scene.connection, answer.seq, answer.at, now: scene.at)
                    || scene.at.nanoseconds - answer.at.nanoseconds
                        > SimperiumObjectLedger.crossing)
        }
        return isRefused ?? true && !before.isAnswerLost
            && before.session != scene.channel.session && scene.channel.isSynced
            && session.isWhole(before.connection)
    }

    /// Whether the client has not requested the object, or all, since an answer.
    private func isUnread(since answer: Answer, _ before: Sent) -> Bool {
        let key = keys.peek(Place(owner: clientNumber(of: answer), key: before.key))
        guard let refusal = key?.refusal, refusal.answer.at == answer.at, let key else {
            return false
        }
        let asks = channel(of: answer)?.asks ?? .max
        return key.asks == refusal.keyAsks && asks == refusal.channelAsks
    }

    private func clientNumber(of answer: Answer) -> Int32 { channel(of: answer)?.client ?? -1 }

    /// The members that differ.
    static func changed(_ old: JSONObject, _ new: JSONObject) -> [ExactText] {
        let olds = old.index()
        let news = new.index()
        return new.members.filter { member in
            olds[member.key].map { !old.members[$0].value.isSame(as: member.value) } ?? true
        }.map(\.key) + old.members.filter { news[$0.key] == nil }.map(\.key)
    }

    /// Whether nothing of a member stays: the app may have replaced the whole object.
    static func isReplaced(_ member: ExactText, _ old: JSONObject, _ new: JSONObject) -> Bool {
        switch (old[member.string], new[member.string]) {
        case (_?, nil): return true
        case (.string(let old)?, .string(let new)?):
            let change = SimperiumTextChange(from: Array(old.utf16), to: Array(new.utf16))
            return !old.isEmpty && change.replaced.count == old.utf16.count
        default: return false
        }
    }

    static func isSame(_ a: JSONValue?, _ b: JSONValue?) -> Bool {
        switch (a, b) {
        case (nil, nil): true
        case (let a?, let b?): a.isSame(as: b)
        default: false
        }
    }

    /// Whether a member is as if it had not been changed, and nobody else changed it.
    private static func isGone(
        _ member: ExactText, _ old: JSONObject, _ wanted: JSONObject, _ base: JSONObject,
        _ after: JSONObject
    ) -> Bool {
        let key = member.string
        guard isSame(old[key], base[key]) else { return false }
        if isSame(base[key], after[key]) { return true }
        // Somebody edited the same text at another place.
        guard case .string(let first)? = base[key], case .string(let lost)? = wanted[key],
            case .string(let second)? = after[key]
        else { return false }
        let source = Array(first.utf16)
        let left = SimperiumTextChange(from: source, to: Array(lost.utf16))
        let right = SimperiumTextChange(from: source, to: Array(second.utf16))
        return left.isApart(from: right)
    }

    /// Whether nobody would have set it back by the way, as a switch.
    private static func isSure(
        _ member: ExactText, _ old: JSONObject, _ wanted: JSONObject
    ) -> Bool {
        let key = member.string
        switch (old[key], wanted[key]) {
        case (.string(let old)?, .string(let new)?):
            let change = SimperiumTextChange(from: Array(old.utf16), to: Array(new.utf16))
            return max(change.inserted.count, change.replaced.count) >= leastMissed
        case (_, .bool?), (_, .null?), (_, nil): return false
        case (_, let new?): return new.bytes().count >= leastMissed
        }
    }
}
