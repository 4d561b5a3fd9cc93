import Dissection
import OpenRosa
import Wire

/// Incremental syncs that are refused after each full restore, and why: Diagnosis/Catalogue.md#c08.
extension CommCareSessionCheck {
    /// The number of refusals that make a loop.
    static let leastRefusals = 3

    /// An incremental sync was refused with 412.
    func followLoop(
        _ ask: CommCareAsk, _ reply: CommCareReply, _ person: inout CommCarePerson,
        _ report: inout Report
    ) {
        guard !reply.isTouched, !ask.isTouched, let reason = reason(ask, person) else {
            person.loop = []
            return
        }
        // Without a full restore between, other rules are about it.
        if person.refused != nil { person.loop = [] }
        person.loop.append(CommCarePerson.Explained(row: reply.row, reason: reason))
        guard person.loop.count == Self.leastRefusals else { return }
        var finding = Finding(
            CommCareFindingGroups.loop412, connection: ask.row.connection, client: ask.client,
            topic: ask.topic,
            detail:
                "The sync is refused with 412 after each full restore, \(person.loop.count) times in a row: \(reason).",
            expected:
                "A sync with the token of the last restore and the hash of the cases on the device.",
            cause: "the case list or the token of the device is wrong again after each restore",
            steps: person.loop.flatMap {
                [$0.row.requestStep($0.reason), $0.row.responseStep("refuses the sync")]
            })
        finding.absorbs = [
            CommCareSessionRules.stateHash.id, CommCareSessionRules.tokenStale.id,
        ]
        report.add(finding)
        person.loop = []
    }

    /// What in the request is not as the session has it; nil where the server may be wrong.
    private func reason(_ ask: CommCareAsk, _ person: CommCarePerson) -> String? {
        if let mismatch = person.mismatch, mismatch.exchange == ask.row.id {
            return mismatch.detail
        }
        guard let since = ask.since, let current = person.current, current.token != since,
            person.maybe.isEmpty, ask.row.startedAt > current.settledAt
        else { return nil }
        return "since=\(since) is not \(current.token), the token of the last restore"
    }
}
