import Dissection
import OpenRosa
import Wire

/// Checks a submitted form.
enum FormCheck {
    private typealias Rules = CommCareExchangeRules

    static func judge(
        _ facts: DocumentFacts, _ exchange: ExchangeEvidence, _ topic: String,
        _ session: borrowing SessionView, _ report: inout Report
    ) {
        func add(_ rule: Rule, _ detail: String) {
            report.add(
                Finding(rule, asked: exchange, session, topic: topic, detail: Quote.escaped(detail))
            )
        }
        if facts.error != nil {
            if let error = facts.malformation {
                add(Rules.notWellFormed, "The form is not well-formed: \(error).")
            }
            return
        }
        let isReport = facts.form?.namespace == FormInstance.deviceReport
        let isCommCare = exchange.row.api == "commcare.submit"
        if let form = facts.form, form.namespace == nil {
            if isCommCare {
                add(Rules.xmlnsMissing, "The root <\(form.root)> of the form has no namespace.")
            } else if form.id?.isEmpty ?? true {
                add(
                    Rules.openRosaNameless,
                    "The root <\(form.root)> of the form has neither id nor namespace.")
            }
        }
        if let note = facts.note("openrosa.instance-id-repeated") {
            add(Rules.instanceIDRepeated, "The form has more than one instanceID\(at(note)).")
        }
        if !isReport,
            let note = facts.note("openrosa.instance-id-missing", "openrosa.meta-missing")
        {
            add(Rules.instanceIDMissing, "The form has \(note.detail)\(at(note)).")
        }
        let incomplete = facts.note(
            "openrosa.case-id-missing", "openrosa.case-date-missing", "openrosa.create-incomplete",
            "openrosa.owner-missing")
        if let note = incomplete {
            let lacks =
                switch note.code {
                case "openrosa.case-id-missing": "no case_id"
                case "openrosa.case-date-missing": "no date_modified"
                case "openrosa.owner-missing": "neither an owner_id nor a user_id"
                default: "a create without type or name"
                }
            add(Rules.caseIncomplete, "A case block has \(lacks) (\(note.detail))\(at(note)).")
        }
        if let note = facts.note("openrosa.create-unknown") {
            add(Rules.createUnknown, "A case block has \(note.detail)\(at(note)).")
        }
        if let note = facts.note("openrosa.value-too-long") {
            add(Rules.valueTooLong, "A case block has a \(note.detail)\(at(note)).")
        }
        if let note = facts.note("openrosa.index-self", "openrosa.index-relationship") {
            add(
                Rules.indexWrong,
                note.code == "openrosa.index-self"
                    ? "An index of \(note.detail) leads to the case itself\(at(note))."
                    : "An index has the \(note.detail)\(at(note)).")
        }
        if let old = facts.old {
            add(
                Rules.versionOne,
                "The block of case \(old.caseID ?? "") is of version 1 (\(old.position)).")
        }
    }

    private static func at(_ note: OpenRosaNote) -> String {
        note.position.map { ", at \($0)" } ?? ""
    }
}
