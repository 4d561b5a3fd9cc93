import Dissection
import Notation
import Simperium
import Wire

/// Whether changes are for the version that the client has, and are its own.
extension SimperiumChangeCheck {
    mutating func judgeVersion(
        _ trial: inout SimperiumChangeTrial, _ known: Key, _ scene: Scene,
        _ report: inout Report
    ) {
        let change = trial.change
        // What an index lacks that was read to its end is not there.
        guard change.operation == .modify, scene.isWhole, !known.isAltered,
            known.session == scene.channel.session,
            max(known.shownSeq, known.listedSeq) >= scene.channel.readFrom,
            !isLostBefore(change.sv ?? 0, known, scene)
        else { return }
        let isKnown =
            known.isShownByAnswer
            || had(scene.connection, known.shownSeq, known.shownAt, now: scene.at)
        guard let sv = change.sv else {
            judgeMissingSource(&trial, known, scene, isKnown: isKnown, &report)
            return
        }
        if known.presence == .removed { return judgeRemoved(&trial, known, sv, scene, &report) }
        guard known.isSettled, known.presence == .present else { return }
        let shown = (known.shownBy, "version \(known.shown)")
        if sv > known.shown {
            trial.isJudged = true
            return find(
                SimperiumChangeRules.sourceAhead, scene, trial.key,
                detail: "A change of \(trial.key) is for version \(sv), and there is none above "
                    + "\(known.shown).", after: [shown], "sv \(sv)", change.range, &report)
        }
        guard sv < known.shown, isKnown else { return }
        trial.isJudged = true
        if let late = known.late, late.version == sv {
            return find(
                SimperiumChangeRules.lateEntity, scene, trial.key,
                detail:
                    "After version \(known.shown) of \(trial.key) an answer to e brought version "
                    + "\(sv), and the client continues from that.",
                after: [shown, (late.evidence, "version \(sv), later")], "sv \(sv)", change.range,
                &report)
        }
        let count = known.behind.count + 1
        trial.isBehind = true
        let place = Place(owner: scene.client, key: trial.key)
        keys.update(place) { state in
            state.behind.append(scene.evidence)
            if state.behind.count > 8 { state.behind.removeFirst() }
        }
        if count >= 3 {
            return find(
                SimperiumChangeRules.stuckSource, scene, trial.key,
                detail: "\(count) changes of \(trial.key) in a row are for versions that are past, "
                    + "this one for \(sv) where the client had received \(known.shown).",
                absorbs: [SimperiumChangeRules.sourceBehind.id],
                after: known.behind.map { ($0, "behind") } + [shown], "sv \(sv) again",
                change.range, &report)
        }
        find(
            SimperiumChangeRules.sourceBehind, scene, trial.key,
            detail: "A change of \(trial.key) is for version \(sv), though the client was "
                + (known.isShownByAnswer ? "informed by the answer to its own change" : "shown")
                + " that it is at \(known.shown).",
            after: [shown], "sv \(sv)", change.range, &report)
    }

    /// Whether a change may be one that was sent on an earlier connection and lost on the way, which
    /// has to be sent again as it was.
    private mutating func isLostBefore(
        _ sv: Int64, _ known: Key, _ scene: Scene
    ) -> Bool {
        guard !known.isShownByAnswer, sv <= known.shownBefore,
            let connection = connections[scene.connection],
            connection.isSlow || !connection.isQuick
        else { return false }
        let last = known.last.flatMap { sent.value(Place(owner: scene.client, key: $0)) }
        return last?.session != scene.channel.session
    }

    /// An object that is removed is edited from the version that it had.
    private mutating func judgeRemoved(
        _ trial: inout SimperiumChangeTrial, _ known: Key, _ sv: Int64, _ scene: Scene,
        _ report: inout Report
    ) {
        guard trial.change.data == nil, known.refusal == nil,
            had(scene.connection, known.shownSeq, known.shownAt, now: scene.at)
        else { return }
        trial.isJudged = true
        let span = CommCareTime.text(scene.at.nanoseconds - known.shownAt.nanoseconds)
        find(
            SimperiumChangeRules.editsRemoved, scene, trial.key,
            detail: "A change of \(trial.key) is for version \(sv), \(span) after its removal "
                + (known.isShownByAnswer ? "was acknowledged" : "came")
                + ": the client still has the object.",
            after: [(known.shownBy, "removed")], "edited as if it were there", trial.change.range,
            &report)
    }

