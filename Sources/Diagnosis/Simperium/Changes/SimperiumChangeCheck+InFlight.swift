import Dissection
import Notation
import Simperium
import Wire

/// Changes that are sent while another is not answered, or that repeat one.
extension SimperiumChangeCheck {
    /// A change that waits for an answer, which a fault has taken, is sent under another identifier.
    private mutating func judgeImpatience(
        _ before: Sent, _ trial: inout SimperiumChangeTrial, _ scene: Scene,
        _ report: inout Report
    ) {
        guard before.isAnswerLost, before.answer == nil, scene.isWhole,
            before.session == scene.channel.session, trial.likeness(to: before, kept) == .same
        else { return }
        trial.isJudged = true
        find(
            SimperiumChangeRules.resentUnderNewCCID, scene, trial.key,
            detail: "The change \(before.change.ccid) of \(trial.key) was not answered, and is now "
                + "sent as \(trial.ccid): the server cannot see that it is the same.",
            severity: trial.edits.contains(where: \.isText) ? .error : nil,
            after: [(before.evidence, "not answered")], "under another ccid", trial.change.range,
            &report)
    }

    /// A change while another of the same object is on its way.
    mutating func judgeInFlight(
        _ trial: inout SimperiumChangeTrial, _ known: Key, _ scene: Scene,
        _ session: borrowing SessionView, _ report: inout Report
    ) {
        guard let last = known.last,
            let place = sent.use(Place(owner: scene.client, key: last))
        else { return }
        judgeImpatience(sent.values[place], &trial, scene, &report)
        guard sent.values[place].isOpen, scene.isWhole, !trial.isJudged else { return }
        let before = sent.values[place]
        let change = trial.change
        let ccid = before.change.ccid
        guard before.session == scene.channel.session else {
            guard change.operation == .modify, before.change.operation == .modify,
                change.sv == before.change.sv, session.isWhole(before.connection),
                connections[before.connection]?.endedAt != nil
            else { return }
            trial.isJudged = true
            clients[Int(scene.client)].answer(Place(owner: scene.client, key: last))
            return find(
                SimperiumChangeRules.resentUnderNewCCID, scene, trial.key,
                detail: "The change \(ccid) of \(trial.key) was not answered when its connection "
                    + "ended, and is now sent as \(trial.ccid).",
                after: [(before.evidence, "not answered")], "under another ccid", change.range,
                &report)
        }
        trial.isJudged = true
        if change.operation == .remove, before.change.operation == .modify {
            return find(
                SimperiumChangeRules.removeWhilePending, scene, trial.key,
                detail: "\(trial.key) is removed while the change \(ccid) of it is not answered.",
                after: [(before.evidence, "not answered")], "removed", change.range, &report)
        }
        if let foreign = scene.channel.foreign, foreign.at >= before.sentAt,
            scene.at.nanoseconds - foreign.at.nanoseconds < 1_000_000_000
        {
            return find(
                SimperiumChangeRules.foreignAnswer, scene, trial.key,
                detail:
                    "A new change of \(trial.key) is sent right after a change of another client "
                    + "came, while \(ccid) is not answered.",
                after: [
                    (before.evidence, "not answered"), (foreign.evidence, "of another client"),
                ], "the next", change.range, &report)
        }
        find(
            SimperiumChangeRules.secondInFlight, scene, trial.key,
            detail: "A second change of \(trial.key) is sent while \(ccid) is not answered.",
            after: [(before.evidence, "not answered")], "the second", change.range, &report)
    }

    /// The same edit again, after the server has it.
    mutating func judgeRepetition(
        _ trial: inout SimperiumChangeTrial, _ known: Key, _ scene: Scene,
        _ report: inout Report
    ) {
        let change = trial.change
        guard change.operation == .modify, change.sv != nil, let first = known.made,
            let place = sent.use(Place(owner: scene.client, key: first)),
            // Nearly all are for another version, and need no copy.
            sent.values[place].change.sv == change.sv, sent.values[place].isMade
        else { return }
        let before = sent.values[place]
        guard [nil, 0, 409].contains(before.answer?.code),
            trial.likeness(to: before, kept) == .same
        else { return }
        trial.isJudged = true
        trial.repeats = first
        let harm: FindingRow.Severity? = trial.edits.contains(where: \.isText) ? .error : nil
        var earlier = [(evidence: before.evidence, detail: "sent first")]
        if let answer = before.answer { earlier.append((answer.evidence, Self.words(answer.code))) }
        find(
            SimperiumChangeRules.duplicateEdit, scene, trial.key,
            detail:
                "The change \(first) of \(trial.key) was applied by the server, and the same edit of "
                + "version \(change.sv ?? 0) is sent again as \(trial.ccid).",
            severity: harm, after: earlier, "the same edit", change.range, &report)
    }

    /// The server applied the same edit twice.
    mutating func judgeDouble(
        _ second: Sent, _ ccid: Place, _ first: ExactText, _ scene: Scene, _ report: inout Report
    ) {
        guard let insert = second.edits.first(where: { $0.isText }),
            let before = sent.peek(Place(owner: scene.client, key: first))
        else { return }
        var earlier = [(evidence: before.evidence, detail: "inserted")]
        if let answer = before.answer { earlier.append((answer.evidence, Self.words(answer.code))) }
        earlier.append((second.evidence, "inserted again"))
        find(
            SimperiumFindingGroups.doubleText, scene, second.key,
            detail: "The text `\(insert.quote)` occurs twice in "
                + "\(insert.member) of \(second.key): the server applied the same edit as "
                + "\(first) and as \(ccid.key).",
            absorbs: [SimperiumChangeRules.duplicateEdit.id], after: earlier, "applied again", nil,
            &report)
    }
}
