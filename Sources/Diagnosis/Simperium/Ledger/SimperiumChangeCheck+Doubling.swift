import Notation
import Simperium
import Wire

/// What a client inserts though it is there.
extension SimperiumChangeCheck {
    /// The least text, in code units, that is recognized where it does not stand beside itself.
    private static let leastApart = 8
    /// Nanoseconds after a trigger within which only a program acts, and within which a person hardly
    /// types the same again.
    private static let atOnce: Int64 = 2_000_000_000
    private static let soon: Int64 = 10_000_000_000
    /// Nanoseconds after its acknowledgement, and times in a row, at which nobody types a text again.
    private static let instant: Int64 = 100_000_000
    private static let oftenInARow = 5

    /// A change after which the object has twice what the client inserted itself, once, and what the
    /// client's own version has already.
    mutating func judgeDoubling(
        _ trial: inout SimperiumChangeTrial, _ known: Key, _ scene: Scene,
        _ report: inout Report
    ) {
        guard scene.isWhole, !known.isAltered, trial.change.operation == .modify,
            let base = trial.base, let after = trial.after,
            !clients[Int(scene.client)].repeatsItself
        else { return }
        guard let trigger = known.ledger.trigger(in: scene) else {
            return noteRepetition(&trial, known, base, after, scene, &report)
        }
        for ccid in known.ledger.sendings.reversed() {
            guard let before = sent.value(Place(owner: scene.client, key: ccid)) else { continue }
            for edit in before.edits {
                guard trigger.at >= before.sentAt || before.session != scene.channel.session,
                    before.isMade || before.answer == nil,
                    isDoubled(edit, trial, base, after, mayBeApart: trigger.isRepetition),
                    let severity = severity(trigger, before, scene)
                else { continue }
                return findDouble(edit, before, trigger, severity, &trial, scene, &report)
            }
        }
    }

    /// Somebody types the same again, though nothing has happened; or the client takes each
    /// acknowledgement of it for a change of another.
    private mutating func noteRepetition(
        _ trial: inout SimperiumChangeTrial, _ known: Key, _ base: JSONObject,
        _ after: JSONObject, _ scene: Scene, _ report: inout Report
    ) {
        guard !trial.edits.isEmpty, let last = known.ledger.sendings.last,
            let before = sent.place(of: Place(owner: scene.client, key: last))
        else { return }
        let client = Int(scene.client)
        let repeated = sent.values[before].edits.first { edit in
            trial.edits.contains(where: edit.isSame)
                && isDoubled(edit, trial, base, after, mayBeApart: false)
        }
        guard let repeated, let own = known.ledger.own, known.made == last,
            scene.at.nanoseconds - own.at.nanoseconds <= Self.instant
        else {
            clients[client].repeatedInARow = 0
            clients[client].repeatsItself = repeated != nil
            return
        }
        clients[client].repeatedInARow += 1
        // Nobody types so much in the time.
        let isLong =
            if case .text(_, let length) = repeated.mark { length >= Self.leastApart } else {
                false
            }
        guard isLong || clients[client].repeatedInARow >= Self.oftenInARow else { return }
        let trigger = SimperiumObjectLedger.Trigger(
            kind: .acknowledged, evidence: own.evidence, at: own.at)
        findDouble(
            repeated, sent.values[before], trigger, isLong ? .error : .warning, &trial, scene,
            &report)
    }

    /// How sure it is that nobody typed it again; nil where it is not.
    private func severity(
        _ trigger: SimperiumObjectLedger.Trigger, _ before: Sent, _ scene: Scene
    ) -> FindingRow.Severity? {
        // What the client had no word of it may have taken for missing.
        let isDoubtful = before.answer.map { $0.at >= trigger.at } ?? true
        let passed = scene.at.nanoseconds - trigger.at.nanoseconds
        if trigger.isRepetition || isDoubtful || passed <= Self.atOnce { return .error }
        return trigger.kind == .changed || passed <= Self.soon ? .warning : nil
    }

    private func isDoubled(
        _ edit: SimperiumEdit, _ trial: SimperiumChangeTrial, _ base: JSONObject,
        _ after: JSONObject, mayBeApart: Bool
    ) -> Bool {
        let key = edit.member.string
        guard !Self.isSame(base[key], after[key]) else { return false }
        let count = edit.count(in: base)
        guard count >= 1, edit.count(in: after) > count else { return false }
        guard case .text(_, let length) = edit.mark else { return true }
        if mayBeApart, length >= Self.leastApart, trial.edits.contains(where: edit.isSame) {
            return true
        }
        guard case .string(let old)? = base[key],
            case .string(let new)? = after[key]
        else { return false }
        let change = SimperiumTextChange(from: Array(old.utf16), to: Array(new.utf16))
        return change.isRepetition && change.inserted.count == length
    }

    private mutating func findDouble(
        _ edit: SimperiumEdit, _ before: Sent, _ trigger: SimperiumObjectLedger.Trigger,
        _ severity: FindingRow.Severity, _ trial: inout SimperiumChangeTrial, _ scene: Scene,
        _ report: inout Report
    ) {
        trial.isJudged = true
        var earlier = [(evidence: before.evidence, detail: "inserted first")]
        if let answer = before.answer, answer.evidence != trigger.evidence {
            earlier.append((answer.evidence, Self.words(answer.code)))
        }
        if trigger.evidence != 0 { earlier.append((trigger.evidence, trigger.words)) }
        let what = edit.isText ? "text" : "element"
        find(
            SimperiumChangeRules.repeatsInsert, scene, trial.key,
            detail: "A change of \(trial.key) inserts the \(what) `\(edit.quote)` into "
                + "\(edit.member), which version \(trial.change.sv ?? 0) has already: the client "
                + "inserted it itself with \(before.change.ccid). Since then \(trigger.words)."
                + (severity == .warning ? " Somebody may also have typed it again." : ""),
            severity: severity, after: earlier.sorted { $0.evidence < $1.evidence },
            "inserted again", trial.change.value ?? trial.change.range, &report)
    }
}
