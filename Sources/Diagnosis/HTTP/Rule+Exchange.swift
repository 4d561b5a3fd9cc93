import Dissection
import Wire

extension Rule {
    /// A rule that one exchange breaks, with the common defaults.
    static func exchange(
        _ id: String, _ severity: FindingRow.Severity, blames: Peer = .client,
        repetition: Repetition = .client, title: String, source: String,
        follows: String = "nothing: one exchange decides", evidence: String, expects: String,
        minimumNanoseconds: Int64? = nil, silent: String? = nil, cause: String? = nil
    ) -> Rule {
        let touched =
            blames == .client
            ? "Tapedeck changed the request."
            : "Tapedeck made, changed or delayed the answer."
        return Rule(
            id, severity, blames: blames, repetition: repetition, title: title, source: source,
            follows: follows, evidence: evidence, expects: expects,
            minimumNanoseconds: minimumNanoseconds,
            silent: [touched, silent].compactMap { $0 }.joined(separator: " "), cause: cause)
    }
}

extension Finding {
    /// A finding about a request.
    init(
        _ rule: Rule, asked exchange: ExchangeEvidence, _ session: borrowing SessionView,
        topic: String = "", severity: FindingRow.Severity? = nil, detail: String,
        expected: String? = nil, cause: String? = nil, quote: String? = nil,
        before steps: [FindingStep] = []
    ) {
        self.init(
            rule, connection: exchange.row.connection,
            client: session.client(of: exchange.row.connection), topic: topic, detail: detail,
            expected: expected, cause: cause, severity: severity,
            steps: steps + [FindingStep(request: exchange, "the request", quote: quote)])
    }

    /// A finding about an answer.
    init(
        _ rule: Rule, answered exchange: ExchangeEvidence, _ session: borrowing SessionView,
        topic: String = "", severity: FindingRow.Severity? = nil, detail: String,
        expected: String? = nil, cause: String? = nil, quote: String? = nil
    ) {
        self.init(
            rule, connection: exchange.row.connection,
            client: session.client(of: exchange.row.connection), topic: topic, detail: detail,
            expected: expected, cause: cause, severity: severity,
            steps: [
                FindingStep(request: exchange, "the request"),
                FindingStep(response: exchange, "the answer", quote: quote),
            ])
    }
}
