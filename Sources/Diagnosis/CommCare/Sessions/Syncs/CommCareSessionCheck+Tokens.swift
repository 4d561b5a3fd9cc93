import Dissection
import Notation
import OpenRosa
import Wire

/// Sync tokens: Diagnosis/Catalogue.md#c05, #c06, #c07, #c71, #c72.
extension CommCareSessionCheck {
    private typealias R = CommCareSessionRules

    func checkTokens(
        _ ask: CommCareAsk, _ person: inout CommCarePerson, _ report: inout Report
    ) {
        guard !ask.isTouched, ask.api.rawValue.utf8.first == 0x63 else { return }
        if ask.isRestore { checkParameters(ask, &report) }
        guard ask.isRestore || ask.isSubmission else { return }
        checkOwner(ask, &report)
        guard !ask.isDemonstration, !ask.isForAnother, !person.isForAnother else { return }
        if let token = ask.anyToken {
            used(token, ask, &person, &report)
        } else if ask.isRestore {
            startedAnew(&person, &report)
        } else if let current = person.current, ask.row.startedAt > current.settledAt,
            person.maybe.isEmpty, ask.form?.isDeviceReport == false
        {
            let detail =
                "The submission has no X-CommCareHQ-LastSyncToken; the last restore, "
                + "\(CommCareTime.text(CommCareTime.gap(current.settledAt, ask.row.startedAt))) "
                + "before, issued \(current.token)."
            accuse(
                Finding(
                    R.tokenMissing, connection: ask.row.connection, client: ask.client,
                    topic: ask.topic, detail: detail,
                    steps: [
                        current.row.responseStep("issues \(current.token)"),
                        ask.step("has no token"),
                    ]), current, ask, &person, &report)
        }
    }

    /// A request carries `token`.
    private func used(
        _ token: String, _ ask: CommCareAsk, _ person: inout CommCarePerson,
        _ report: inout Report
    ) {
        if let current = person.current, current.token == token {
            person.hasUsedCurrent = true
            settle(&person, &report)
            return
        }
        if let arrived = person.maybe.removeValue(forKey: token) {
            if arrived.isBroken { judgeBroken(arrived, ask, &report) }
            if let current = person.current { person.replaced[current.token] = current }
            person.current = arrived
            person.hasUsedCurrent = true
            person.ledger = nil
            person.maybe = [:]
            person.doubts = []
            return
        }
        guard let current = person.current, person.maybe.isEmpty,
            ask.row.startedAt > current.settledAt, let old = person.replaced[token]
        else { return }
        let place = ask.isRestore ? "since" : "X-CommCareHQ-LastSyncToken"
        let detail =
            "The request has the token \(token) in \(place); it was replaced by \(current.token), "
            + "which came \(CommCareTime.text(CommCareTime.gap(current.settledAt, ask.row.startedAt))) before."
        let finding = Finding(
            R.tokenStale, connection: ask.row.connection, client: ask.client, topic: ask.topic,
            detail: detail,
            steps: [
                old.row.responseStep("issues \(old.token)"),
                current.row.responseStep("issues \(current.token)"),
                ask.step("still has \(old.token)"),
            ])
        accuse(finding, current, ask, &person, &report)
        // A client that lost the newer restore continues from the old one.
        if ask.isRestore { person.ledger = nil }
    }

    /// The token is that of a restore which the device has to reject as a whole.
    private func judgeBroken(
        _ issued: CommCarePerson.Issued, _ ask: CommCareAsk, _ report: inout Report
    ) {
        report.add(
            Finding(
                R.tokenOfBrokenRestore, connection: ask.row.connection, client: ask.client,
                topic: ask.topic,
                detail: "The request has the token \(issued.token) of a restore that is not "
                    + "well-formed XML. What that restore lacks is not sent again.",
                steps: [
                    issued.row.responseStep("issues \(issued.token), and is not well-formed"),
                    ask.step("has \(issued.token)"),
                ]))
    }

