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
        report.add(
            Finding(
                R.stateHash, connection: ask.row.connection, client: ask.client, topic: ask.topic,
                detail: "The request has state=\(sent); the \(ledger.set.cases.count) cases that "
                    + "the device received and submitted make \(predicted)"
                    + Self.detail(explanation) + ".",
                severity: isCertain ? .error : .info, steps: steps))
        if isCertain {
            person.mismatch = (
                ask.row.id,
                "its state is not that of the cases on the device" + Self.detail(explanation)
            )
        }
        // Reported once: the server answers with 412, or the same difference stays.
        person.ledger = nil
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
