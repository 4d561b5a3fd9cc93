import Dissection
import Wire

/// The rules of HTTP.
struct HTTPCheck: Check {
    private var notes = NoteJoiner(prefix: "http.")
    private var requests = HTTPRequestCheck()
    private var connections = HTTPConnectionCheck()
    private var cookies = HTTPCookieCheck()
    private var retries = HTTPRetryCheck()

    mutating func observe(
        _ evidence: borrowing Evidence, _ session: borrowing SessionView, _ report: inout Report
    ) {
        switch evidence {
        case .note, .asked, .answered, .event:
            if let id = evidence.connection, session.isSynthesized(id) { return }
        default: return
        }
        switch evidence {
        case .note(let note):
            guard let (note, exchange) = notes.take(note) else { return }
            judge(note, exchange, session, &report)
        case .asked(let exchange):
            for (note, exchange) in notes.asked(exchange) {
                judge(note, exchange, session, &report)
            }
            guard isAsked(exchange.row) else { return }
            let glance = HeadSummary(exchange.request?.body.head ?? [])
            connections.asked(exchange, glance, session, &report)
            guard !exchange.isRequestTouched else { return }
            requests.asked(exchange, glance, session, &report)
            cookies.asked(exchange, glance, session, &report)
            retries.asked(exchange, session, &report)
        case .answered(let exchange):
            for (note, exchange) in notes.answered(exchange) {
                judge(note, exchange, session, &report)
            }
            guard isAsked(exchange.row) else { return }
            let glance = HeadSummary(exchange.response?.body.head ?? [])
            requests.answered(exchange, session, &report)
            connections.answered(exchange, glance, session, &report)
            cookies.answered(exchange, glance, session, &report)
            retries.answered(exchange, session)
            HTTPAnswerCheck.judge(exchange, glance, session, &report)
        case .event(let row): connections.take(row, session, &report)
        default: return
        }
    }

    /// Whether a request is one of the client to a server, as far as is known.
    private func isAsked(_ row: ExchangeRow) -> Bool {
        row.method != "CONNECT" && row.method != ExchangeRow.unreadableMethod
    }

    /// Turns a note of the decoders into a finding.
    private func judge(
        _ note: NoteRow, _ exchange: ExchangeEvidence?, _ session: borrowing SessionView,
        _ report: inout Report
    ) {
        guard let rule = HTTPRules.rule(for: note.code, of: note.sender),
            session.isWhole(note.connection), let view = session[note.connection], !view.wasCut
        else { return }
        if let exchange {
            let isTouched =
                note.sender == .client ? exchange.isRequestTouched : exchange.isAnswerTouched
            guard !isTouched else { return }
        } else {
            guard view.lastFaultAt == nil else { return }
        }
        let subject = exchange.map { " in \($0.row.method) \($0.row.path)" } ?? ""
        let who = note.sender == .client ? "The client's HTTP" : "The server's HTTP"
        var step = FindingStep(at: note.at, note.detail, place: note.place)
        step.exchange = exchange?.row.id
        report.add(
            Finding(
                rule, connection: note.connection, client: session.client(of: note.connection),
                detail: "\(who)\(subject): \(note.detail).", steps: [step]))
    }
}