    /// The client has shown that it has the current token: requests that lacked it could have had
    /// it.
    private func settle(_ person: inout CommCarePerson, _ report: inout Report) {
        for doubt in person.doubts {
            if doubt.token == person.current?.token {
                report.add(doubt.finding)
            } else {
                // It continued from an old token and has a newer one now: it had lost the one
                // between.
                person.excuses += 1
            }
        }
        person.doubts = []
    }

    /// Keeps a finding until it is confirmed, unless it is certain.
    private func accuse(
        _ finding: Finding, _ current: CommCarePerson.Issued, _ ask: CommCareAsk,
        _ person: inout CommCarePerson, _ report: inout Report
    ) {
        let isAgain =
            ask.isRestore && (person.excuses > 0 || person.doubts.contains(where: \.isSync))
        if person.hasUsedCurrent || isAgain {
            report.add(finding)
        } else if person.doubts.count < 100 {
            person.doubts.append(
                .init(token: current.token, finding: finding, isSync: ask.isRestore))
        }
    }

    /// A full restore: the client may have lost its earlier state.
    private func startedAnew(_ person: inout CommCarePerson, _ report: inout Report) {
        guard !person.doubts.isEmpty else { return }
        if person.excuses > 0 {
            for doubt in person.doubts { report.add(doubt.finding) }
        }
        person.excuses += 1
        person.doubts = []
    }

    private func checkParameters(_ ask: CommCareAsk, _ report: inout Report) {
        if let since = ask.since, let token = ask.token, since != token {
            report.add(
                Finding(
                    R.tokenDiffers, connection: ask.row.connection, client: ask.client,
                    topic: ask.topic,
                    detail: "since is \(since), and X-CommCareHQ-LastSyncToken is \(token).",
                    steps: [ask.step("since=\(since), LastSyncToken: \(token)")]))
        }
        if let days = ask.query.last("days_since_last_sync").flatMap({ Int($0) }), days > 63,
            ask.since != nil
        {
            report.add(
                Finding(
                    R.tokenTooOld, connection: ask.row.connection, client: ask.client,
                    topic: ask.topic,
                    detail: "The last sync was \(days) days ago, and the request has since.",
                    steps: [ask.step("days_since_last_sync=\(days)")]))
        }
        if let id = ask.query.last("user_id"), !id.isEmpty, !ask.isForAnother,
            !ask.person.user.isEmpty,
            let other = registered[Name(server: ask.person.server, name: "user " + id)],
            other != ask.person.user,
            registered.values.contains(ask.person.user)
        {
            report.add(
                Finding(
                    R.userIDOfAnother, connection: ask.row.connection, client: ask.client,
                    topic: ask.topic,
                    detail: "\(ask.person.user) signs in, and user_id=\(id) is that of \(other).",
                    steps: [ask.step("user_id=\(id)")]))
        }
    }

    private func checkOwner(_ ask: CommCareAsk, _ report: inout Report) {
        guard let token = ask.anyToken,
            let owner = owners[Name(server: ask.person.server, name: token)],
            !owner.isForAnother, !ask.isForAnother, !ask.isDemonstration
        else { return }
        if !owner.person.user.isEmpty, !ask.person.user.isEmpty,
            owner.person.user != ask.person.user
        {
            report.add(
                Finding(
                    R.tokenOfAnotherUser, connection: ask.row.connection, client: ask.client,
                    topic: ask.topic,
                    detail: "\(ask.person.user) sends the sync token \(token), which was issued to "
                        + "\(owner.person.user).",
                    steps: [
                        owner.row.responseStep("issues \(token) to \(owner.person.user)"),
                        ask.step("\(ask.person.user) sends it"),
                    ]))
        } else if owner.person.user == ask.person.user, owner.person.device != ask.person.device,
            owner.row.device != nil, ask.row.device != nil
        {
            report.add(
                Finding(
                    R.tokenOfAnotherDevice, connection: ask.row.connection, client: ask.client,
                    topic: ask.topic,
                    detail:
                        "The device \(ask.person.device) sends the sync token \(token), which "
                        + "was issued to the device \(owner.person.device).",
                    steps: [
                        owner.row.responseStep("issues \(token) to \(owner.person.device)"),
                        ask.step("\(ask.person.device) sends it"),
                    ]))
        }
    }
}
