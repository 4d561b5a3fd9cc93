import Dissection
import Notation
import OpenRosa
import Wire

/// The requests after a 412 or a claim: Diagnosis/Catalogue.md#c08, #c09, #c10, #c79, #c80.
extension CommCareSessionCheck {
    private typealias R = CommCareSessionRules

    /// Nanoseconds within which a request counts as automatic.
    static let soon = CommCareTime.seconds(5.0)

    func checkRecovery(
        _ ask: CommCareAsk, _ person: inout CommCarePerson, _ session: borrowing SessionView,
        _ report: inout Report
    ) {
        checkRefused(ask, &person, session, &report)
        checkClaim(ask, &person, session, &report)
    }

    private func checkRefused(
        _ ask: CommCareAsk, _ person: inout CommCarePerson, _ session: borrowing SessionView,
        _ report: inout Report
    ) {
        if let twice = person.refusedTwice, ask.isRestore, !ask.isIncremental {
            person.refusedTwice = nil
            let gap = CommCareTime.gap(twice.respondedAt ?? twice.startedAt, ask.row.startedAt)
            if gap >= 0, gap < Self.atOnce, isSameRun(twice, ask.row, gap, session) {
                report.add(
                    Finding(
                        R.fullRepeated, connection: ask.row.connection, client: ask.client,
                        topic: ask.topic,
                        detail:
                            "The full restore was refused with 412 too and requested again after "
                            + "\(CommCareTime.text(gap)).",
                        steps: [
                            twice.responseStep("refuses the full restore"),
                            ask.step("requests again"),
                        ]))
            }
        }
        guard let refused = person.refused, ask.row.startedAt >= refused.at else { return }
        guard ask.isRestore else {
            let gap = CommCareTime.gap(refused.at, ask.row.startedAt)
            guard !refused.isReported, gap > patience.deadline(of: R.noRecoveryAfter412),
                !wasDisturbed(since: refused.at, session)
            else { return }
            person.refused?.isReported = true
            report.add(
                Finding(
                    R.noRecoveryAfter412, connection: ask.row.connection, client: ask.client,
                    topic: ask.topic,
                    detail:
                        "\(CommCareTime.text(gap)) after the 412 the client does something else "
                        + "and has not requested a full restore.",
                    steps: [refused.row.responseStep("refuses the sync"), ask.step("goes on")]))
            return
        }
        guard !ask.isTouched else {
            person.refused = nil
            return
        }
        let left = ["since", "state"].filter { ask.query.last($0)?.isEmpty == false }
        if !left.isEmpty {
            let names = left.joined(separator: " and ")
            report.add(
                Finding(
                    R.incrementalAfter412, connection: ask.row.connection, client: ask.client,
                    topic: ask.topic,
                    detail: "The sync was refused with 412"
                        + (refused.detail.map { " (\(Self.short($0)))" } ?? "")
                        + ", and the next one still has \(names).",
                    steps: [
                        refused.row.responseStep("an incremental sync is not possible"),
                        ask.step("still has \(names)"),
                    ]))
            return
        }
        if ask.query.last("skip_fixtures") == "true" {
            report.add(
                Finding(
                    R.skipsFixtures, connection: ask.row.connection, client: ask.client,
                    topic: ask.topic,
                    detail: "The restore after the 412 has skip_fixtures=true.",
                    steps: [
                        refused.row.responseStep("refuses the sync"),
                        ask.step("skip_fixtures=true"),
                    ]))
        }
        person.recovering = refused.row
        person.refused = nil
    }

    private func checkClaim(
        _ ask: CommCareAsk, _ person: inout CommCarePerson, _ session: borrowing SessionView,
        _ report: inout Report
    ) {
        guard let claimed = person.claimed, ask.row.startedAt >= claimed.at else { return }
        if ask.isRestore {
            person.claimed = nil
            return
        }
        let gap = CommCareTime.gap(claimed.at, ask.row.startedAt)
        guard gap > patience.deadline(of: R.missingAfterClaim), ask.api != .commcareClaim else {
            return
        }
        person.claimed = nil
        guard !wasDisturbed(since: claimed.row.endedAt ?? claimed.at, session) else { return }
        report.add(
            Finding(
                R.missingAfterClaim, connection: ask.row.connection, client: ask.client,
                topic: ask.topic,
                detail:
                    "\(CommCareTime.text(gap)) after the claim was answered with 201 the client "
                    + "does something else and has not synced.",
                steps: [claimed.step("the device lacks the case"), ask.step("goes on")]))
    }

    func wasDisturbed(since at: Instant, _ session: borrowing SessionView) -> Bool {
        session.lastFaultAt.map { $0 > at } ?? false
    }

    /// Whether the client cannot have been restarted between: its connection is still open, or
    /// there was no time to.
    func isSameRun(
        _ before: ExchangeRow, _ after: ExchangeRow, _ gap: Int64,
        _ session: borrowing SessionView
    ) -> Bool {
        if before.connection == after.connection || gap < 20_000_000 { return true }
        guard let view = session[before.connection] else { return false }
        return view.endedAt == nil
    }

    func followRecovery(
        _ ask: CommCareAsk, _ reply: CommCareReply, _ person: inout CommCarePerson,
        _ report: inout Report
    ) {
        guard reply.status == 412 else {
            if reply.status == 200 || reply.status == 202 { person.refusedTwice = nil }
            if reply.status == 200, ask.isIncremental { person.loop = [] }
            return
        }
        let version = ask.query.last("version")
        if !ask.isIncremental, !reply.isTouched, !ask.isTouched, reply.row.outcome == .complete,
            version == nil || ["1.0", "2.0", "3.0"].contains(version)
        {
            report.add(
                Finding(
                    R.refusesFull, connection: ask.row.connection, client: ask.client,
                    topic: ask.topic,
                    detail: "A restore without since was answered with 412"
                        + (reply.document?.detail.map { ": \(Self.short($0))" } ?? "") + ".",
                    steps: [ask.step("requests everything"), reply.step("412")]))
        }
        guard reply.isHeard else {
            person.refused = nil
            return
        }
        if ask.isIncremental {
            followLoop(ask, reply, &person, &report)
            person.refused = CommCarePerson.Refused(
                row: reply.row, at: reply.row.endedAt ?? reply.at, detail: reply.document?.detail,
                wasFull: false)
            // The server's state of the device has ended.
            person.ledger = nil
        } else if person.recovering != nil {
            person.refusedTwice = reply.row
        }
    }

    /// What an answer of the server requires and was not requested when the recording ended.
    func openRecovery(
        _ person: CommCarePerson, _ key: CommCarePersonKey, _ session: borrowing SessionView
    ) -> [Finding] {
        var left: [Finding] = []
        if let refused = person.refused, !refused.isReported,
            !wasDisturbed(since: refused.at, session)
        {
            left.append(
                Finding(
                    R.noRecoveryAfter412, connection: refused.row.connection,
                    client: session.client(of: refused.row.connection), topic: key.topic,
                    detail: "", steps: [refused.row.responseStep("refuses the sync")]))
        }
        if let claimed = person.claimed,
            !wasDisturbed(since: claimed.row.endedAt ?? claimed.at, session)
        {
            left.append(
                Finding(
                    R.missingAfterClaim, connection: claimed.row.connection,
                    client: session.client(of: claimed.row.connection), topic: key.topic,
                    detail: "", steps: [claimed.step("the device lacks the case")]))
        }
        return left
    }

    static func short(_ text: String) -> String {
        text.count > 160 ? text.prefix(160) + "…" : text
    }
}
