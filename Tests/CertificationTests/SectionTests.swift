import Diagnosis
import Testing
import Wire

@testable import Certification

/// The report by topic, with failures first and passes folded.
struct SectionTests {
    private static func rule(_ id: String, _ severity: FindingRow.Severity = .error) -> Rule {
        Rule(
            id, severity, title: "About \(id).", source: "s", follows: "f", evidence: "e",
            expects: "x", silent: "s")
    }

    private static let rules = [
        rule("http.chunked-1.0"), rule("http.host-missing"), rule("simperium.change.one"),
        rule("simperium.change.two", .warning), rule("simperium.cv.three"),
        rule("simperium.cv.four"),
    ]

    /// A report of a scenario that leads to the changes and HTTP, and not to the change versions.
    private static func report(broken: [Rule]) -> CertificationReport {
        let seen = ExpectedEvent.lines("command:c", "a change")
        let unseen = ExpectedEvent.lines("command:cv", "a request")
        let scenario = Scenario(
            "edits", "Edits", asks: "Edit.", script: [],
            situations: [
                Situation("a", expectations: [seen], rules: ["simperium.change.*", "http.*"]),
                Situation("b", expectations: [unseen], rules: ["simperium.cv.*"]),
            ])
        let played = Played(
            scenario, trace: "t", seconds: 1,
            seen: [
                "a": [.init(expectation: seen, count: 1, row: "command 1", isThere: true)],
                "b": [.init(expectation: unseen, count: 0, row: nil, isThere: false)],
            ],
            findings: broken.map {
                Finding($0, connection: nil, client: "c", detail: "It broke \($0.id).", steps: [])
            }, ending: "", hasTraffic: true)
        let suite = Suite(.simperium, rules: rules, scenarios: [scenario])
        return CertificationReport(
            suite, [played], client: "c", date: "d", version: "1", seconds: 1, isStrict: true)
    }

    @Test func `sections are topics, those with failures first`() {
        let report = Self.report(broken: [Self.rules[3]])
        #expect(
            report.sections.map(\.topic.title)
                == ["Simperium: changes", "Simperium: change versions", "HTTP"])
        #expect(
            report.sections[0].results.map(\.case.id)
                == ["simperium.change.two", "simperium.change.one"])
    }

    @Test func `cases without exercise are together where they have one reason`() {
        let text = Self.report(broken: []).text()
        #expect(
            text.hasPrefix(
                """
                not exercised  simperium.cv.four, simperium.cv.three
                    edits: missing: a request
                passed  4 cases
                not exercised: simperium.cv.four, simperium.cv.three
                1 scenario: 1 passed, 0 failed; 6 cases: 4 passed, 0 failed, 2 not exercised, in 
                """))
    }

    @Test func `a page has severities where something failed, and folds what passed`() throws {
        let page = Self.report(broken: [Self.rules[3]]).html { $0 }
        #expect(page.contains("<span class=\"severity\">warning</span>"))
        #expect(!page.contains("<span class=\"severity\">error</span>"))
        let fold = try #require(page.firstRange(of: "<summary>1 passed</summary>"))
        let passed = try #require(page.firstRange(of: "About simperium.change.one."))
        let failed = try #require(page.firstRange(of: "About simperium.change.two."))
        #expect(failed.lowerBound < fold.lowerBound && fold.upperBound < passed.lowerBound)
        #expect(page.contains("<h2>HTTP</h2>") && !page.contains("http chunked"))
    }

    @Test func `JUnit has topics as classes, and the severity of what failed`() {
        let junit = Self.report(broken: [Self.rules[3]]).junit
        #expect(
            junit.contains(
                "classname=\"certify.simperium.change\" name=\"simperium.change.two\"><properties>"
                    + "<property name=\"rule\" value=\"simperium.change.two\"/></properties>"
                    + "<failure type=\"warning\""))
        #expect(
            junit.contains(
                "classname=\"certify.simperium.http\" name=\"http.chunked-1.0\"><properties>"))
    }

    @Test(arguments: [
        (nil, [], false, "passed"),
        ("no room", [], false, "could not be played: no room"),
        (
            nil, [Played.Failure(.stateDiffers, "a"), Played.Failure(.notDone, "b")], false,
            "not done: a (and 1 more)"
        ),
        (nil, [Played.Failure(.refused, "a")], true, "failed: a"),
        (nil, [], true, "failed: the client broke http.host-missing, simperium.change.one"),
    ])
    func `the line of a scenario has what is wrong first`(
        problem: String?, failures: [Played.Failure], isBroken: Bool, line: String
    ) {
        let scenario = Scenario("edits", "Edits", asks: "Edit.", script: [], situations: [])
        let findings = [Self.rules[2], Self.rules[1]].map {
            Finding($0, connection: nil, client: "c", detail: "d", steps: [])
        }
        let played = Played(
            scenario, trace: "t", seconds: 1, seen: [:], findings: isBroken ? findings : [],
            failures: failures, ending: "", hasTraffic: true, problem: problem)
        #expect(played.outcome(isStrict: false) == line)
    }
}