    private mutating func judgeMissingSource(
        _ trial: inout SimperiumChangeTrial, _ known: Key, _ scene: Scene, isKnown: Bool,
        _ report: inout Report
    ) {
        guard trial.change.data == nil, known.presence == .present, known.isSettled, isKnown else {
            return
        }
        trial.isJudged = true
        find(
            SimperiumChangeRules.noSource, scene, trial.key,
            detail: "A change of \(trial.key) has no sv, as if it were new, though the client was "
                + "shown version \(known.shown).",
            after: [(known.shownBy, "version \(known.shown)")], "no sv", trial.change.range,
            &report)
    }

    // MARK: What others did

    /// A change that repeats another client's change.
    mutating func judgeEcho(
        _ trial: inout SimperiumChangeTrial, _ known: Key, _ scene: Scene,
        _ report: inout Report
    ) {
        let change = trial.change
        if change.operation == .remove { return judgeEchoOfRemoval(&trial, known, scene, &report) }
        guard let remote = known.remote, let operations = trial.operations,
            !operations.members.isEmpty, known.session == scene.channel.session,
            scene.at.nanoseconds - remote.at.nanoseconds < 60_000_000_000,
            remote.change.clientID != scene.channel.clientID, remote.change.operation == .modify,
            let range = remote.change.value, let text = kept[remote.evidence]?.heard?.text,
            abs(range.count - (change.value?.count ?? 0)) < 256
        else { return }
        let isOnTop = change.sv.map { $0 >= remote.change.ev ?? .max } ?? false
        let isBeside = change.sv == remote.change.sv && change.sv != nil
        guard isOnTop || isBeside, let document = try? JSONDocument.scan(text, in: range) else {
            return
        }
        let theirs = JSONValue(document.root)
        guard theirs.isSame(as: .object(operations)) else { return }
        let counts = operations.members.allSatisfy { $0.value["o"]?.string == "I" }
        guard !counts, isOnTop || Self.isUnlikelyTwice(operations) else { return }
        trial.isJudged = true
        find(
            SimperiumChangeRules.echo, scene, trial.key,
            detail: "A change of \(trial.key) repeats the change of "
                + "\(remote.change.clientID ?? "another client") that had just come.",
            after: [(remote.evidence, "of another client")], "the same again", change.range,
            &report)
    }

    /// Whether two users would hardly do the same at the same time.
    private static func isUnlikelyTwice(_ operations: JSONObject) -> Bool {
        operations.members.contains { member in
            guard let name = member.value["o"]?.string, name != "-",
                let value = member.value["v"]
            else { return false }
            switch value {
            case .string(let text): return name == "d" ? text.count > 12 : text.count > 8
            case .object, .array: return value.text().utf8.count > 32
            default: return false
            }
        }
    }

    private mutating func judgeEchoOfRemoval(
        _ trial: inout SimperiumChangeTrial, _ known: Key, _ scene: Scene,
        _ report: inout Report
    ) {
        guard known.session == scene.channel.session, known.presence == .removed,
            !known.isAltered, scene.isWhole
        else { return }
        // Two users may remove the same; the second then did not know of the first.
        let isKnown = had(scene.connection, known.shownSeq, known.shownAt, now: scene.at)
        guard isKnown || !known.isShownByAnswer else { return }
        let isQuick = connections[scene.connection].map { $0.isQuick && !$0.isSlow } ?? false
        trial.isJudged = true
        find(
            SimperiumChangeRules.echoOfRemoval, scene, trial.key,
            detail:
                "The removal of \(trial.key) is sent after the server reported that it is removed."
                + (isKnown ? "" : " Both may have crossed."),
            severity: isKnown ? nil : isQuick ? .warning : .info,
            after: [(known.shownBy, "removed")],
            "removed again", trial.change.range, &report)
    }
}
