import Dissection
import Notation
import OpenRosa
import Wire

/// The queue of forms of a device: Diagnosis/Catalogue.md#c26, #c27.
extension CommCareSessionCheck {
    private typealias R = CommCareSessionRules

    /// The number of new forms that show that one is forgotten.
    static let leastLater = 2

    func checkQueue(
        _ ask: CommCareAsk, _ person: inout CommCarePerson, _ session: borrowing SessionView,
        _ report: inout Report
    ) {
        switch ask.api {
        case .commcareRestore: checkRestore(ask, &person, &report)
        case .commcareHeartbeat:
            noteUnsent(ask, &person)
            guard let aside = person.aside,
                let count = ask.query.last("num_unsent_forms").flatMap({ Int($0) }), count > 0
            else { return }
            let gap = CommCareTime.gap(aside.at, ask.row.startedAt)
            guard gap > patience.deadline(of: R.queueStopped) else { return }
            person.aside = nil
            guard !wasDisturbed(since: aside.row.endedAt ?? aside.at, session) else { return }
            report.add(
                Finding(
                    R.queueStopped, connection: ask.row.connection, client: ask.client,
                    topic: ask.topic,
                    detail:
                        "\(CommCareTime.text(gap)) after a form was refused with 422 the device "
                        + "reports \(count) unsent forms, and none was sent since.",
                    steps: [
                        aside.step("puts the form aside"),
                        ask.step("num_unsent_forms=\(count)"),
                    ]))
        case .commcareSubmit:
            person.aside = nil
            checkForgotten(ask, &person, session, &report)
        default: return
        }
    }

    /// The client sends new forms and leaves out one that failed long before.
    private func checkForgotten(
        _ ask: CommCareAsk, _ person: inout CommCarePerson, _ session: borrowing SessionView,
        _ report: inout Report
    ) {
        guard let form = ask.form, !form.instanceID.isEmpty, !person.failedForms.isEmpty,
            outcomes[key(ask, form)] == nil
        else { return }
        for (id, failed) in person.failedForms.sorted(by: { $0.value.at < $1.value.at })
        where id != form.instanceID && !failed.isExcused && !failed.isDisguised {
            let gap = CommCareTime.gap(failed.at, ask.row.startedAt)
            guard gap > patience.deadline(of: R.forgotten) else { return }
            guard failed.later.count + 1 >= Self.leastLater else {
                person.failedForms[id]?.later.append(ask.row)
                continue
            }
            person.failedForms[id] = nil
            guard !wasDisturbed(since: failed.at, session) else { continue }
            report.add(
                Finding(
                    R.forgotten, connection: ask.row.connection, client: ask.client, topic: id,
                    detail: "The form \(id) \(failed.how), and \(CommCareTime.text(gap)) later the "
                        + "client has sent \(Self.leastLater) new forms and not that one.",
                    steps: [
                        failed.row.requestStep("the form \(id)"),
                        failed.row.responseStep(failed.how),
                    ] + failed.later.map { $0.requestStep("a new form") }
                        + [ask.step("a new form")]))
        }
    }

    /// Forms that were not sent again when the recording ended.
    func openForms(
        _ person: CommCarePerson, _ session: borrowing SessionView
    ) -> [Finding] {
        person.failedForms.compactMap { id, failed in
            guard !failed.isExcused else { return nil }
            let connection = failed.row.connection
            return Finding(
                R.forgotten, connection: connection, client: session.client(of: connection),
                topic: id, detail: "",
                steps: [
                    failed.row.requestStep("the form \(id)"),
                    failed.row.responseStep(failed.how),
                ])
        }
    }

