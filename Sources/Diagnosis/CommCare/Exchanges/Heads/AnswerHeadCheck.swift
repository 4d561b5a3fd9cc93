import Dissection
import Notation
import OpenRosa
import Wire

/// Checks the head of an answer of a CommCare or OpenRosa server.
enum AnswerHeadCheck {
    private typealias Rules = CommCareExchangeRules

    static func judge(
        _ exchange: ExchangeEvidence, _ response: SideEvidence, _ head: HeadLines,
        _ session: borrowing SessionView, _ report: inout Report
    ) {
        let row = exchange.row
        guard let status = row.status, status >= 200 else { return }
        let what = "The answer \(status) to \(row.method) \(row.path)"
        func add(_ rule: Rule, _ detail: String, quote: String? = nil) {
            report.add(
                Finding(
                    rule, answered: exchange, session, detail: what + " " + detail, quote: quote))
        }
        let isCommCare = row.api.hasPrefix("commcare.")
        let date = head.first("date")
        if date.flatMap({ HTTPDate.parse($0.value) }) == nil {
            let rule = isCommCare ? Rules.commcareDate : Rules.openRosaDate
            add(
                rule,
                date.map { "has an invalid Date: \(Quote.escaped($0.value))." }
                    ?? "has no Date.", quote: date?.line)
        }
        let isSuccess = (200..<300).contains(status)
        if isSuccess, speaking.contains(row.api), head.first("x-openrosa-version") == nil {
            let spelt = head.first("http_x_openrosa_version")
            add(
                Rules.serverVersion,
                spelt == nil
                    ? "has no X-OpenRosa-Version."
                    : "has HTTP_X_OPENROSA_VERSION in place of X-OpenRosa-Version.",
                quote: spelt?.line)
        }
        if row.api == "openrosa.submit" || row.api == "openrosa.submit-check",
            [201, 202, 204].contains(status),
            head.first("x-openrosa-accept-content-length") == nil
        {
            add(Rules.acceptLength, "has no X-OpenRosa-Accept-Content-Length.")
        }
        if status == 429 || status == 503, row.retryAfter == nil {
            add(Rules.overloadWithoutRetryAfter, "has no Retry-After.")
        }
        if row.method != "HEAD", row.outcome != .responseCut, response.body.problem == nil {
            if status == 406 { action(response, head, add) }
            documentType(response, head, add)
        }
        redirect(exchange, status, head, session, add)
    }

    private typealias Adding = (_ rule: Rule, _ detail: String, _ quote: String?) -> Void

    private static let speaking: Set<String> = [
        "commcare.submit", "commcare.restore", "openrosa.submit", "openrosa.submit-check",
        "openrosa.form-list",
    ]

    private static func action(_ response: SideEvidence, _ head: HeadLines, _ add: Adding) {
        let document = response.documents.first { $0.kind == "actionable" && $0.problem == nil }
        let text = Quote.of(response.body.content)
        guard let document else {
            guard response.isWhole || response.body.size > 1 << 16 else { return }
            let answer = ActionableAnswer(response.body.content)
            let why =
                switch answer {
                case .json: "is not kept"
                case .xml: "is XML"
                case .text: "is not JSON with error and default_response"
                case .empty: "is empty"
                }
            if case .json = answer { return }
            add(Rules.actionMalformed, "has a body that \(why).", text)
            return
        }
        if !(response.body.contentType?.lowercased().contains("json") ?? false) {
            add(
                Rules.actionType, "has JSON declared as \(response.body.contentType ?? "nothing").",
                head.first("content-type")?.line)
        }
        let key = document.key ?? ""
        if key.isEmpty || key.utf8.contains(where: { $0 <= 0x20 }) {
            add(Rules.actionKey, "has the error \"\(Quote.of(Array(key.utf8)))\".", text)
        }
    }

    private static func documentType(_ response: SideEvidence, _ head: HeadLines, _ add: Adding) {
        guard response.documents.contains(where: { $0.root == "OpenRosaResponse" }) else { return }
        let type = (response.body.contentType ?? "").lowercased()
        let media = type.prefix { $0 != ";" && $0 != " " }
        guard !(media == "text/xml" || media == "application/xml") || !type.contains("charset=")
        else { return }
        add(
            Rules.contentType,
            type.isEmpty
                ? "is an OpenRosaResponse without Content-Type."
                : "is an OpenRosaResponse declared as \(Quote.escaped(type)).",
            head.first("content-type")?.line)
    }

    private static func redirect(
        _ exchange: ExchangeEvidence, _ status: Int, _ head: HeadLines,
        _ session: borrowing SessionView, _ add: Adding
    ) {
        let row = exchange.row
        guard let location = head.first("location") else { return }
        let target = Quote.of(Array(location.value.utf8))
        let isForm = row.api.hasSuffix(".submit")
        if isForm, row.method == "POST", [301, 302, 303].contains(status) {
            add(Rules.redirected, "sends the form to \(target), with a GET.", location.line)
            return
        }
        guard [301, 302, 307, 308].contains(status), row.scheme == "https",
            let host = host(of: location.value), host != row.host
        else { return }
        // A reverse proxy rewrites addresses of the server to its own names.
        if session[row.connection]?.row?.mode != .forward { return }
        add(Rules.otherHost, "sends the client from \(row.host) to \(target).", location.line)
    }

    /// The host of an absolute address, in lower case.
    private static func host(of address: String) -> String? {
        let lower = address.lowercased()
        guard let scheme = ["https://", "http://", "//"].first(where: { lower.hasPrefix($0) })
        else { return nil }
        let rest = lower.dropFirst(scheme.count).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        let name = rest.split(separator: "@").last ?? ""
        return name.hasPrefix("[")
            ? String(name.prefix { $0 != "]" }.dropFirst())
            : String(name.prefix { $0 != ":" })
    }
}
