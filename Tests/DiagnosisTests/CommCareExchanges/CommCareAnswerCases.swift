import Wire

@testable import Diagnosis

/// Cases of the rules about answers of CommCare and OpenRosa servers.
enum CommCareAnswerCases {
    static let all: [RuleCase] =
        (pending + restores + submissions + answers).flatMap(\.cases) + redirects

    private typealias Rules = CommCareExchangeRules

    private static func sync(
        _ rule: Rule, _ broken: String, good: String, also: Set<String> = [], took: Double = 0.01
    ) -> ExchangeCases {
        ExchangeCases(
            rule, broken: (Phone.restore(), broken), good: (Phone.restore(), good), took: took,
            also: also)
    }

    private static func waiting(_ body: String, _ retryAfter: String = "\nRetry-After: 5") -> String
    {
        Phone.answer("202 Accepted", body, Phone.xml + retryAfter)
    }

    private static let pending: [ExchangeCases] = [
        sync(Rules.retryAfterMissing, waiting(Phone.pending, ""), good: waiting(Phone.pending)),
        sync(
            Rules.retryAfterMalformed, waiting(Phone.pending, "\nRetry-After: 0"),
            good: waiting(Phone.pending, "\nRetry-After: 1")),
        sync(
            Rules.progressMissing, waiting(Phone.message("ota_restore_pending")),
            good: waiting(Phone.pending)),
        sync(
            Rules.pendingEnvelope,
            waiting(Phone.pending.replacing("ota_restore_pending", with: "ota_restore_success")),
            good: waiting(Phone.pending)),
        sync(
            Rules.progressMalformed, waiting(Phone.pending.replacing("\"5\"", with: "\"11\"")),
            good: waiting(Phone.pending.replacing("\"5\"", with: "\"0\""))),
    ]

    private static func restore(
        _ rule: Rule, _ that: String, _ this: String, good: (String, String)
    ) -> ExchangeCases {
        sync(
            rule, Phone.answer("200 OK", Phone.payload.replacing(that, with: this)),
            good: Phone.answer("200 OK", Phone.payload.replacing(good.0, with: good.1)))
    }

    private static let fixture = #"<fixture id="locations" indexed="true"><locations/></fixture>"#
    private static let schema =
        #"<schema id="locations"><indices><index>@id</index></indices></schema>"#

