import Dissection
import Wire

/// The rules of CommCare and OpenRosa that one exchange decides.
struct CommCareExchangeCheck: Check {
    private var submissions = SubmissionCheck()

    mutating func observe(
        _ evidence: borrowing Evidence, _ session: borrowing SessionView, _ report: inout Report
    ) {
        switch evidence {
        case .asked(let exchange):
            guard let request = exchange.request, !request.body.head.isEmpty,
                !exchange.isRequestTouched
            else { return }
            guard exchange.row.api.isOpenRosa else {
                if exchange.row.api == API.plain {
                    RequestHeadCheck.method(exchange, session, &report)
                }
                return
            }
            let head = request.head
            RequestHeadCheck.asked(exchange, head, session, &report)
            switch exchange.row.api {
            case "commcare.restore": SyncRequestCheck.asked(exchange, session, &report)
            case "commcare.submit", "openrosa.submit":
                submissions.asked(exchange, request, head, session, &report)
            default: break
            }
        case .answered(let exchange):
            guard exchange.row.api.isOpenRosa, exchange.row.status != nil,
                let response = exchange.response, !response.body.head.isEmpty
            else { return }
            let head = response.head
            submissions.learn(exchange, head)
            RequestHeadCheck.answered(exchange, head, session, &report)
            guard !exchange.isAnswerTouched else { return }
            AnswerHeadCheck.judge(exchange, response, head, session, &report)
            guard exchange.row.outcome != .responseCut, response.body.problem == nil else { return }
            switch exchange.row.api {
            case "commcare.restore":
                SyncAnswerCheck.judge(exchange, response, session, &report)
            case "commcare.submit", "openrosa.submit":
                SubmissionAnswerCheck.judge(exchange, response, session, &report)
            case "openrosa.form-list":
                FormListCheck.judge(exchange, response, session, &report)
            default: break
            }
        default: return
        }
    }
}
