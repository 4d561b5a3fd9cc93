import Dissection
import OpenRosa
import Wire

/// Checks the answer to a request for the form list.
enum FormListCheck {
    static func judge(
        _ exchange: ExchangeEvidence, _ response: SideEvidence,
        _ session: borrowing SessionView, _ report: inout Report
    ) {
        guard exchange.row.status == 200, exchange.row.method != "HEAD" else { return }
        let why: String
        if response.body.size == 0 {
            why = "is empty"
        } else if let error = DocumentFacts.read(response, purpose: .any)?.malformation {
            why = "is not well-formed: \(error)"
        } else {
            return
        }
        report.add(
            Finding(
                CommCareExchangeRules.formListNotWellFormed, answered: exchange, session,
                detail: Quote.escaped("The form list \(why)."), quote: nil))
    }
}
