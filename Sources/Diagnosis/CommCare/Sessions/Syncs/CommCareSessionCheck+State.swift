import Dissection
import Notation
import OpenRosa
import Wire

/// The state hash: Diagnosis/Catalogue.md#c11.
extension CommCareSessionCheck {
    private typealias R = CommCareSessionRules

    func checkState(
        _ ask: CommCareAsk, _ person: inout CommCarePerson, _ report: inout Report
    ) {
        guard ask.isRestore, !ask.isTouched, let since = ask.since, let ledger = person.ledger,
            ledger.token == since, person.maybe.isEmpty, person.failedForms.isEmpty,
            !isSubmitting(ask.person), let state = ask.query.last("state"),
            let sent = try? CaseStateHash(parsing: state)
        else { return }
        let hashes = ledger.hashes
        guard !hashes.contains(where: { $0.difference(from: sent) == .zero }),
            let predicted = hashes.first
        else { return }
        let isCertain = ledger.isSimple && ledger.isExact
        let explanation = CaseStateExplanation.explain(
            sent: sent, predicted: predicted, predictedIDs: Set(ledger.set.cases.keys),
            seen: ledger.created.map(\.string).sorted())
        var steps = [ask.step("has the state of the device", quote: "state=\(sent)")]
        if let current = person.current {
            steps.insert(current.row.responseStep("issues \(current.token)"), at: 0)
        }
        let cut = Self.isMissing(explanation) ? nil : person.cutForm
        if let cut { steps.insert(cut.requestStep("a form that was cut off"), at: steps.count - 1) }
        let finding = Finding(
            R.stateHash, connection: ask.row.connection, client: ask.client, topic: ask.topic,
            detail: "The request has state=\(sent); that of the "
                + "\(Words.count(ledger.set.cases.count, "case")) that "
                + "the device received and submitted is \(predicted)"
                + Self.detail(explanation) + "."
                + (cut == nil
                    ? ""
                    : " A form was cut off on its way to the server: if the difference is in it, the "
                        + "hash is right, and the form was not sent again."),
            severity: isCertain ? cut == nil ? .error : .warning : .info, steps: steps)
        report.add(finding)
        if !isCertain, Self.isMissing(explanation) { person.lacking = (ask.row.id, finding) }
        if isCertain {
            person.mismatch = (
                ask.row.id,
                "its state is not that of the cases on the device" + Self.detail(explanation)
            )
        }
        // Reported once: the server answers with 412, or the same difference stays.
        person.ledger = nil
    }

    /// The server refuses a sync whose state lacks cases: it finds the same difference.
    func confirmState(
        _ ask: CommCareAsk, _ reply: CommCareReply, _ person: inout CommCarePerson,
        _ report: inout Report
    ) {
        guard let lacking = person.lacking, lacking.exchange == ask.row.id else { return }
        person.lacking = nil
        guard reply.status == 412, !reply.isTouched, reply.row.outcome == .complete else { return }
        var finding = lacking.finding
        finding.severity = .warning
        finding.detail += " The server refuses the sync with 412."
        finding.steps.append(reply.step("refuses the sync"))
        finding.absorbs = [R.stateHash.id]
        report.add(finding)
    }

    private static func isMissing(_ explanation: CaseStateExplanation) -> Bool {
        switch explanation {
        case .one(let difference): difference.isMissingOnDevice
        case .two(let pairs):
            !pairs.isEmpty
                && pairs.allSatisfy { $0.first.isMissingOnDevice && $0.second.isMissingOnDevice }
        case .same, .unknown: false
        }
    }

    private func isSubmitting(_ person: CommCarePersonKey) -> Bool {
        open.values.contains { $0.person == person && $0.isSubmission }
    }

    private static func detail(_ explanation: CaseStateExplanation) -> String {
        func part(_ difference: CaseStateExplanation.Difference) -> String {
            difference.isMissingOnDevice
                ? "the device lacks case \(difference.caseID)"
                : "the device has case \(difference.caseID) in addition"
        }
        switch explanation {
        case .one(let difference): return ": \(part(difference))"
        case .two(let pairs):
            guard let pair = pairs.first else { return "" }
            return ": \(part(pair.first)) and \(part(pair.second))"
                + (pairs.count > 1 ? ", or another pair" : "")
        case .same, .unknown: return ""
        }
    }
}
