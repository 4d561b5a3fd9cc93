import Dissection
import Notation
import OpenRosa
import Wire

/// Checks the header fields of a request to a CommCare or OpenRosa server.
enum RequestHeadCheck {
    private typealias Rules = CommCareExchangeRules

    static func asked(
        _ exchange: ExchangeEvidence, _ head: HeadLines, _ session: borrowing SessionView,
        _ report: inout Report
    ) {
        let row = exchange.row
        let what = "\(row.method) \(row.path)"
        func add(_ rule: Rule, _ detail: String, quote: String? = nil, expected: String? = nil) {
            report.add(
                Finding(
                    rule, asked: exchange, session, detail: detail, expected: expected, quote: quote
                ))
        }
        let underscored = head.fields.first { field in
            field.name.utf8.contains(0x5F) && isOurs(hyphens(field.name))
        }
        if let underscored {
            add(
                Rules.underscores,
                "\(what) has the field \(Quote.escaped(underscored.name)), which servers drop.",
                quote: underscored.line, expected: "`\(hyphens(underscored.name))`.")
        }
        let version = head.first("x-openrosa-version")
        switch row.api {
        case "commcare.submit", "commcare.restore":
            if let version {
                if version.value != "3.0" {
                    add(
                        Rules.versionValue,
                        "\(what) has X-OpenRosa-Version \(Quote.escaped(version.value)).",
                        quote: version.line)
                }
            } else if underscored == nil,
                row.api == "commcare.submit"
                    || FormField.parse((row.query ?? "").utf8, limit: 200).first("openrosa_version")
                        == nil
            {
                add(Rules.versionMissing, "\(what) has no X-OpenRosa-Version.")
            }
            if head.first("x-openrosa-deviceid")?.value.isEmpty ?? true, underscored == nil {
                add(Rules.deviceMissing, "\(what) has no x-openrosa-deviceid.")
            }
        case "openrosa.submit", "openrosa.submit-check", "openrosa.form-list":
            if let version {
                if version.value != "1.0" {
                    add(
                        Rules.openRosaVersionValue,
                        "\(what) has X-OpenRosa-Version \(Quote.escaped(version.value)).",
                        quote: version.line)
                }
            } else if underscored == nil {
                add(Rules.openRosaVersionMissing, "\(what) has no X-OpenRosa-Version.")
            }
            // Browsers record only provisional fields of some requests.
            if row.api == "openrosa.submit", head.first("date") == nil,
                session[row.connection]?.isSynthesized != true
            {
                add(Rules.dateMissing, "\(what) has no Date.")
            }
        default: break
        }
        if let other = head.fields.first(where: {
            isOurs($0.name.lowercased()) && !documented.contains($0.name.lowercased())
        }) {
            add(
                Rules.undocumented, "\(what) has the field \(Quote.escaped(other.name)).",
                quote: other.line)
        }
    }

    private static let documented: Set<String> = [
        "x-openrosa-version", "x-openrosa-deviceid", "x-commcarehq-lastsynctoken",
    ]

    /// The name as it should be, where it is one of CommCare's or OpenRosa's.
    private static func hyphens(_ name: String) -> String {
        let name = String(name.lowercased().map { $0 == "_" ? "-" : $0 })
        return name.hasPrefix("http-") ? String(name.dropFirst(5)) : name
    }

    private static func isOurs(_ name: String) -> Bool {
        name.hasPrefix("x-openrosa-") || name.hasPrefix("x-commcarehq-")
    }

    /// A method that neither receivers nor restores have.
    static func method(
        _ exchange: ExchangeEvidence, _ session: borrowing SessionView, _ report: inout Report
    ) {
        let row = exchange.row
        guard ["PUT", "PATCH", "DELETE", "POST"].contains(row.method) else { return }
        func meant(_ method: String) -> OpenRosaAPI? {
            OpenRosaEndpoint.recognise(method: method, path: row.path, query: nil)
        }
        let isReceiver = row.method != "POST" && meant("POST") == .commcareSubmit
        guard isReceiver || meant("GET") == .commcareRestore else { return }
        report.add(
            Finding(
                CommCareExchangeRules.method, asked: exchange, session,
                detail:
                    "\(row.method) \(row.path): \(isReceiver ? "a receiver accepts POST" : "a restore is requested with GET").",
                expected: isReceiver ? "POST \(row.path)" : "GET \(row.path)"))
    }

    // MARK: Checks that need the answer

    static func answered(
        _ exchange: ExchangeEvidence, _ answer: HeadLines, _ session: borrowing SessionView,
        _ report: inout Report
    ) {
        guard let request = exchange.request, !exchange.isRequestTouched, !exchange.row.isLocal
        else { return }
        let head = request.head
        if let field = head.first("authorization") {
            credentials(exchange, field, session, &report)
        }
        if let field = head.first("date"), !exchange.isAnswerTouched {
            date(exchange, field, answer, session, &report)
        }
    }

    private static func credentials(
        _ exchange: ExchangeEvidence, _ field: HeadLines.Field,
        _ session: borrowing SessionView, _ report: inout Report
    ) {
        let row = exchange.row
        let scheme = field.value.prefix { $0 != " " }
        let isBasic = scheme.lowercased() == "basic"
        guard isBasic || scheme.lowercased() == "bearer" else { return }
        let quote = "Authorization: \(scheme) …"
        // The scheme behind a reverse proxy is known with the answer.
        if row.scheme == "http", !HostName.isPrivate(row.host) {
            report.add(
                Finding(
                    CommCareExchangeRules.clearCredentials, asked: exchange, session,
                    detail:
                        "\(row.method) \(row.path) sends \(scheme) credentials to \(row.host) over http.",
                    quote: quote))
        }
        guard isBasic, row.status == 401, !exchange.isAnswerTouched, row.api.hasPrefix("commcare."),
            let user = BasicCredentials(authorization: field.value)?.user, !user.contains("@")
        else { return }
        report.add(
            Finding(
                CommCareExchangeRules.userWithoutDomain, asked: exchange, session,
                detail:
                    "\(row.method) \(row.path) signs in as a user without domain, and was answered 401.",
                quote: quote))
    }

    private static func date(
        _ exchange: ExchangeEvidence, _ field: HeadLines.Field, _ answer: HeadLines,
        _ session: borrowing SessionView, _ report: inout Report
    ) {
        let row = exchange.row
        let rule = CommCareExchangeRules.dateWrong
        guard let said = HTTPDate.parse(field.value) else {
            report.add(
                Finding(
                    rule, asked: exchange, session,
                    detail:
                        "\(row.method) \(row.path) has an invalid Date: \(Quote.escaped(field.value)).",
                    quote: field.line))
            return
        }
        guard let now = answer.value("date").flatMap(HTTPDate.parse),
            let responded = row.respondedAt,
            responded.nanoseconds - row.startedAt.nanoseconds < 300_000_000_000
        else { return }
        let off = said.unixSeconds - now.unixSeconds
        guard abs(off) > 300 else { return }
        let isHalfDay = abs(abs(off) - 43_200) <= 300
        report.add(
            Finding(
                rule, asked: exchange, session,
                detail:
                    "\(row.method) \(row.path) has the Date \(Quote.escaped(field.value)), \(abs(off)) s \(off < 0 ? "before" : "after") the server's time"
                    + (isHalfDay ? ": 12 h, as of a clock of twelve hours." : "."),
                cause: isHalfDay
                    ? "The pattern of the date has `hh` where it needs `HH`."
                    : "The device's clock is wrong.", quote: field.line))
    }
}
