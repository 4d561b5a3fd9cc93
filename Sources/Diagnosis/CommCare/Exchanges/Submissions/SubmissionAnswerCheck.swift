import Dissection
import OpenRosa
import Wire

/// Checks the answer to a submission.
enum SubmissionAnswerCheck {
    private typealias Rules = CommCareExchangeRules

    static func judge(
        _ exchange: ExchangeEvidence, _ response: SideEvidence,
        _ session: borrowing SessionView, _ report: inout Report
    ) {
        let row = exchange.row
        guard row.method == "POST", let status = row.status else { return }
        func add(
            _ rule: Rule, _ detail: String, _ severity: FindingRow.Severity? = nil,
            quote: String? = nil
        ) {
            report.add(
                Finding(
                    rule, answered: exchange, session, severity: severity,
                    detail: Quote.escaped(detail), quote: quote))
        }
        let document = response.documents.first { $0.root == "OpenRosaResponse" }
        if let document, document.namespace != "http://openrosa.org/http/response" {
            add(
                Rules.namespace,
                "OpenRosaResponse is in \(document.namespace.map { "the namespace \"\($0)\"" } ?? "no namespace")."
            )
        }
        switch status {
        case 200..<300:
            guard let document else {
                guard response.body.size > 0 else {
                    if status == 200 { accepted(row.api, add) }
                    return
                }
                add(
                    Rules.withoutEnvelope,
                    "The answer \(status) to the form has a body that is not an OpenRosaResponse.",
                    quote: Quote.of(response.body.content))
                return
            }
            if document.nature == "submit_error" {
                add(
                    Rules.disguisedError,
                    "The answer \(status) to the form has the nature submit_error: \(document.detail ?? "")."
                )
            }
            if status == 200 { accepted(row.api, add) }
        case 422:
            rejection(response, document, add)
        default: return
        }
    }

    private static func accepted(
        _ api: String, _ add: (Rule, String, FindingRow.Severity?, String?) -> Void
    ) {
        add(
            api == "openrosa.submit" ? Rules.openRosaAcceptedWith200 : Rules.acceptedWith200,
            "The form was answered 200.", nil, nil)
    }

    private static func rejection(
        _ response: SideEvidence, _ document: OpenRosaRow?,
        _ add: (Rule, String, FindingRow.Severity?, String?) -> Void
    ) {
        guard let document else {
            add(
                Rules.rejectionNature, "The body of the 422 is not an OpenRosaResponse.", nil,
                Quote.of(response.body.content))
            return
        }
        if document.nature != "processing_failure" {
            let isStored = document.nature == "post_processing_failure"
            add(
                Rules.rejectionNature,
                "The 422 has the nature \(document.nature.map { "\"\($0)\"" } ?? "none").",
                isStored ? .info : nil, nil)
        }
        if let facts = DocumentFacts.read(response, purpose: .any),
            let note = facts.note("openrosa.message-not-first")
        {
            add(
                Rules.messageNotFirst,
                "In the 422, \(note.detail), so that clients do not find it.", nil, nil)
        }
    }
}
