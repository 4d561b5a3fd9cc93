import Diagnosis
import Notation
import Testing
import Wire

@testable import Certification

/// Verdicts and what is printed of them.
struct CertificationReportTests {
    private static let rule = Rule(
        "simperium.change.test", .error, title: "A <title>.", source: "the \"source\"",
        follows: "f", evidence: "e", expects: "something & else", silent: "s")
    private static let hint = Rule(
        "simperium.change.hint", .info, title: "A hint.", source: "s", follows: "f", evidence: "e",
        expects: "x", silent: "s")
    private static let expectation = ExpectedEvent.lines("command:c", "a change", count: 2)
    private static let scenario = Scenario(
        "edits", "Edits", asks: "Edit.", script: [.waitSynced],
        situations: [
            Situation("changes", expectations: [expectation], rules: ["simperium.change.*"])
        ])

    private static func finding(_ rule: Rule) -> Finding {
        Finding(
            rule, connection: nil, client: "c", detail: "It said <b> & \u{1} left.",
            cause: "counts wrongly",
            steps: [FindingStep(at: Instant(nanoseconds: 1_500_000_000), "sent", quote: "0:c:<>")])
    }

    private static func played(
        _ findings: [Finding] = [], count: Int = 2, undecided: Set<String> = [],
        failures: [Played.Failure] = [], problem: String? = nil
    ) -> Played {
        let seen = Played.Seen(
            expectation: expectation, count: count, row: "command 3", isThere: count >= 2)
        return Played(
            scenario, trace: "out/edits/session.tape", seconds: 1,
            seen: problem == nil ? ["changes": [seen]] : [:], findings: findings,
            undecided: undecided, failures: failures, ending: "ended with 0",
            hasTraffic: problem == nil, problem: problem)
    }

    private static func one(_ rule: Rule) -> Case {
        Case(
            rule: rule,
            exercises: [Case.Exercise(scenario: "edits", situation: scenario.situations[0])],
            reason: nil)
    }

    @Test func `a rule that was broken fails, also where nothing was seen`() {
        let result = CaseResult(
            Self.one(Self.rule), [Self.played([Self.finding(Self.rule)], count: 0)],
            isStrict: false)
        #expect(result.verdict == .failed)
        #expect(result.reason == "It said <b> & \u{1} left.")
    }

    @Test func `what was seen without a finding passes, with its row`() {
        let result = CaseResult(Self.one(Self.rule), [Self.played()], isStrict: false)
        #expect(result.verdict == .passed)
        #expect(result.evidence.map(\.row) == ["command 3"])
    }

    @Test func `findings of other rules do not matter`() {
        let result = CaseResult(
            Self.one(Self.rule), [Self.played([Self.finding(Self.hint)])], isStrict: true)
        #expect(result.verdict == .passed)
    }

    @Test(arguments: [(false, Verdict.passed), (true, .failed)])
    func `information fails a case where that is asked for`(isStrict: Bool, verdict: Verdict) {
        let result = CaseResult(
            Self.one(Self.hint), [Self.played([Self.finding(Self.hint)])], isStrict: isStrict)
        #expect(result.verdict == verdict)
    }

    @Test func `what was not seen is reported with its count`() {
        let result = CaseResult(Self.one(Self.rule), [Self.played(count: 1)], isStrict: false)
        #expect(result.verdict == .notExercised)
        #expect(result.reason == "edits: missing: a change (1 of 2)")
    }

    @Test func `a scenario that could not be played exercises nothing`() {
        let result = CaseResult(
            Self.one(Self.rule), [Self.played(problem: "no room")], isStrict: false)
        #expect(result.verdict == .notExercised)
        #expect(result.reason == "edits: no room")
    }

    @Test func `a case without scenario has its reason`() {
        let result = CaseResult(
            Case(rule: Self.rule, exercises: [], reason: "there is no such server"),
            [Self.played()], isStrict: false)
        #expect(result.reason == "there is no such server")
    }

    private static func report(_ played: [Played]) -> CertificationReport {
        CertificationReport(
            Suite(.simperium, rules: [rule, hint]), played, client: "a <client>", date: "today",
            version: "1", seconds: 61, isStrict: false)
    }

