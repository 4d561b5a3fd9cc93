import Dissection
import Notation
import OpenRosa
import Wire

/// Forms that were not accepted and are never sent again: Diagnosis/Catalogue.md#c38.
extension CommCareSessionCheck {
    private typealias R = CommCareSessionRules

    /// Finds requests that a client makes only if it has no form left to send.
    func checkOwed(_ ask: CommCareAsk, _ person: inout CommCarePerson, _ report: inout Report) {
        if ask.isSubmission {
            if let form = ask.form { person.owed[form.instanceID] = nil }
            return
        }
        guard !person.owed.isEmpty else { return }
        switch ask.api {
        case .commcareHeartbeat:
            guard ask.query.last("num_unsent_forms") == "0" else { return }
            for (id, owed) in person.oldestOwed where ask.row.startedAt >= owed.failedAt {
                person.owed[id] = nil
                report.add(
                    finding(
                        ask.row.connection, ask.client, id, owed,
                        "the device reports that it has no unsent forms",
                        [ask.step("num_unsent_forms=0")]))
            }
        case .commcareRestore:
            // Polling goes on with a restore that was begun before.
            guard person.polling == nil else { return }
            for (id, owed) in person.oldestOwed where owed.isOfAnyForm {
                guard let other = owed.other, ask.row.startedAt >= other.row.endedAt ?? other.at,
                    !isCoolingDown(owed, at: ask.row.startedAt)
                else { continue }
                guard let sync = owed.sync else {
                    person.owed[id]?.sync = ask.row
                    continue
                }
                person.owed[id] = nil
                report.add(
                    finding(
                        ask.row.connection, ask.client, id, owed,
                        "another form was accepted and the device has synced twice since",
                        [
                            other.step("another form is accepted"), sync.requestStep("a sync"),
                            ask.step("another sync"),
                        ]))
            }
        default: return
        }
    }

    private func isCoolingDown(_ owed: OwedForm, at now: Instant) -> Bool {
        guard let seconds = owed.reply.retryAfter else { return false }
        return CommCareTime.gap(owed.failedAt, now) < CommCareTime.seconds(seconds)
    }

    func followOwed(_ ask: CommCareAsk, _ reply: CommCareReply, _ person: inout CommCarePerson) {
        guard ask.isSubmission, let form = ask.form, !form.instanceID.isEmpty, !ask.isTouched
        else { return }
        if Self.mayPass(reply), person.owed.count < CommCarePerson.maxForms {
            person.owed[form.instanceID] = OwedForm(row: ask.row, reply: reply)
        }
        guard reply.isHeard, reply.isAccepted, !person.owed.isEmpty else { return }
        for (id, owed) in person.owed
        where owed.other == nil && ask.row.startedAt >= owed.failedAt {
            person.owed[id]?.other = reply
        }
    }

    /// Whether the client knows that the form was not accepted, and that it may be later.
    private static func mayPass(_ reply: CommCareReply) -> Bool {
        switch reply.status {
        case 0: reply.row.outcome == .noResponse
        case 200: reply.isHeard && !reply.isResponse
        case 408, 429, 500, 502, 503, 504: reply.isHeard
        default: false
        }
    }

    /// What is still owed when the recording ends.
    func undecidedForms(_ report: inout Report) {
        for (key, person) in persons {
            for (id, owed) in person.oldestOwed {
                report.add(
                    finding(
                        owed.row.connection, key.user.isEmpty ? key.device : key.user, id, owed,
                        "it was not sent again", []))
            }
        }
    }

    private func finding(
        _ connection: ConnectionID, _ client: String, _ id: String, _ owed: OwedForm,
        _ what: String, _ steps: [FindingStep]
    ) -> Finding {
        Finding(
            R.forgotten, connection: connection, client: client, topic: id,
            detail: "The form \(id) \(owed.end), and \(what).", steps: owed.steps + steps)
    }
}

extension CommCarePerson {
    /// The forms that are owed, that which failed first before the others.
    var oldestOwed: [(id: String, form: OwedForm)] {
        owed.map { ($0.key, $0.value) }.sorted { a, b in
            (a.form.failedAt, a.id) < (b.form.failedAt, b.id)
        }
    }
}
