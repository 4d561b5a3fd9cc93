import Dissection
import Wire

/// Checks one answer of a server.
enum HTTPAnswerCheck {
    static func judge(
        _ exchange: borrowing ExchangeEvidence, _ glance: HeadSummary,
        _ session: borrowing SessionView, _ report: inout Report
    ) {
        guard let status = exchange.row.status, status >= 200, let response = exchange.response,
            !response.body.head.isEmpty, !exchange.isAnswerTouched
        else { return }
        let row = exchange.row
        let names = glance.names
        if status < 500, !names.contains(.date), !row.api.isOpenRosa {
            add(HTTPRules.serverDate, exchange, "has no Date", session, &report)
        }
        switch status {
        case 401 where !names.contains(.authenticate):
            add(
                HTTPRules.serverAuthenticate, exchange, "has no WWW-Authenticate", session,
                &report)
        case 405 where !names.contains(.allow):
            add(HTTPRules.serverAllow, exchange, "has no Allow", session, &report)
        case 301, 302, 303, 307, 308:
            if !names.contains(.location) {
                add(HTTPRules.serverLocation, exchange, "has no Location", session, &report)
            }
        default: break
        }
        if names.contains(.transferEncoding), row.version == "HTTP/1.0",
            !exchange.isRequestTouched
        {
            add(
                HTTPRules.serverChunkedToOld, exchange,
                "is chunked, and the request is of HTTP/1.0", session, &report)
        }
        if names.contains(.contentEncoding), !exchange.isRequestTouched {
            codings(exchange, response, session, &report)
        }
    }

    private static func codings(
        _ exchange: borrowing ExchangeEvidence, _ response: SideEvidence,
        _ session: borrowing SessionView, _ report: inout Report
    ) {
        guard let asked = exchange.request?.head.all("accept-encoding"), !asked.isEmpty else {
            return
        }
        var accepted: [String: Bool] = [:]
        for element in asked.flatMap({ $0.value.lowercased().split(separator: ",") }) {
            let words = element.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" } }
            guard let name = words.first else { continue }
            let isRefused = words.dropFirst().contains { word in
                word.hasPrefix("q=") && word.dropFirst(2).allSatisfy { $0 == "0" || $0 == "." }
            }
            accepted[String(name)] = !isRefused
        }
        let fields = response.head.all("content-encoding")
        let used = fields.flatMap { $0.value.lowercased().split(separator: ",") }
            .map { String($0.filter { $0 != " " && $0 != "\t" }) }
        for coding in used where coding != "identity" {
            let alias = coding.hasPrefix("x-") ? String(coding.dropFirst(2)) : "x-" + coding
            let isFine = accepted[coding] ?? accepted[alias] ?? accepted["*"] ?? false
            guard !isFine else { continue }
            add(
                HTTPRules.serverCoding, exchange,
                "is coded with \(Quote.escaped(coding)), and the request accepts \"\(Quote.escaped(asked[0].value))\"",
                session, &report, quote: fields.first?.line)
        }
    }

    private static func add(
        _ rule: Rule, _ exchange: borrowing ExchangeEvidence, _ what: String,
        _ session: borrowing SessionView, _ report: inout Report, quote: String? = nil
    ) {
        let row = exchange.row
        report.add(
            Finding(
                rule, answered: copy exchange, session,
                detail: "The answer \(row.status ?? 0) to \(row.method) \(row.path) \(what).",
                quote: quote))
    }
}

extension String {
    /// Whether this is the `api` of a request to a CommCare or OpenRosa server.
    var isOpenRosa: Bool { hasPrefix("commcare.") || hasPrefix("openrosa.") }
}
