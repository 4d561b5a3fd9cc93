import Notation
import Simperium
import Wire

/// What a client takes back though nobody asked for it.
extension SimperiumChangeCheck {
    /// How the members that a change was about are after another change.
    private struct Return {
        /// The members, all of which are as they were before.
        let members: [ExactText]
        /// Whether they are so much that chance does not set them back.
        let isTelling: Bool
        /// Whether the change does something else as well.
        let hasMore: Bool
    }

    /// Code units of a text that chance does not set back.
    private static let leastTelling = 8
    /// Nanoseconds within which only a program acts.
    private static let atOnce: Int64 = 2_000_000_000
    /// The same where nobody can have typed in the time.
    private static let leastInstant = 4
    /// Nanoseconds after an acknowledgement within which only what was waiting for it is sent.
    private static let instant: Int64 = 100_000_000
    /// Nanoseconds within which nobody reads a text and deletes it.
    private static let reaction: Int64 = 1_000_000_000
    /// Nanoseconds within which a person has hardly read it.
    private static let soon: Int64 = 5_000_000_000
    private static let minute: Int64 = 60_000_000_000

    mutating func judgeUndoing(
        _ trial: inout SimperiumChangeTrial, _ known: Key, _ scene: Scene,
        _ report: inout Report
    ) {
        guard known.session == scene.channel.session else { return }
        judgeTakingBack(&trial, known, scene, &report)
        guard !trial.isJudged else { return }
        judgeUndoingOwn(&trial, known, scene, &report)
    }

    // MARK: Of another client

    /// A member is again as it was before the last change of another client.
    private mutating func judgeTakingBack(
        _ trial: inout SimperiumChangeTrial, _ known: Key, _ scene: Scene,
        _ report: inout Report
    ) {
        guard let step = known.ledger.remote, !isEdited(since: step, known) else { return }
        guard let back = back(from: step, &trial, known, scene) else {
            // The change of the other stays.
            if let sv = trial.change.sv, sv >= step.to { clients[Int(scene.client)].takenBack = 0 }
            return
        }
        guard !isPending(known, scene) else { return }
        let passed = scene.at.nanoseconds - step.at.nanoseconds
        guard passed <= Self.minute,
            back.isTelling || back.members.count > 1 || back.hasMore
        else { return }
        clients[Int(scene.client)].takenBack += 1
        let times = clients[Int(scene.client)].takenBack
        let isSure = back.isTelling && passed <= Self.atOnce || times >= 3
        guard isSure || back.isTelling && (passed <= Self.soon || times >= 2) else { return }
        trial.isJudged = true
        let names = Self.names(back.members)
        let author = known.remote?.change.clientID ?? "another client"
        let time = Self.words(passed)
        find(
            SimperiumChangeRules.takesBack, scene, trial.key,
            detail: "A change of \(trial.key) makes \(names) exactly as before the change of "
                + "\(author), which it knows of: it is for version \(trial.change.sv ?? 0), and "
                + "was sent \(time) after it came, with no edit in between"
                + (back.hasMore ? "; it has another edit as well." : ".")
                + (times > 1 ? " This is so \(times) times in a row." : "")
                + (isSure ? "" : " Somebody may have done it on purpose."),
            severity: isSure ? nil : .warning,
            after: [(step.evidence, "of another client")], "taken back",
            trial.change.value ?? trial.change.range, &report)
    }

    /// Whether the client has sent something of the object that it can only have made with the step.
    private func isEdited(since step: SimperiumObjectLedger.Step, _ known: Key) -> Bool {
        guard let sentAt = known.ledger.sentAt else { return false }
        return sentAt.nanoseconds > step.at.nanoseconds
    }

    /// Whether an edit of the object is not acknowledged, as far as the client knows.
    private func isPending(_ known: Key, _ scene: Scene) -> Bool {
        guard let last = known.last.flatMap({ sent.peek(Place(owner: scene.client, key: $0)) })
        else { return false }
        return last.answer?.code != 0
    }