    @Test func `the text has what failed with its evidence, and a summary`() {
        let report = Self.report([Self.played([Self.finding(Self.rule)])])
        let text = report.text()
        #expect(text.hasPrefix("failed  simperium.change.test  error\n"))
        #expect(text.contains("    expected: something & else\n"))
        #expect(text.contains("    likely cause: counts wrongly\n"))
        #expect(text.contains("    in edits, out/edits/session.tape\n"))
        #expect(
            text.hasSuffix(
                "1 scenario: 1 passed, 0 failed; 2 cases: 0 passed, 1 failed, 1 not exercised, in 1 min 1 s\n"
            ))
        #expect(!report.isPassed && report.hasClient)
        #expect(report.text(hasColour: true).contains("\u{1B}[31mfailed"))
    }

    @Test func `the JSON has cases and scenarios`() throws {
        let json = Self.report([Self.played([Self.finding(Self.rule)])]).json
        #expect(json["failed"]?.text() == "1")
        guard case .array(let cases)? = json["cases"] else { throw Missing() }
        let failed = try #require(cases.first { $0["verdict"]?.string == "failed" })
        #expect(failed["rule"]?.string == "simperium.change.test")
        guard case .array(let findings)? = failed["findings"] else { throw Missing() }
        #expect(findings.first?["trace"]?.string == "out/edits/session.tape")
    }

    private struct Missing: Error {}

    @Test(arguments: [(true, ["simperium.change.other"]), (false, [])])
    func `a rule that is broken in a chosen scenario fails, whichever it is about`(
        isBroken: Bool, failed: [String]
    ) {
        let other = Rule(
            "simperium.change.other", .error, title: "Another.", source: "s", follows: "f",
            evidence: "e", expects: "x", silent: "s")
        let suite = Suite(.simperium, rules: [other]).chosen(["first-sync"]).suite
        #expect(suite.cases.isEmpty && suite.watched.map(\.rule) == [other])
        let report = CertificationReport(
            suite, [Self.played(isBroken ? [Self.finding(other)] : [])], client: "c", date: "d",
            version: "1", seconds: 1, isStrict: false)
        #expect(report.results(.failed).map(\.case.id) == failed)
        #expect(report.results.count == failed.count && report.isPassed == !isBroken)
    }

    @Test func `what the session ended before is no pass`() {
        let result = CaseResult(
            Self.one(Self.rule), [Self.played(undecided: [Self.rule.id])], isStrict: false)
        #expect(result.verdict == .notExercised)
        #expect(result.reason == "edits: the session ended before it could be decided")
    }

    @Test func `what was not done comes before what failed, and passes are a number`() throws {
        let report = Self.report([
            Self.played(
                [Self.finding(Self.rule)],
                failures: [
                    Played.Failure(.notDone, "the client did not change mine"),
                    Played.Failure(.stateDiffers, "mine is not on the server"),
                ])
        ])
        #expect(!report.isPassed)
        let text = report.text()
        #expect(
            text.hasPrefix("not done  scenario edits: Edits\n    the client did not change mine\n"))
        let state = try #require(text.firstRange(of: "mine is not on the server"))
        let failed = try #require(text.firstRange(of: "failed  simperium.change.test"))
        #expect(state.lowerBound < failed.lowerBound)
        #expect(report.html { $0 }.contains("1 of 1 scenario not passed, 1 of 2 rules broken"))
        #expect(report.junit.contains("name=\"edits\""))
        #expect(
            report.summary
                == "not done: edits; failed: simperium.change.test; 1 scenario: 0 passed, 1 failed; "
                + "2 cases: 0 passed, 1 failed, 1 not exercised")
        #expect(report.summaryLines.first == "not done: edits")
        #expect(report.json["scenarios_failed"]?.text() == "1")
    }

    @Test func `a scenario that only findings spoil leaves a pass of others a number`() {
        let report = CertificationReport(
            Suite(.simperium, rules: [Self.rule]), [Self.played()], client: "c", date: "d",
            version: "1", seconds: 1, isStrict: false)
        #expect(report.isPassed == report.missed.isEmpty)
        #expect(!report.text().contains("command 3"))
    }

    @Test(arguments: [false, true])
    func `a case that a scenario names has to be exercised, unless the situation is optional`(
        isOptional: Bool
    ) {
        let situation = Situation(
            "changes", expectations: [Self.expectation], rules: ["simperium.change.*"],
            isOptional: isOptional)
        let one = Case(
            rule: Self.rule, exercises: [.init(scenario: "edits", situation: situation)],
            reason: nil)
        let result = CaseResult(one, [Self.played(count: 0)], isStrict: false)
        #expect(result.verdict == .notExercised && result.isRequired == !isOptional)
    }

    @Test func `what peers sent is text in the page and in JUnit, and nothing is loaded`() {
        let report = Self.report([Self.played([Self.finding(Self.rule)])])
        let page = report.html { "<\($0)>" }
        for text in [page, report.junit] {
            #expect(text.contains("It said &lt;b&gt; &amp; \u{FFFD} left."))
            #expect(!text.contains("<b>"))
        }
        #expect(page.contains("0:c:&lt;&gt;") && page.contains("a &lt;client&gt;"))
        #expect(page.contains("href=\"&lt;out/edits/session.tape&gt;\""))
        for word in ["http://", "https://", "src=", "url(", "@import"] {
            #expect(!page.contains(word), "\(word)")
        }
        #expect(report.junit.contains("tests=\"2\" failures=\"1\" errors=\"0\" skipped=\"1\""))
    }

    @Test func `nothing that connected is reported`() {
        let report = Self.report([Self.played(problem: "the port is taken")])
        #expect(!report.hasClient)
        #expect(report.html { $0 }.contains("The client never connected"))
        #expect(report.text().contains("could not be played: the port is taken"))
    }
}
