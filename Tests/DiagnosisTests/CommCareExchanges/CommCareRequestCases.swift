import Wire

@testable import Diagnosis

/// Cases of the rules about requests to CommCare and OpenRosa servers.
enum CommCareRequestCases {
    static let all: [RuleCase] =
        (headers + sync + submission + form).flatMap(\.cases) + advertised + reports

    private typealias Rules = CommCareExchangeRules

    /// A submission with this in place of that in its fields.
    private static func fields(_ that: String, _ this: String) -> String {
        Phone.fields.replacing(that, with: this)
    }

    private static func submitted(_ rule: Rule, _ fields: String, good: String) -> ExchangeCases {
        ExchangeCases(
            rule, broken: (Phone.submit(Phone.form, fields), Phone.accepted),
            good: (Phone.submit(Phone.form, good), Phone.accepted))
    }

    private static func form(
        _ rule: Rule, _ that: String, _ this: String, good: (String, String)
    ) -> ExchangeCases {
        ExchangeCases(
            rule,
            broken: (Phone.submit(Phone.form.replacing(that, with: this)), Phone.accepted),
            good: (Phone.submit(Phone.form.replacing(good.0, with: good.1)), Phone.accepted))
    }

    private static let real =
        "Host: www.commcarehq.org\nX-OpenRosa-Version: 3.0\nx-openrosa-deviceid: d1"
    private static let basic = "Authorization: Basic YWRhOnNlY3JldA=="

    private static let headers: [ExchangeCases] = [
        ExchangeCases(
            Rules.versionMissing,
            broken: (
                Phone.restore("", fields("X-OpenRosa-Version: 3.0\n", "")), Phone.restored
            ),
            good: (
                Phone.restore(
                    "&openrosa_version=3.0", fields("X-OpenRosa-Version: 3.0\n", "")),
                Phone.restored
            )),
        submitted(Rules.versionValue, fields("3.0", "2.0"), good: fields("3.0", "  3.0 ")),
        submitted(
            Rules.underscores, fields("X-OpenRosa-Version", "X_OPENROSA_VERSION"),
            good: Phone.fields + "\nX_Other: 1"),
        submitted(
            Rules.deviceMissing, fields("\nx-openrosa-deviceid: d1", ""),
            good: fields("x-openrosa-deviceid", "X-OpenRosa-DeviceID")),
        submitted(
            Rules.undocumented, Phone.fields + "\nx-openrosa-commcare-version: 2.53",
            good: Phone.fields + "\nX-Requested-With: x"),
        ExchangeCases(
            Rules.openRosaVersionMissing,
            broken: (
                Phone.rosa(
                    Phone.rosaForm,
                    Phone.rosaFields.replacing("X-OpenRosa-Version: 1.0\n", with: "")),
                Phone.rosaAnswer()
            ),
            good: (Phone.rosa(), Phone.rosaAnswer()), after: Phone.rosaCheck),
        ExchangeCases(
            Rules.openRosaVersionValue,
            broken: (
                Phone.rosa(Phone.rosaForm, Phone.rosaFields.replacing("1.0", with: "3.0")),
                Phone.rosaAnswer()
            ),
            good: (Phone.rosa(), Phone.rosaAnswer()), after: Phone.rosaCheck),
        ExchangeCases(
            Rules.dateMissing,
            broken: (
                Phone.rosa(
                    Phone.rosaForm, "Host: odk.example\nX-OpenRosa-Version: 1.0"),
                Phone.rosaAnswer()
            ),
            good: (Phone.rosa(), Phone.rosaAnswer()), after: Phone.rosaCheck),
        ExchangeCases(
            Rules.dateWrong,
            broken: (
                Phone.rosa(
                    Phone.rosaForm, Phone.rosaFields.replacing("08:49:37", with: "20:49:36")),
                Phone.rosaAnswer()
            ),
            good: (
                Phone.rosa(
                    Phone.rosaForm, Phone.rosaFields.replacing("08:49:37", with: "08:45:36")),
                Phone.rosaAnswer()
            ), after: Phone.rosaCheck),
        ExchangeCases(
            Rules.clearCredentials,
            broken: (Phone.submit(Phone.form, real + "\n" + basic), Phone.accepted),
            good: (
                Phone.submit(
                    Phone.form,
                    real.replacing("www.commcarehq.org", with: "192.168.1.7:8000") + "\n" + basic),
                Phone.accepted
            )),
        ExchangeCases(
            Rules.userWithoutDomain,
            broken: (
                Phone.submit(Phone.form, Phone.fields + "\n" + basic),
                Phone.answer(
                    "401 Unauthorized", "no",
                    "Content-Type: text/plain\nWWW-Authenticate: Basic realm=\"a\"")
            ),
            good: (Phone.submit(Phone.form, Phone.fields + "\n" + basic), Phone.accepted)),
        ExchangeCases(
            Rules.method,
            broken: (
                "PUT /a/demo/receiver/app/ HTTP/1.1\n\(Phone.fields)\nContent-Type: text/xml\n\n\(Phone.form)",
                Plain.answer("200 OK")
            ),
            good: (
                "PUT /a/demo/receivers/app/ HTTP/1.1\n\(Phone.fields)\n\n<a/>",
                Plain.answer("200 OK")
            )),
    ]

