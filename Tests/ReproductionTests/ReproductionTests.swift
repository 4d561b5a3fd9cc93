import Certification
import Diagnosis
import Notation
import Testing

@testable import Reproduction

@Suite struct ReproductionTests {
    private let reproduction = Reproduction(
        rule: "simperium.change.forgotten", fingerprint: "0123456789abcdef", ordinal: 2,
        detail: "The change “é😀” is gone.", expected: "It is sent again.", suite: .simperium,
        app: "app", bucket: "notes", user: "ann@example.org",
        triggers: [
            Trigger(filter: "command:c sender:server error:503", count: 2, detail: "the refusal")
        ], objects: ["mine": #"{"text":"é😀"}"#, "gone": nil], forms: ["form-1.xml"],
        limitSeconds: 30, patienceSeconds: 2.5, isVerified: true)

    @Test func `what is written is read`() throws {
        let text = reproduction.json.text()
        #expect(try Reproduction(parsing: text) == reproduction)
    }

    @Test(
        arguments: [
            ("", "it is not JSON"), ("{}", "\"rule\" is missing, or no text"),
        ])
    func `a mistake is named`(_ text: String, _ reason: String) {
        #expect(throws: Reproduction.Mistake(reason: reason)) {
            try Reproduction(parsing: text)
        }
    }

    @Test func `each member that is missing or wrong is a mistake`() {
        let text = reproduction.json.text()
        for (whole, broken) in [
            (#""suite":"simperium""#, #""suite":"other""#), (#""count":2"#, #""count":0"#),
            (#""limit_s":30"#, #""limit_s":"x""#), (#""trigger":["#, #""triggers":["#),
        ] {
            #expect(text.contains(whole))
            #expect(throws: Reproduction.Mistake.self) {
                try Reproduction(parsing: text.replacing(whole, with: broken))
            }
        }
    }

    @Test func `forms that were not accepted differ, unless the built-in client leaves them so`() {
        func xml(_ id: String) -> [UInt8] {
            Array(
                "<data xmlns=\"http://example.org/f\"><meta><instanceID>\(id)</instanceID></meta></data>"
                    .utf8)
        }
        let forms = [("form-1.xml", xml("one")), ("form-2.xml", xml("two")), ("x", [])]
        let differences = ExpectedForms.differences(of: forms, accepted: ["two"])
        #expect(
            differences == [
                .init(key: "form-1.xml", text: "form-1.xml (instanceID one) was not accepted")
            ])
        var relaxed = reproduction
        let isReached = Reproducer.relax(
            &relaxed,
            to: RetestResult(
                reproduction: reproduction, findings: [], otherRules: [], missing: [],
                undecided: [], differences: differences, hasTraffic: true, ending: "", seconds: 1,
                trace: "a"))
        #expect(isReached)
        #expect(relaxed.forms == [])
    }

    @Test func `the page names the rule, the plan and whether the built-in client passes`() {
        let page = reproduction.page(hasFaults: true)
        for word in [
            "simperium.change.forgotten", "tapedeck retest . -- CLIENT", "faults.txt",
            "The built-in client reaches the trigger and keeps the rule.",
        ] {
            #expect(page.contains(word))
        }
        #expect(!reproduction.page(hasFaults: false).contains("faults.txt"))
    }

    @Test(arguments: RetestResult.Verdict.allCases)
    func `the worst that applies is the verdict`(_ verdict: RetestResult.Verdict) {
        var result = RetestResult(
            reproduction: reproduction, findings: [], otherRules: [], missing: [], undecided: [],
            differences: [], hasTraffic: true, ending: "", seconds: 1, trace: "a")
        switch verdict {
        case .held, .broken: break
        case .notReached: result.missing = [.init(trigger: reproduction.triggers[0], seen: 1)]
        case .undecided: result.undecided = ["it ended"]
        case .endDiffers: result.differences = [.init(key: "mine", text: "mine differs")]
        case .unreachable: result.hasTraffic = false
        }
        guard verdict != .broken else { return }
        #expect(result.verdict == verdict)
        #expect(!result.summary.isEmpty)
    }
}
