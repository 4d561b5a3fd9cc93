import Dissection
import Notation
import OpenRosa
import Wire

/// Cases across restores and forms: Diagnosis/Catalogue.md#c54, #c55, and what claims and searches
/// change.
extension CommCareSessionCheck {
    private typealias R = CommCareSessionRules

    func checkCases(
        _ ask: CommCareAsk, _ person: inout CommCarePerson, _ report: inout Report
    ) {
        switch ask.api {
        case .commcareSearch, .commcareFixture, .commcareCaseRestore, .commcareRegistryCase:
            // Forms may refer to what was found there.
            person.ledger = nil
        default: break
        }
        guard let form = ask.form, !form.blocks.isEmpty, person.ledger != nil else { return }
        guard !ask.isTouched, person.maybe.isEmpty, !form.isDeviceReport else {
            person.ledger = nil
            return
        }
        // A form that began before the restore was stored may refer to the earlier cases.
        if let current = person.current, ask.row.startedAt > current.settledAt {
            checkKnown(ask, form, person, &report)
            checkCycle(ask, form, person, &report)
        }
        person.ledger?.note(form)
    }

    private func checkKnown(
        _ ask: CommCareAsk, _ form: CommCareForm, _ person: CommCarePerson,
        _ report: inout Report
    ) {
        guard let ledger = person.ledger, !ledger.isOverfull else { return }
        var created: Set<String> = []
        for block in form.blocks {
            guard let id = block.caseID, !id.isEmpty else { continue }
            if block.create != nil { created.insert(id) }
            guard block.create == nil, !created.contains(id), !ledger.knows(id),
                block.update != nil || block.isClosed || !block.indices.isEmpty
            else { continue }
            let what = block.isClosed ? "closes" : "changes"
            report.add(
                Finding(
                    R.unknownCase, connection: ask.row.connection, client: ask.client,
                    topic: form.instanceID,
                    detail:
                        "The form \(form.instanceID) \(what) case \(id), which no restore and no "
                        + "form has created.",
                    steps: (person.current.map {
                        [
                            $0.row.responseStep(
                                "the last restore, after which the device has "
                                    + Words.count(ledger.set.cases.count, "case"))
                        ]
                    } ?? []) + [ask.step("\(what) case \(id)")]))
            return
        }
    }

    private func checkCycle(
        _ ask: CommCareAsk, _ form: CommCareForm, _ person: CommCarePerson,
        _ report: inout Report
    ) {
        guard let ledger = person.ledger, form.blocks.contains(where: { !$0.indices.isEmpty })
        else { return }
        var overlay: [ExactText: [ExactText]] = [:]
        for block in form.blocks {
            guard let id = block.caseID else { continue }
            overlay[ExactText(id), default: []] += block.indices.compactMap {
                $0.target.isEmpty ? nil : ExactText($0.target)
            }
        }
        let start = form.blocks.filter { !$0.indices.isEmpty }.compactMap(\.caseID)
            .map(ExactText.init)
        guard let cycle = ledger.cycle(through: start, overlay: overlay) else { return }
        report.add(
            Finding(
                R.cycle, connection: ask.row.connection, client: ask.client,
                topic: form.instanceID,
                detail:
                    "With the form \(form.instanceID) these cases refer to each other in a circle: "
                    + Self.circle(cycle) + ".",
                steps: [ask.step(Self.circle(cycle))]))
    }

    func followCases(
        _ ask: CommCareAsk, _ reply: CommCareReply, _ person: inout CommCarePerson
    ) {
        if ask.api == .commcareClaim {
            person.claimed = reply.status == 201 && reply.isHeard ? reply : nil
        }
        guard let form = ask.form, person.ledger != nil else { return }
        if reply.status == 201 || reply.status == 202, reply.nature != "submit_error",
            reply.row.outcome == .complete
        {
            // The device has it, and so has the server: once, even if sent repeatedly.
            for block in form.blocks where person.ledger?.apply(block, from: .submission) != nil {
                person.ledger?.isExact = false
            }
        } else if !form.blocks.isEmpty, reply.row.outcome == .complete {
            person.ledger?.isExact = false
        }
    }
}
