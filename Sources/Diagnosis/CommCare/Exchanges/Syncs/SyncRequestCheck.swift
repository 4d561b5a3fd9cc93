import Dissection
import Notation
import OpenRosa
import Wire

/// Checks the request of a sync.
enum SyncRequestCheck {
    static func asked(
        _ exchange: ExchangeEvidence, _ session: borrowing SessionView, _ report: inout Report
    ) {
        let row = exchange.row
        let query = FormField.parse((row.query ?? "").utf8, limit: 200)
        let since = query.first("since").flatMap { $0.isEmpty ? nil : $0 }
        func add(_ rule: Rule, _ detail: String) {
            report.add(Finding(rule, asked: exchange, session, detail: detail))
        }
        guard let state = query.first("state") else {
            if let since {
                add(
                    CommCareExchangeRules.sinceWithoutState,
                    "The sync since \(Quote.escaped(since)) has no state.")
            }
            return
        }
        do throws(CaseStateHash.Problem) {
            _ = try CaseStateHash(parsing: state)
        } catch {
            let why =
                switch error {
                case .missingPrefix: "it does not begin with ccsh:"
                case .wrongLength(let count): "\(count) digits follow ccsh:, and 32 should"
                case .notHexadecimal: "what follows ccsh: is not hexadecimal"
                }
            add(
                CommCareExchangeRules.stateMalformed,
                "The sync has the state \"\(Quote.of(Array(state.utf8)))\": \(why).")
        }
        if since == nil {
            add(
                CommCareExchangeRules.stateWithoutSince,
                "The sync has the state \"\(Quote.of(Array(state.utf8)))\" and no since.")
        }
    }
}
