import Dissection
import Notation
import OpenRosa
import Wire

/// Forms that failed and that the client no longer counts: Diagnosis/Catalogue.md#c38.
extension CommCareSessionCheck {
    private typealias R = CommCareSessionRules

    /// Finds requests that a client makes only if it has no form left to send.
    func checkLeftOut(
        _ ask: CommCareAsk, _ person: inout CommCarePerson, _ session: borrowing SessionView,
        _ report: inout Report
    ) {
        guard !person.failedForms.isEmpty else { return }
        switch ask.api {
        case .commcareHeartbeat:
            guard ask.query.last("num_unsent_forms") == "0" else { return }
            for (id, failed) in person.oldestFailed where ask.row.startedAt >= failed.at {
                find(
                    id, failed, "the device reports that it has no unsent forms",
                    [ask.step("num_unsent_forms=0")], ask, &person, session, &report)
            }
        case .commcareRestore:
            // Polling goes on with a restore that was begun before.
            guard person.polling == nil else { return }
            for (id, failed) in person.oldestFailed where failed.isOfAnyForm {
                guard let other = failed.other,
                    ask.row.startedAt >= other.endedAt ?? other.startedAt,
                    CommCareTime.gap(failed.at, ask.row.startedAt)
                        >= CommCareTime.seconds(failed.retryAfter ?? 0)
                else { continue }
                guard let sync = failed.sync else {
                    person.failedForms[id]?.sync = ask.row
                    continue
                }
                find(
                    id, failed, "another form was accepted and the device has synced twice since",
                    [
                        other.responseStep("another form is accepted"), sync.requestStep("a sync"),
                        ask.step("another sync"),
                    ], ask, &person, session, &report)
            }
        default: return
        }
    }

    private func find(
        _ id: String, _ failed: CommCarePerson.FailedForm, _ what: String, _ steps: [FindingStep],
        _ ask: CommCareAsk, _ person: inout CommCarePerson, _ session: borrowing SessionView,
        _ report: inout Report
    ) {
        person.failedForms[id] = nil
        guard !failed.isExcused else { return }
        report.add(
            Finding(
                R.forgotten, connection: ask.row.connection, client: ask.client, topic: id,
                detail: "The form \(id) \(failed.how), and \(what).",
                steps: [
                    failed.row.requestStep("the form \(id)"), failed.row.responseStep(failed.how),
                ] + steps))
    }
}

extension CommCarePerson {
    /// The forms whose last try failed, that which failed first before the others.
    fileprivate var oldestFailed: [(id: String, form: FailedForm)] {
        failedForms.filter { !$0.value.isDisguised }.map { ($0.key, $0.value) }.sorted { a, b in
            (a.form.at, a.id) < (b.form.at, b.id)
        }
    }
}