    private static let since = Phone.fields + "\nX-CommCareHQ-LastSyncToken: r0"

    private static let sync: [ExchangeCases] = [
        ExchangeCases(
            Rules.stateMalformed,
            broken: (
                Phone.restore("&since=r0&state=409c5c597fa2c2a693b769f0d2ad432b", since),
                Phone.restored
            ),
            good: (
                Phone.restore("&since=r0&state=ccsh%3A409c5c597fa2c2a693b769f0d2ad432b", since),
                Phone.restored
            )),
        ExchangeCases(
            Rules.sinceWithoutState, broken: (Phone.restore("&since=r0", since), Phone.restored),
            good: (Phone.restore("&since=r0&state=ccsh:", since), Phone.restored)),
        ExchangeCases(
            Rules.stateWithoutSince, broken: (Phone.restore("&state=ccsh:"), Phone.restored),
            good: (Phone.restore(), Phone.restored)),
    ]

    private static func parts(
        _ rule: Rule, _ broken: String, good: String, also: Set<String> = []
    )
        -> ExchangeCases
    {
        ExchangeCases(
            rule, broken: (Phone.parts(broken), Phone.accepted),
            good: (Phone.parts(good), Phone.accepted), also: also)
    }

    private static let whole = Phone.formPart(Phone.form) + Phone.photo

    private static let submission: [ExchangeCases] = [
        parts(
            Rules.formPartMissing, whole.replacing("xml_submission_file", with: "form"),
            good: whole),
        parts(
            Rules.formPartRepeated, whole + Phone.formPart(Phone.form),
            good: whole + Phone.part("b.jpg", filename: "a.jpg", type: "image/jpeg", "JFIF")),
        parts(
            Rules.formPartType, whole.replacing("text/xml", with: "text/plain"),
            good: whole.replacing("text/xml", with: "text/xml; charset=utf-8")),
        parts(
            Rules.field, whole + Phone.part("*isIncomplete*", "yes"), good: whole),
        parts(
            Rules.attachmentUnreferenced,
            whole + Phone.part("old.jpg", filename: "old.jpg", type: "image/jpeg", "JFIF"),
            good: whole.replacing("filename=\"a.jpg\"", with: "filename=\"a.jpg.aes\"")),
        parts(Rules.attachmentMissing, Phone.formPart(Phone.form), good: whole),
        ExchangeCases(
            Rules.tooLarge,
            broken: (
                Phone.submit(
                    Phone.form.replacing(
                        "<photo>",
                        with: "<note>\(String(repeating: "x", count: 10 << 20))</note><photo>")),
                Phone.accepted
            ),
            good: (
                Phone.submit(
                    Phone.form.replacing(
                        "<photo>",
                        with: "<note>\(String(repeating: "x", count: 1 << 20))</note><photo>")),
                Phone.accepted
            )),
        ExchangeCases(
            Rules.authtype,
            broken: (
                Phone.submit(to: "/a/demo/receiver/app/?authtype=basic&authtype=basic"),
                Phone.accepted
            ),
            good: (Phone.submit(to: "/a/demo/receiver/app/?authtype=basic"), Phone.accepted)),
        ExchangeCases(
            Rules.demoUser,
            broken: (Phone.submit(to: "/a/demo/receiver/app/?authtype=noauth"), Phone.accepted),
            good: (
                Phone.submit(
                    Phone.form.replacing("<userID>u1", with: "<userID>demo_user"),
                    to: "/a/demo/receiver/app/?submit_mode=demo&authtype=noauth"), Phone.accepted
            )),
        ExchangeCases(
            Rules.slash, broken: (Phone.submit(to: "/a/demo/receiver/app"), Phone.accepted),
            good: (Phone.submit(to: "/a/demo/receiver/submission"), Phone.accepted)),
    ]