    private func checkRestore(
        _ ask: CommCareAsk, _ person: inout CommCarePerson, _ report: inout Report
    ) {
        let failed = person.failedForms.filter {
            ask.row.startedAt >= $0.value.at && !$0.value.isDisguised
        }
        if !ask.isIncremental, person.recovering == nil {
            for id in failed.keys { person.failedForms[id]?.isExcused = true }
        }
        if failed.isEmpty { checkUnsent(ask, &person, &report) }
        guard let form = failed.min(by: { $0.value.row.startedAt < $1.value.row.startedAt }),
            person.current != nil || person.recovering != nil || ask.isIncremental
        else { return }
        let isFull = !ask.isIncremental
        let how = form.value.how
        report.add(
            Finding(
                R.beforeForms, connection: ask.row.connection, client: ask.client,
                topic: ask.topic,
                detail: "The form \(form.key) \(how) and was not sent again before the "
                    + (isFull ? "full restore, which replaces local cases." : "sync."),
                severity: isFull ? .warning : .info,
                steps: [
                    form.value.row.requestStep("the form \(form.key)"),
                    form.value.row.responseStep(how),
                    ask.step(isFull ? "a full restore" : "a sync"),
                ]))
    }

    /// Whether a form is refused under a success code, and was not accepted before.
    private func isDisguised(
        _ ask: CommCareAsk, _ form: CommCareForm, _ reply: CommCareReply
    ) -> Bool {
        (201..<300).contains(reply.status) && reply.isHeard
            && reply.nature == OpenRosaNature.submitError.rawValue
            && outcomes[key(ask, form)]?.accepted == nil
    }

    private func noteUnsent(_ ask: CommCareAsk, _ person: inout CommCarePerson) {
        guard let count = ask.query.last("num_unsent_forms").flatMap({ Int($0) }) else { return }
        person.unsent = count > 0 ? (count, ask.row) : nil
    }

    /// A full restore of a device that has reported forms which it has not sent.
    private func checkUnsent(
        _ ask: CommCareAsk, _ person: inout CommCarePerson, _ report: inout Report
    ) {
        guard !ask.isIncremental, person.current != nil, person.polling == nil,
            let unsent = person.unsent
        else { return }
        person.unsent = nil
        let forms = unsent.count == 1 ? "1 unsent form" : "\(unsent.count) unsent forms"
        report.add(
            Finding(
                R.beforeForms, connection: ask.row.connection, client: ask.client,
                topic: ask.topic,
                detail: "The device reported \(forms), and requests a full restore, which replaces "
                    + "local cases, before it has sent them.",
                steps: [
                    unsent.row.requestStep("num_unsent_forms=\(unsent.count)"),
                    ask.step("a full restore"),
                ]))
    }

    func followQueue(
        _ ask: CommCareAsk, _ reply: CommCareReply, _ person: inout CommCarePerson
    ) {
        guard ask.isSubmission, let form = ask.form, !form.instanceID.isEmpty else {
            return
        }
        let isFinal =
            switch reply.status {
            // A page without an OpenRosaResponse comes from a gateway: the server never had the form.
            case 200 where reply.isHeard && !reply.isResponse: false
            case 200..<300 where isDisguised(ask, form, reply): false
            case 200..<300: reply.row.outcome == .complete
            case 400, 403, 404, 405, 406, 413, 415: true
            case 422: reply.nature == OpenRosaNature.processingFailure.rawValue
            default: false
            }
        if isFinal {
            person.failedForms[form.instanceID] = nil
        } else if person.failedForms.count < CommCarePerson.maxForms {
            person.failedForms[form.instanceID] = CommCarePerson.FailedForm(
                row: reply.row, retryAfter: reply.retryAfter,
                isDisguised: isDisguised(ask, form, reply))
        }
        if let unsent = person.unsent {
            person.unsent = unsent.count > 1 ? (unsent.count - 1, unsent.row) : nil
        }
        if reply.isHeard, reply.isAccepted {
            for (id, failed) in person.failedForms
            where failed.other == nil && ask.row.startedAt >= failed.at {
                person.failedForms[id]?.other = reply.row
            }
        }
        if reply.status == 422, reply.isHeard,
            reply.nature == OpenRosaNature.processingFailure.rawValue
        {
            person.aside = reply
        }
    }
}
