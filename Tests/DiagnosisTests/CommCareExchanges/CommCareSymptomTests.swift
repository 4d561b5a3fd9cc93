import Testing
import Wire

@testable import Diagnosis

/// More than one symptom breaks many a rule.
@Suite struct CommCareSymptomTests {
    struct Symptom: Sendable, CustomTestStringConvertible {
        let rule: Rule
        let request: String
        let response: String

        init(_ rule: Rule, _ request: String, _ response: String) {
            self.rule = rule
            self.request = request
            self.response = response
        }

        var testDescription: String { rule.id }
    }

    private typealias Rules = CommCareExchangeRules

    private static func form(_ rule: Rule, _ that: String, _ this: String) -> Symptom {
        Symptom(rule, Phone.submit(Phone.form.replacing(that, with: this)), Phone.accepted)
    }

    private static let forms: [Symptom] = [
        form(Rules.notWellFormed, Phone.form, ""),
        form(Rules.notWellFormed, "Ada", "A & B"),
        form(Rules.notWellFormed, "<data", "<?xml version=\"1.0\" encoding=\"klingon\"?><data"),
        form(Rules.instanceIDMissing, Phone.meta, ""),
        form(Rules.instanceIDMissing, "i-1", " "),
        form(Rules.caseIncomplete, #" case_id="c1""#, ""),
        form(Rules.caseIncomplete, "<case_type>patient</case_type>", ""),
        form(Rules.caseIncomplete, "<case_name>Ada</case_name>", ""),
        form(
            Rules.valueTooLong, "</create>",
            "</create><update><external_id>\(String(repeating: "é", count: 256))</external_id></update>"
        ),
        form(
            Rules.indexWrong, "</create>",
            "</create><index><parent relationship=\"\">c2</parent></index>"),
        form(
            Rules.indexWrong, "</create>",
            "</create><index><parent relationship=\"aunt\">c2</parent></index>"),
    ]

    private static func state(_ text: String) -> Symptom {
        Symptom(
            Rules.stateMalformed,
            Phone.restore(
                "&since=r0&state=\(text)", Phone.fields + "\nX-CommCareHQ-LastSyncToken: r0"),
            Phone.restored)
    }

    private static let whole = Phone.formPart(Phone.form) + Phone.photo

    private static let requests: [Symptom] = [
        state("ccsh:409c"), state("ccsh:zz9c5c597fa2c2a693b769f0d2ad432b"), state("ccsh"),
        Symptom(
            Rules.formPartMissing,
            Phone.parts(Phone.part("xml_submission_file", Phone.form) + Phone.photo),
            Phone.accepted),
        Symptom(
            Rules.formPartType, Phone.parts(whole.replacing("form.xml", with: "form.txt")),
            Phone.accepted),
        Symptom(
            Rules.authtype,
            Phone.submit(
                Phone.form.replacing("<userID>u1", with: "<userID>demo_user"),
                to: "/a/demo/receiver/app/?authtype=noauth",
                Phone.fields + "\nAuthorization: Basic YUBiOmM="), Phone.accepted),
        Symptom(
            Rules.underscores,
            Phone.restore("", Phone.fields + "\nHTTP_X_COMMCAREHQ_LASTSYNCTOKEN: r0"),
            Phone.restored),
        Symptom(
            Rules.dateWrong, Phone.submit(Phone.form, Phone.fields + "\nDate: 1994-11-06"),
            Phone.accepted),
        Symptom(
            Rules.dateWrong,
            Phone.submit(
                Phone.form, Phone.fields + "\nDate: Sun, 06 Nov 1994 08:55:37 GMT"),
            Phone.accepted),
        Symptom(
            Rules.method,
            "POST /a/demo/phone/restore/ HTTP/1.1\n\(Phone.fields)\nContent-Type: a/b\n\na=b",
            Phone.restored),
        Symptom(
            Rules.method, "DELETE /a/demo/receiver/app/ HTTP/1.1\n\(Phone.fields)\n\n",
            Phone.accepted),
    ]

    private static func pending(_ rule: Rule, _ body: String, _ retryAfter: String = "5") -> Symptom
    {
        Symptom(
            rule, Phone.restore(),
            Phone.answer("202 Accepted", body, Phone.xml + "\nRetry-After: \(retryAfter)"))
    }

    private static func restore(_ rule: Rule, _ that: String, _ this: String) -> Symptom {
        Symptom(
            rule, Phone.restore(),
            Phone.answer("200 OK", Phone.payload.replacing(that, with: this)))
    }

    private static let syncs: [Symptom] =
        ["-1", "1.5", "2147484", "soon", "", "Sun, 06 Nov 1994 08:49:37 GMT"].map {
            pending(Rules.retryAfterMalformed, Phone.pending, $0)
        } + [
            pending(Rules.progressMissing, ""), pending(Rules.pendingEnvelope, "wait"),
            pending(Rules.pendingEnvelope, "<html/>"),
            pending(Rules.pendingEnvelope, "<OpenRosaResponse"),
            pending(
                Rules.pendingEnvelope,
                Phone.pending.replacing(#" xmlns="http://commcarehq.org/sync""#, with: "")),
            pending(Rules.progressMalformed, Phone.pending.replacing("\"10\"", with: "\"0\"")),
            pending(Rules.progressMalformed, Phone.pending.replacing("done=\"5\"", with: "")),
            restore(Rules.restoreIDMissing, "<restore_id>r1</restore_id>", ""),
            restore(Rules.restoreIDMissing, "r1", ""),
            restore(
                Rules.restoreIDMissing, "</Sync>", "<restore_id>r2</restore_id></Sync>"),
            restore(Rules.registrationMalformed, "<uuid>u1</uuid>", ""),
            restore(Rules.registrationMalformed, "</date>", "</date><shoe_size>9</shoe_size>"),
            restore(
                Rules.registrationMalformed,
                "<username>ada</username><password>sha1$1$2</password>",
                "<password>sha1$1$2</password><username>ada</username>"),
            restore(Rules.itemsDiffer, "items=\"4\"", "items=\"many\""),
            restore(Rules.fixtureMalformed, "<Registration", "<fixture/><Registration"),
            restore(
                Rules.serverIndexWrong, "</create>",
                "</create><index><parent>c1</parent></index>"),
            restore(Rules.restoreNotWellFormed, Phone.payload, ""),
            restore(Rules.restoreNotWellFormed, "<restore_id>", "<restore_id><b>"),
            restore(Rules.namespace, #" xmlns="http://openrosa.org/http/response""#, ""),
            restore(Rules.namespace, Phone.payload, "Service Unavailable"),
        ]

    private static func submission(_ rule: Rule, _ response: String) -> Symptom {
        Symptom(rule, Phone.submit(), response)
    }

    private static func refusal(_ body: String) -> Symptom {
        submission(
            Rules.actionMalformed,
            Phone.answer("406 Not Acceptable", body, "Content-Type: application/json"))
    }

    private static let answers: [Symptom] = [
        submission(Rules.rejectionNature, Phone.answer("422 Unprocessable", "no")),
        submission(
            Rules.rejectionNature,
            Phone.answer(
                "422 Unprocessable",
                Phone.message("x").replacing(" nature=\"x\"", with: ""))),
        submission(Rules.acceptedWith200, Phone.answer("200 OK", "")),
        submission(
            Rules.withoutEnvelope, Phone.answer("200 OK", "<html>Sign in</html>")),
        submission(
            Rules.withoutEnvelope,
            Phone.answer("201 Created", "{}", "Content-Type: application/json")),
        refusal(""), refusal("You may not."), refusal("<html/>"), refusal("[]"),
        refusal(#"{"default_response":"a"}"#), refusal(#"{"error":1,"default_response":"a"}"#),
        submission(
            Rules.actionKey,
            Phone.answer(
                "406 No", #"{"error":"","default_response":"a"}"#,
                "Content-Type: application/json")),
        submission(
            Rules.contentType,
            Phone.answer(
                "201 Created", Phone.message("submit_success"), "Content-Type: text/xml")),
        submission(
            Rules.commcareDate,
            Phone.accepted.replacing("Date: Sun, 06 Nov 1994 08:49:37 GMT\n", with: "")),
        submission(
            Rules.serverVersion, Phone.accepted.replacing("X-OpenRosa-Version", with: "X-Other")),
    ]

    @Test(arguments: forms + requests + syncs + answers)
    func `each symptom breaks its rule alone`(_ symptom: Symptom) {
        var script = SessionScript()
        let id = script.connection(at: 0)
        script.exchange(id, symptom.request, symptom.response, at: 1)
        let bad = script.findings().filter {
            $0.rule.blames == symptom.rule.blames && $0.severity != .info
                || $0.rule == symptom.rule
        }
        #expect(Set(bad.map(\.rule.id)) == [symptom.rule.id], "\(bad.map(\.detail))")
    }
}