    private static let form: [ExchangeCases] = [
        form(Rules.notWellFormed, "</data>", "", good: ("Ada", "Ad&amp;a")),
        form(
            Rules.xmlnsMissing, #"xmlns="http://forms.example/visit" "#, "",
            good: ("<photo>", "<photo xmlns=\"\">")),
        ExchangeCases(
            Rules.openRosaNameless,
            broken: (
                Phone.rosa(Phone.rosaForm.replacing(#" id="visit""#, with: "")),
                Phone.rosaAnswer()
            ),
            good: (Phone.rosa(), Phone.rosaAnswer()), after: Phone.rosaCheck),
        form(
            Rules.instanceIDMissing, "<instanceID>i-1</instanceID>", "",
            good: ("i-1", "uuid:a-b")),
        form(
            Rules.instanceIDRepeated, "</meta>", "<instanceID>i-2</instanceID></meta>",
            good: ("</meta>", "<deprecatedID>i-0</deprecatedID></meta>")),
        form(
            Rules.caseIncomplete, #" date_modified="2026-01-02T03:04:05Z""#, "",
            good: ("<owner_id>u1</owner_id>", "")),
        form(
            Rules.createUnknown, "</create>", "<village>x</village></create>",
            good: ("</create>", "</create><update><village>x</village></update>")),
        form(
            Rules.valueTooLong, "<case_name>Ada",
            "<case_name>\(String(repeating: "a", count: 256))",
            good: ("<case_name>Ada", "<case_name>\(String(repeating: "é", count: 255))")),
        form(
            Rules.indexWrong, "</create>",
            "</create><index><parent case_type=\"patient\">c1</parent></index>",
            good: (
                "</create>",
                "</create><index><parent case_type=\"patient\" relationship=\"extension\">c2</parent></index>"
            )),
        form(
            Rules.versionOne, Phone.block,
            "<case><case_id>c1</case_id><date_modified>2026-01-02T03:04:05Z</date_modified><create><case_type_id>patient</case_type_id><user_id>u1</user_id><case_name>Ada</case_name></create></case>",
            good: (Phone.block, "<case>a question</case>")),
    ]

    /// A limit that an answer before told.
    private static let advertised: [RuleCase] = [
        RuleCase(Rules.tooLarge, .breaks, "more than the server advertised") { script in
            let id = script.connection(at: 0)
            let form = Phone.rosaForm.replacing(
                "<photo>", with: "<note>\(String(repeating: "x", count: 1_000))</note><photo>")
            script.exchange(
                id, "HEAD /submission HTTP/1.1\n\(Phone.rosaFields)\n\n",
                "HTTP/1.1 204 No Content\n\(Phone.rosaHead)\n\n", at: 1)
            script.exchange(id, Phone.rosa(form), Phone.rosaAnswer(), at: 2)
        },
        RuleCase(Rules.field, .behaves, "the mark of more requests at an OpenRosa server") {
            script in
            let id = script.connection(at: 0)
            script.exchange(id, Phone.rosaCheck.0, Phone.rosaCheck.1, at: 0.5)
            script.exchange(
                id,
                Phone.parts(
                    Phone.formPart(Phone.rosaForm) + Phone.part("*isIncomplete*", "yes"),
                    to: "/submission?deviceID=d1", Phone.rosaFields), Phone.rosaAnswer(), at: 1)
        } unlike: { script in
            script.exchange(
                script.connection(at: 0),
                Phone.parts(
                    Phone.formPart(Phone.form) + Phone.part("*isIncomplete*", "yes")),
                Phone.accepted, at: 1)
        },
    ]

    private static let reports: [RuleCase] = [
        RuleCase(Rules.instanceIDMissing, .behaves, "the report of a device") { script in
            let id = script.connection(at: 0)
            script.exchange(
                id,
                Phone.parts(
                    Phone.formPart(
                        "<device_report xmlns=\"http://code.javarosa.org/devicereport\"><device_id>d1</device_id></device_report>"
                    )), Phone.accepted, at: 1)
        }
    ]
}
