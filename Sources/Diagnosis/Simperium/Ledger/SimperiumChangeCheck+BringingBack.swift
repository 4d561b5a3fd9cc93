import Notation
import Simperium
import Wire

/// What a client makes again though another one removed it.
extension SimperiumChangeCheck {
    /// Bytes of an object that two users do not make alike.
    private static let leastBytes = 10
    /// Nanoseconds within which only a program acts.
    private static let atOnce: Int64 = 2_000_000_000
    /// Nanoseconds within which a person has hardly read it.
    private static let soon: Int64 = 5_000_000_000

    /// Keeps what is known of an object that is removed.
    mutating func bury(_ place: Place, _ change: SimperiumChange<Range<Int>>) {
        guard let (data, size) = truth.last(place) else { return }
        removed.set(
            place, SimperiumRemovedObject(data: data, author: change.clientID), cost: 2 * size)
    }

    /// A new object is what another client has just removed.
    mutating func judgeBringingBack(
        _ trial: inout SimperiumChangeTrial, _ known: Key, _ scene: Scene, _ report: inout Report
    ) {
        guard known.session == scene.channel.session, known.presence == .removed,
            known.refusal == nil, let after = trial.after,
            let before = removed.peek(Place(owner: scene.bucket, key: trial.key)),
            let author = before.author, author != scene.channel.clientID,
            before.data.bytes().count >= Self.leastBytes,
            JSONValue.object(after).isSame(as: before.data)
        else { return }
        let passed = scene.at.nanoseconds - known.shownAt.nanoseconds
        guard passed <= Self.soon else { return }
        trial.isJudged = true
        let isSure = passed <= Self.atOnce
        find(
            SimperiumChangeRules.broughtBack, scene, trial.key,
            detail: "\(trial.key) is made again exactly as it was, \(Self.words(passed)) after the "
                + "removal by \(author) came"
                + (isSure ? "." : ". Somebody may have done it on purpose."),
            severity: isSure ? nil : .warning, after: [(known.shownBy, "removed")], "made again",
            trial.change.range, &report)
    }
}