    // MARK: Its own

    /// Right after a change of another client, or an answer that came twice, the client's own last
    /// change is taken back.
    private mutating func judgeUndoingOwn(
        _ trial: inout SimperiumChangeTrial, _ known: Key, _ scene: Scene,
        _ report: inout Report
    ) {
        guard let own = known.ledger.own, known.made != nil,
            scene.at.nanoseconds - own.at.nanoseconds < Self.minute,
            !isEdited(since: own, known),
            let back = back(from: own, partly: true, &trial, known, scene)
        else { return }
        let trigger = known.ledger.trigger(in: scene).flatMap { $0.at >= own.at ? $0 : nil }
        let passed = trigger.map { scene.at.nanoseconds - $0.at.nanoseconds } ?? .max
        let isSoon = passed < 2 * Self.soon
        var words = "right after \(trigger?.words ?? "")"
        if !isSoon || trigger?.kind == .loaded || trigger?.kind == .reconnected {
            // At the moment of the acknowledgement, and again.
            let isAtOnce = scene.at.nanoseconds - own.at.nanoseconds <= Self.atOnce / 4
            let times = clients[Int(scene.client)].takenBackOwn + 1
            guard back.isTelling, isAtOnce, !back.hasMore else {
                clients[Int(scene.client)].takenBackOwn = 0
                return
            }
            clients[Int(scene.client)].takenBackOwn = times
            guard times >= 3 else { return }
            words = "at the moment when that was acknowledged, \(times) times in a row"
        } else {
            let isRemoval = back.members.allSatisfy { trial.after?[$0.string] == nil }
            let isSure = trigger?.isRepetition == true || passed <= Self.atOnce
            guard !back.hasMore, isRemoval || back.isTelling && isSure else { return }
        }
        trial.isJudged = true
        let first = known.made.flatMap { sent.peek(Place(owner: scene.client, key: $0)) }
        var earlier = first.map { [(evidence: $0.evidence, detail: "written")] } ?? []
        if let trigger, trigger.evidence != 0, isSoon {
            earlier.append((trigger.evidence, trigger.words))
        }
        let verb = back.members.allSatisfy { trial.after?[$0.string] == nil } ? "removes" : "undoes"
        find(
            SimperiumChangeRules.undoesOwnMember, scene, trial.key,
            detail:
                "A change of \(trial.key) \(verb) \(Self.names(back.members)), which the client "
                + "wrote itself just before, \(words).",
            after: earlier, verb == "removes" ? "removed" : "undone",
            trial.change.value ?? trial.change.range, &report)
    }

    // MARK: Comparing

