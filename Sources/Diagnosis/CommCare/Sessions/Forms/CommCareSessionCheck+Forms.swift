import Dissection
import Notation
import OpenRosa
import Wire

/// Forms by their instanceID: Diagnosis/Catalogue.md#c23, #c49, #c50, #c83 and the finding groups
/// about them.
extension CommCareSessionCheck {
    private typealias R = CommCareSessionRules

    /// Nanoseconds that a client waits for an answer to a form.
    static let readTimeout = CommCareTime.seconds(60.0)
    /// The number of refusals of one form in a row that block others.
    static let maxRefusals = 6

    func key(_ ask: CommCareAsk, _ form: CommCareForm) -> FormOutcomes.Key {
        FormOutcomes.Key(
            server: ask.person.server, domain: ask.person.domain, instanceID: form.instanceID)
    }

    mutating func checkForm(
        _ ask: CommCareAsk, _ person: inout CommCarePerson, _ session: borrowing SessionView,
        _ report: inout Report
    ) {
        guard ask.isSubmission, let form = ask.form, !form.instanceID.isEmpty, !ask.isTouched
        else { return }
        let key = key(ask, form)
        let content = FormOutcomes.Content(person: ask.person, digest: form.content)
        if person.lastForm != form.instanceID {
            person.lastForm = form.instanceID
            outcomes.change(key) { $0.refusals = 0 }
        }
        guard let outcome = outcomes[key] else {
            checkDuplicate(ask, form, content, &report)
            // What is sent under another identifier is not forgotten.
            if form.hasTimes {
                for key in outcomes.same(content) {
                    person.failedForms[key.instanceID] = nil
                }
            }
            if ask.isPersonCertain { checkOrder(ask, form, &person, &report) }
            outcomes.add(
                FormOutcome(
                    first: ask.row, instanceID: form.instanceID, digest: form.digest,
                    content: form.content, files: form.files, mayBeStored: true,
                    isInParts: form.isIncomplete), key, content)
            return
        }
        if outcome.digest != form.digest {
            checkReuse(outcome, ask, form, &report)
        } else {
            checkAgain(outcome, ask, form, session, &report)
        }
        outcomes.change(key) {
            $0.files.formUnion(form.files)
            if form.isIncomplete { $0.isInParts = true }
        }
    }

    private func checkReuse(
        _ outcome: FormOutcome, _ ask: CommCareAsk, _ form: CommCareForm, _ report: inout Report
    ) {
        guard outcome.mayBeStored, form.deprecatedID == nil else { return }
        report.add(
            Finding(
                R.instanceIDReused, connection: ask.row.connection, client: ask.client,
                topic: form.instanceID,
                detail:
                    "The instanceID \(form.instanceID) was sent with \(outcome.digest.count) bytes of "
                    + "XML and now with \(form.digest.count) that are not the same.",
                steps: [
                    outcome.first.requestStep("the first form"), ask.step("another form"),
                ]))
    }

    /// The same form is sent again.
    private func checkAgain(
        _ outcome: FormOutcome, _ ask: CommCareAsk, _ form: CommCareForm,
        _ session: borrowing SessionView, _ report: inout Report
    ) {
        let started = ask.row.startedAt
        if let refused = outcome.refused, started >= refused.row.endedAt ?? refused.at {
            report.add(
                Finding(
                    R.resentAfter422, connection: ask.row.connection, client: ask.client,
                    topic: form.instanceID,
                    detail: "The form \(form.instanceID) was answered with 422 processing_failure"
                        + (refused.document?.detail.map { " (\(Self.short($0)))" } ?? "")
                        + " and is sent again "
                        + "\(CommCareTime.text(CommCareTime.gap(refused.at, started))) later.",
                    steps: [
                        outcome.first.requestStep("the form"),
                        refused.step("cannot be processed", quote: refused.document?.detail),
                        ask.step("sent again"),
                    ]))
        } else if let accepted = outcome.accepted, started >= accepted.row.endedAt ?? accepted.at,
            !outcome.wasIncomplete, form.files.isSubset(of: outcome.files)
        {
            report.add(
                Finding(
                    R.resentAfterSuccess, connection: ask.row.connection, client: ask.client,
                    topic: form.instanceID,
                    detail:
                        "The form \(form.instanceID) was accepted with \(accepted.status) and is "
                        + "sent again \(CommCareTime.text(CommCareTime.gap(accepted.at, started))) "
                        + "later.",
                    steps: [
                        outcome.first.requestStep("the form"), accepted.step("accepted"),
                        ask.step("sent again"),
                    ]))
        }
        checkFiles(outcome, ask, form, &report)
        checkSlow(outcome, ask, form, &report)
    }

