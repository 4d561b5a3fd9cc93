import Dissection
import Wire

/// Restores that fail for a reason that may pass: Diagnosis/Catalogue.md#c90.
extension CommCareSessionCheck {
    private typealias R = CommCareSessionRules

    func checkGivenUp(
        _ ask: CommCareAsk, _ person: inout CommCarePerson, _ session: borrowing SessionView,
        _ report: inout Report
    ) {
        guard let failed = person.failedRestore, ask.row.startedAt >= Self.end(failed) else {
            return
        }
        guard !ask.isRestore else {
            person.failedRestore = nil
            return
        }
        let gap = CommCareTime.gap(Self.end(failed), ask.row.startedAt)
        guard gap > patience.deadline(of: R.givenUp) else { return }
        person.failedRestore = nil
        guard !wasDisturbed(since: Self.end(failed), session) else { return }
        report.add(
            Finding(
                R.givenUp, connection: ask.row.connection, client: ask.client, topic: ask.topic,
                detail: "The restore \(Self.how(failed)), and \(CommCareTime.text(gap)) later the "
                    + "client does something else and has not requested it again.",
                steps: [failed.step(Self.how(failed)), ask.step("goes on")]))
    }

    func followGivenUp(
        _ ask: CommCareAsk, _ reply: CommCareReply, _ person: inout CommCarePerson
    ) {
        // After 401 what comes next decides about the credentials, which says more.
        let mayPass =
            switch reply.status {
            case 0, 408, 425, 429, 500...599: true
            default: false
            }
        person.failedRestore = mayPass ? reply : nil
    }

    /// A restore that was not requested again when the recording ended.
    func openRestore(
        _ person: CommCarePerson, _ key: CommCarePersonKey, _ session: borrowing SessionView
    ) -> Finding? {
        guard let failed = person.failedRestore, !wasDisturbed(since: Self.end(failed), session)
        else { return nil }
        let connection = failed.row.connection
        return Finding(
            R.givenUp, connection: connection, client: session.client(of: connection),
            topic: key.topic, detail: "",
            steps: [failed.row.requestStep("a restore"), failed.step(Self.how(failed))])
    }

    private static func end(_ reply: CommCareReply) -> Instant { reply.row.endedAt ?? reply.at }

    private static func how(_ reply: CommCareReply) -> String {
        reply.status == 0 ? "had no answer" : "was answered with \(reply.status)"
    }
}