    /// The members that a step changed, where the change that is judged is for what the step made,
    /// and makes all of them as they were before it.
    ///
    /// With `partly`, those of them that it removes are enough.
    private mutating func back(
        from step: SimperiumObjectLedger.Step, partly: Bool = false,
        _ trial: inout SimperiumChangeTrial, _ known: Key, _ scene: Scene
    ) -> Return? {
        guard let sv = trial.change.sv, sv >= step.to, let from = step.from,
            let base = trial.base, let after = trial.after
        else { return nil }
        let place = Place(owner: scene.bucket, key: trial.key)
        guard case .object(let before)? = truth.value(place, from),
            case .object(let then)? = truth.value(place, step.to)
        else { return nil }
        // Most changes do something else; that is seen without comparing whole objects.
        guard
            trial.operations?.members.contains(where: { member in
                let key = member.key.string
                guard !Self.isSame(before[key], then[key]) else { return false }
                if !Self.isSame(base[key], then[key]) { return true }
                return Self.isSame(after[key], before[key])
                    || !partly && Self.returns(after[key], to: before[key], from: then[key]) != nil
            }) ?? true
        else { return nil }
        var members = Self.changed(before, then)
        let removed = members.filter { base[$0.string] != nil && after[$0.string] == nil }
        if partly, !removed.isEmpty { members = removed }
        guard !members.isEmpty else { return nil }
        let least = isInstant(after: step, known, scene) ? Self.leastInstant : Self.leastTelling
        var isTelling = false
        var hasMore = false
        for member in members {
            let key = member.string
            if case .string(let old)? = before[key], case .string(let new)? = then[key] {
                let change = SimperiumTextChange(from: Array(old.utf16), to: Array(new.utf16))
                let earlier =
                    Self.isSame(base[key], then[key])
                    ? before[key] : Self.without(change, base[key])
                guard let more = Self.returns(after[key], to: earlier, from: base[key]) else {
                    return nil
                }
                hasMore = hasMore || more
                let most = max(change.inserted.count, change.replaced.count)
                isTelling = isTelling || most >= least
            } else {
                guard Self.isSame(base[key], then[key]) else { return nil }
                guard Self.isSame(after[key], before[key]) else { return nil }
                let most = max(before[key]?.bytes().count ?? 0, then[key]?.bytes().count ?? 0)
                isTelling = isTelling || most >= Self.leastTelling + 2
            }
        }
        let others = Self.changed(base, after).filter { !members.contains($0) }
        guard !others.contains(where: { Self.isReplaced($0, base, after) }) else { return nil }
        return Return(
            members: members, isTelling: isTelling, hasMore: hasMore || !others.isEmpty)
    }

    /// Whether a change is sent at the moment of an acknowledgement, too soon after a step for
    /// anybody to have read that.
    private func isInstant(
        after step: SimperiumObjectLedger.Step, _ known: Key, _ scene: Scene
    ) -> Bool {
        guard let own = known.ledger.own, own.at >= step.at else { return false }
        return scene.at.nanoseconds - own.at.nanoseconds <= Self.instant
            && scene.at.nanoseconds - step.at.nanoseconds <= Self.reaction
    }

    /// A text, edited since, as it would be without an insertion that it has once; nil where it has
    /// not.
    private static func without(_ insertion: SimperiumTextChange, _ text: JSONValue?) -> JSONValue?
    {
        guard case .string(let text)? = text, insertion.isInsertion,
            insertion.inserted.count >= leastInstant, text.utf16.count <= 200_000
        else { return nil }
        let units = Array(text.utf16)
        let wanted = insertion.inserted
        let places = units.indices.filter { place in
            units[place] == wanted[0] && place + wanted.count <= units.count
                && units[place..<place + wanted.count].elementsEqual(wanted)
        }
        guard places.count == 1, let place = places.first else { return nil }
        let rest = Array(units[..<place] + units[(place + wanted.count)...])
        return .string(String(decoding: rest, as: UTF16.self))
    }

    /// Whether a text is the old one again, but for one insertion; whether there is one.
    private static func returns(
        _ text: JSONValue?, to old: JSONValue?, from new: JSONValue?
    ) -> Bool? {
        guard case .string(let text)? = text, case .string(let old)? = old,
            case .string(let new)? = new
        else { return nil }
        if ExactText(text) == ExactText(old) { return false }
        let change = SimperiumTextChange(from: Array(old.utf16), to: Array(text.utf16))
        // What was inserted before stays, in part, where the other is no insertion into the old.
        guard change.isInsertion, !old.isEmpty else { return nil }
        let theirs = SimperiumTextChange(from: Array(old.utf16), to: Array(new.utf16))
        return theirs.isInsertion && theirs.isApart(from: change) ? true : nil
    }

    private static func names(_ members: [ExactText]) -> String {
        let first = members.prefix(3).map(\.string).joined(separator: ", ")
        return members.count > 3 ? "\(first) and \(members.count - 3) more" : first
    }

    static func words(_ nanoseconds: Int64) -> String {
        nanoseconds < 1_000_000_000
            ? "\(nanoseconds / 1_000_000) ms" : "\(nanoseconds / 1_000_000_000) s"
    }
}