    /// A form that was not accepted is sent again without a file that was sent with it.
    private func checkFiles(
        _ outcome: FormOutcome, _ ask: CommCareAsk, _ form: CommCareForm, _ report: inout Report
    ) {
        let left = outcome.files.subtracting(form.files).sorted()
        // What is too large may be left out.
        guard form.files.isStrictSubset(of: outcome.files), outcome.accepted == nil,
            !outcome.isInParts, !form.isIncomplete,
            let last = outcome.last, last.status != 413
        else { return }
        let answer = last.status == 0 ? "had no answer" : "was answered with \(last.status)"
        report.add(
            Finding(
                R.attachmentDropped, connection: ask.row.connection, client: ask.client,
                topic: form.instanceID,
                detail: "The form \(form.instanceID) \(answer), and is sent again without "
                    + left.prefix(3).joined(separator: ", ")
                    + (left.count > 3 ? " and \(left.count - 3) more" : "")
                    + ", which was sent with it before.",
                steps: [
                    outcome.first.requestStep("the form and its files"), last.step("not accepted"),
                    ask.step("without the file"),
                ]))
    }

    private func checkSlow(
        _ outcome: FormOutcome, _ ask: CommCareAsk, _ form: CommCareForm, _ report: inout Report
    ) {
        let pending = open.values.filter { other in
            other.row.id != ask.row.id && other.form?.instanceID == form.instanceID
                && other.person == ask.person
        }.min { $0.row.startedAt < $1.row.startedAt }
        let before = pending?.row ?? outcome.last?.row
        guard let before, outcome.last?.isTouched != true || pending != nil,
            let sent = before.requestEndedAt
        else { return }
        let until =
            pending == nil ? before.respondedAt ?? before.endedAt ?? sent : ask.row.startedAt
        let span = CommCareTime.gap(sent, until)
        // An answer that came in time is not that of a slow server.
        guard span > Self.readTimeout, pending != nil || outcome.last?.isHeard == false else {
            return
        }
        report.add(
            Finding(
                R.slowSubmission, connection: ask.row.connection, client: ask.client,
                topic: form.instanceID,
                detail:
                    "The form \(form.instanceID) had no answer for \(CommCareTime.text(span)), and "
                    + "the client sends it again.",
                steps: [before.requestStep("the form"), ask.step("sent again")]))
    }

    /// The content of a lost form under another identifier.
    private func checkDuplicate(
        _ ask: CommCareAsk, _ form: CommCareForm, _ content: FormOutcomes.Content,
        _ report: inout Report
    ) {
        let same = outcomes.same(content)
        // A client that sends one content under many identifiers does so on purpose.
        guard form.hasTimes, form.instanceID.utf8.count >= 4, same.count == 1, let key = same.first,
            let outcome = outcomes[key], outcome.accepted == nil
        else { return }
        guard let lost = outcome.lost, ask.row.startedAt >= lost.row.endedAt ?? lost.at else {
            return checkAnother(outcome, ask, form, &report)
        }
        report.add(
            Finding(
                CommCareFindingGroups.duplicateForm, connection: ask.row.connection,
                client: ask.client,
                topic: form.instanceID,
                detail: "The answer to the form \(outcome.instanceID) was lost, and "
                    + "\(CommCareTime.text(CommCareTime.gap(lost.at, ask.row.startedAt))) later its "
                    + "content is sent as \(form.instanceID). The server may hold it twice now.",
                expected: "The same form again, with the instanceID \(outcome.instanceID).",
                steps: [
                    outcome.first.requestStep("the form \(outcome.instanceID)"),
                    lost.step("its answer does not reach the client"),
                    ask.step("the same content as \(form.instanceID)"),
                ]))
    }

    /// The content of a form that met a server error, under another identifier.
    private func checkAnother(
        _ outcome: FormOutcome, _ ask: CommCareAsk, _ form: CommCareForm, _ report: inout Report
    ) {
        guard let last = outcome.last, last.isHeard, (500...599).contains(last.status),
            ask.row.startedAt >= last.row.endedAt ?? last.at
        else { return }
        report.add(
            Finding(
                CommCareFindingGroups.duplicateForm, connection: ask.row.connection,
                client: ask.client, topic: form.instanceID,
                detail: "The form \(outcome.instanceID) was answered with \(last.status), and "
                    + "\(CommCareTime.text(CommCareTime.gap(last.at, ask.row.startedAt))) later its "
                    + "content is sent as \(form.instanceID). A server that stored it before it "
                    + "failed holds it twice now.",
                expected: "The same form again, with the instanceID \(outcome.instanceID).",
                severity: .warning,
                steps: [
                    outcome.first.requestStep("the form \(outcome.instanceID)"),
                    last.step("answered with \(last.status)"),
                    ask.step("the same content as \(form.instanceID)"),
                ]))
    }

