import Dissection
import Notation
import OpenRosa
import Wire

/// The queue of forms of a device: Diagnosis/Catalogue.md#c26, #c27.
extension CommCareSessionCheck {
    private typealias R = CommCareSessionRules

    func checkQueue(
        _ ask: CommCareAsk, _ person: inout CommCarePerson, _ session: borrowing SessionView,
        _ report: inout Report
    ) {
        switch ask.api {
        case .commcareRestore: checkRestore(ask, &person, &report)
        case .commcareHeartbeat:
            guard let aside = person.aside,
                let count = ask.query.last("num_unsent_forms").flatMap({ Int($0) }), count > 0
            else { return }
            let gap = CommCareTime.gap(aside.at, ask.row.startedAt)
            guard gap > Self.deadline else { return }
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
        case .commcareSubmit: person.aside = nil
        default: return
        }
    }

    private func checkRestore(
        _ ask: CommCareAsk, _ person: inout CommCarePerson, _ report: inout Report
    ) {
        let failed = person.failedForms.filter {
            ask.row.startedAt >= $0.value.endedAt ?? $0.value.startedAt
        }
        guard let form = failed.min(by: { $0.value.startedAt < $1.value.startedAt }),
            person.current != nil || person.recovering != nil || ask.isIncremental
        else { return }
        let isFull = !ask.isIncremental
        let how = form.value.status.map { "was answered with \($0)" } ?? "had no answer"
        report.add(
            Finding(
                R.beforeForms, connection: ask.row.connection, client: ask.client,
                topic: ask.topic,
                detail: "The form \(form.key) \(how) and was not sent again before the "
                    + (isFull ? "full restore, which replaces local cases." : "sync."),
                severity: isFull ? .warning : .info,
                steps: [
                    form.value.requestStep("the form \(form.key)"), form.value.responseStep(how),
                    ask.step(isFull ? "a full restore" : "a sync"),
                ]))
    }

    func followQueue(
        _ ask: CommCareAsk, _ reply: CommCareReply, _ person: inout CommCarePerson
    ) {
        guard ask.api == .commcareSubmit, let form = ask.form, !form.instanceID.isEmpty else {
            return
        }
        let isFinal =
            switch reply.status {
            case 200..<300: reply.row.outcome == .complete
            case 400, 403, 404, 405, 406, 413, 415: true
            case 422: reply.nature == OpenRosaNature.processingFailure.rawValue
            default: false
            }
        if isFinal {
            person.failedForms[form.instanceID] = nil
        } else if person.failedForms.count < CommCarePerson.maxForms {
            person.failedForms[form.instanceID] = reply.row
        }
        if reply.status == 422, reply.isHeard,
            reply.nature == OpenRosaNature.processingFailure.rawValue
        {
            person.aside = reply
        }
    }
}