    private static func with(_ elements: String, items: Int) -> String {
        Phone.payload.replacing("<Registration", with: elements + "<Registration")
            .replacing(#"items="4""#, with: #"items="\#(items)""#)
    }

    private static let since = Phone.restore(
        "&since=r0&state=ccsh:", Phone.fields + "\nX-CommCareHQ-LastSyncToken: r0")

    private static let restores: [ExchangeCases] = [
        restore(
            Rules.restoreIDMissing, "<restore_id>r1</restore_id>",
            "<a/><restore_id>r1</restore_id>",
            good: ("r1", "4f")),
        restore(
            Rules.registrationMalformed, "<date>2026-01-01</date>", "<date>soon</date>",
            good: ("</date>", "</date><user_data><data key=\"a\">b</data></user_data>")),
        restore(
            Rules.itemsDiffer, "items=\"4\"", "items=\"7\"", good: ("items=\"4\"", "items=\"3\"")),
        sync(
            Rules.fixtureMalformed, Phone.answer("200 OK", with(fixture, items: 5)),
            good: Phone.answer("200 OK", with(schema + fixture, items: 6))),
        restore(
            Rules.serverValueTooLong, "<case_name>Ada",
            "<case_name>\(String(repeating: "a", count: 256))",
            good: ("<case_name>Ada", "<case_name>\(String(repeating: "a", count: 255))")),
        restore(
            Rules.serverIndexWrong, "</create>",
            "</create><index><parent case_type=\"a\" relationship=\"\">c2</parent></index>",
            good: (
                "</create>", "</create><index><parent case_type=\"a\">c2</parent></index>"
            )),
        restore(Rules.restoreNotWellFormed, "</OpenRosaResponse>", "", good: ("text", "te&amp;xt")),
        ExchangeCases(
            Rules.restoreError,
            broken: (since, Phone.answer("412 Precondition Failed", "hash mismatch")),
            good: (
                since,
                Phone.answer("412 Precondition Failed", Phone.message("ota_restore_error"))
            )),
        sync(Rules.slowRestore, Phone.restored, good: Phone.restored, took: 61),
        ExchangeCases(
            Rules.formListNotWellFormed,
            broken: (
                Phone.rosaList,
                Phone.rosaAnswer("200 OK", Phone.list.replacing("</xforms>", with: ""))
            ),
            good: (Phone.rosaList, Phone.rosaAnswer("200 OK", Phone.list))),
        sync(
            Rules.namespace, Phone.answer("200 OK", "<html><body>Sign in</body></html>"),
            good: Phone.restored),
    ]

    private static func submission(
        _ rule: Rule, _ broken: String, good: String, also: Set<String> = []
    ) -> ExchangeCases {
        ExchangeCases(
            rule, broken: (Phone.submit(), broken), good: (Phone.submit(), good), also: also)
    }

    private static let failure = Phone.message("processing_failure")

    private static let submissions: [ExchangeCases] = [
        submission(
            Rules.rejectionNature,
            Phone.answer("422 Unprocessable Content", Phone.message("submit_error")),
            good: Phone.answer("422 Unprocessable Content", failure)),
        submission(
            Rules.messageNotFirst,
            Phone.answer(
                "422 Unprocessable Content", failure.replacing("<message", with: "<a/><message")),
            good: Phone.answer(
                "422 Unprocessable Content",
                failure.replacing("</message>", with: "</message><a/>"))),
        submission(
            Rules.acceptedWith200, Phone.answer("200 OK", Phone.message("submit_success")),
            good: Phone.accepted),
        ExchangeCases(
            Rules.openRosaAcceptedWith200, broken: (Phone.rosa(), Phone.rosaAnswer("200 OK")),
            good: (Phone.rosa(), Phone.rosaAnswer("202 Accepted")), after: Phone.rosaCheck),
        submission(
            Rules.withoutEnvelope,
            Phone.answer("201 Created", "<html>Welcome</html>", "Content-Type: text/html"),
            good: Phone.answer("201 Created", "")),
        submission(
            Rules.disguisedError, Phone.answer("201 Created", Phone.message("submit_error")),
            good: Phone.accepted),
        submission(
            Rules.redirected,
            Phone.answer("302 Found", "", "Location: http://hq.example/a/demo/receiver/"),
            good: Phone.answer(
                "307 Temporary Redirect", "", "Location: http://hq.example/a/demo/receiver/")),
    ]

    private static func without(_ name: String) -> String {
        Phone.accepted.split(separator: "\n", omittingEmptySubsequences: false)
            .filter { !$0.hasPrefix(name) }.joined(separator: "\n")
    }

    private static let json = "Content-Type: application/json"
    private static let key = #"{"error":"user.deactivated","default_response":"Ask."}"#

    private static let answers: [ExchangeCases] = [
        submission(
            Rules.overloadWithoutRetryAfter, Phone.answer("503 Service Unavailable", ""),
            good: Phone.answer("429 Too Many Requests", "", "Retry-After: 60")),
        submission(
            Rules.actionMalformed, Phone.answer("406 Not Acceptable", #"{"error":"a.b"}"#, json),
            good: Phone.answer("406 Not Acceptable", key, json)),
        submission(
            Rules.actionType, Phone.answer("406 Not Acceptable", key, "Content-Type: text/plain"),
            good: Phone.answer(
                "406 Not Acceptable", key, "Content-Type: application/json; charset=utf-8")),
        submission(
            Rules.actionKey,
            Phone.answer(
                "406 Not Acceptable", key.replacing("user.deactivated", with: "You may not."), json),
            good: Phone.answer("406 Not Acceptable", key, json)),
        submission(
            Rules.commcareDate,
            Phone.accepted.replacing("Sun, 06 Nov", with: "dim., 06 nov."),
            good: Phone.accepted),
        ExchangeCases(
            Rules.openRosaDate,
            broken: (
                Phone.rosa(),
                Phone.rosaAnswer().replacing("Date: Sun, 06 Nov 1994 08:49:37 GMT\n", with: "")
            ),
            good: (Phone.rosa(), Phone.rosaAnswer()), after: Phone.rosaCheck),
        submission(
            Rules.serverVersion,
            Phone.accepted.replacing("X-OpenRosa-Version", with: "HTTP_X_OPENROSA_VERSION"),
            good: Phone.answer("500 Oh", "").replacing("X-OpenRosa-Version", with: "X-Other")),
        ExchangeCases(
            Rules.acceptLength,
            broken: (
                Phone.rosa(),
                Phone.rosaAnswer().replacing("X-OpenRosa-Accept-Content-Length", with: "X-Other")
            ),
            good: (
                Phone.submit(),
                Phone.accepted.replacing("X-OpenRosa-Accept-Content-Length", with: "X-Other")
            ), after: Phone.rosaCheck),
        submission(
            Rules.contentType,
            Phone.answer(
                "201 Created", Phone.message("submit_success"),
                "Content-Type: text/html; charset=utf-8"),
            good: Phone.answer(
                "201 Created", Phone.message("submit_success"),
                "Content-Type: application/xml;charset=UTF-8")),
    ]

    /// Through TLS, by a forward proxy.
    private static let redirects: [RuleCase] = [
        RuleCase(
            Rules.actionMalformed, .behaves, "the head of a 406 alone",
            also: ["openrosa.server.head-not-204"]
        ) { script in
            let id = script.connection(at: 0)
            script.exchange(
                id, "HEAD /submission HTTP/1.1\n\(Phone.rosaFields)\n\n",
                "HTTP/1.1 406 Not Acceptable\n\(Phone.rosaHead)\nContent-Length: 0\n\n", at: 1)
        },
        RuleCase(Rules.otherHost, .breaks, "another host") {
            tunnel(&$0, "https://portal.other.example/")
        },
        RuleCase(Rules.otherHost, .behaves, "the same host") {
            tunnel(&$0, "https://hq.example/other/")
        },
        RuleCase(Rules.otherHost, .silent, "a reverse proxy goes by other names") { script in
            let id = script.connection(at: 0)
            script.exchange(
                id, Phone.restore(), Phone.answer("302 Found", "", "Location: https://b.example/"),
                at: 1)
        },
    ]

    private static func tunnel(_ script: inout SessionScript, _ location: String) {
        let id = script.connection(at: 0, mode: .forward)
        let request = Phone.restore().replacing(
            "GET /a/", with: "GET https://hq.example/a/")
        script.exchange(
            id, request, Phone.answer("302 Found", "", "Location: \(location)"), at: 1)
    }
}