    private func checkOrder(
        _ ask: CommCareAsk, _ form: CommCareForm, _ person: inout CommCarePerson,
        _ report: inout Report
    ) {
        for block in form.blocks where block.create != nil {
            guard let id = block.caseID.map(ExactText.init),
                let earlier = person.updatedBlind.removeValue(forKey: id)
            else { continue }
            report.add(
                Finding(
                    R.createAfterUpdate, connection: ask.row.connection, client: ask.client,
                    topic: form.instanceID,
                    detail: "The form \(form.instanceID) creates case \(id), which the form "
                        + "\(earlier.instanceID) has updated before.",
                    steps: [
                        earlier.row.requestStep("updates case \(id)"),
                        ask.step("creates case \(id)"),
                    ]))
        }
        let created = Set(form.blocks.filter { $0.create != nil }.compactMap(\.caseID))
        for block in form.blocks where block.create == nil && person.updatedBlind.count < 5_000 {
            guard let id = block.caseID, !created.contains(id), !id.isEmpty,
                person.ledger?.knows(id) != true
            else { continue }
            if person.updatedBlind[ExactText(id)] == nil {
                person.updatedBlind[ExactText(id)] = (ask.row, form.instanceID)
            }
        }
        guard let time = form.timeEnd, !form.isDeviceReport else { return }
        if let newest = person.newestForm, time < newest.timeEnd - 60 {
            report.add(
                Finding(
                    R.timeBackwards, connection: ask.row.connection, client: ask.client,
                    topic: ask.topic,
                    detail: "The form \(form.instanceID) was finished \(newest.timeEnd - time) s "
                        + "before \(newest.instanceID), which was sent first.",
                    steps: [
                        newest.row.requestStep("finished later"), ask.step("finished earlier"),
                    ]))
        }
        if time > person.newestForm?.timeEnd ?? .min {
            person.newestForm = (time, ask.row, form.instanceID)
        }
    }

    mutating func followForm(_ ask: CommCareAsk, _ reply: CommCareReply, _ report: inout Report) {
        guard let form = ask.form, !form.instanceID.isEmpty, !ask.isTouched else { return }
        let key = key(ask, form)
        var stuck: FormOutcome?
        outcomes.change(key) { outcome in
            guard outcome.digest == form.digest else { return }
            outcome.last = reply
            if reply.isHeard {
                if reply.isAccepted {
                    outcome.accepted = reply
                    outcome.wasIncomplete = form.isIncomplete
                }
                if reply.status == 422, reply.nature == OpenRosaNature.processingFailure.rawValue,
                    reply.isResponse
                {
                    outcome.refused = reply
                }
            } else if reply.row.outcome != .requestCut, outcome.lost == nil {
                outcome.lost = reply
            }
            outcome.mayBeStored =
                outcome.accepted != nil || outcome.lost != nil || !Self.isRefusal(reply)
            stuck = Self.count(reply, &outcome, ask)
        }
        guard let stuck else { return }
        report.add(
            Finding(
                CommCareFindingGroups.headOfLine, connection: ask.row.connection,
                client: ask.client,
                topic: form.instanceID,
                detail: "The form \(form.instanceID) was refused with \(reply.status) "
                    + "\(stuck.refusals) times, and no other form was sent between.",
                steps: stuck.steps + [reply.step("refused again")]))
    }

    /// Counts refusals in a row; returns the outcome once they are too many.
    private static func count(
        _ reply: CommCareReply, _ outcome: inout FormOutcome, _ ask: CommCareAsk
    ) -> FormOutcome? {
        guard [400, 413, 422].contains(reply.status), !reply.isTouched, outcome.refused == nil
        else {
            outcome.refusals = 0
            outcome.steps = []
            return nil
        }
        if outcome.refusals == 0 { outcome.steps = [] }
        outcome.refusals += 1
        if outcome.steps.count < 12 {
            outcome.steps += [ask.step("sent"), reply.step("refused")]
        }
        return outcome.refusals == maxRefusals ? outcome : nil
    }

    /// Whether the answer means that the server has not kept the form.
    static func isRefusal(_ reply: CommCareReply) -> Bool {
        switch reply.status {
        case 400, 401, 403, 404, 405, 406, 411, 413, 415, 429, 503: true
        case 422: reply.nature != OpenRosaNature.postProcessingFailure.rawValue
        default: false
        }
    }
}
