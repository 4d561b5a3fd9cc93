import Testing
import Wire

@testable import Diagnosis

@Suite struct CommCareSessionTests {
    static let cases: [RuleCase] =
        TokenCases.all + RecoveryCases.all + PollingCases.all + FormInstanceCases.all
        + LeftOutCases.all
        + CaseCases.all
        + RetryCases.all + OpenRosaAndGroupCases.all

    @Test(arguments: cases)
    func `says what a session shows and nothing else`(_ each: RuleCase) {
        each.check(among: Self.cases)
    }

    @Test func `every rule has its three kinds of sessions`() {
        let rules = CommCareSessionRules.all + CommCareFindingGroups.rules
        #expect(RuleCase.missing(rules, Self.cases) == [])
        #expect(Set(rules.map(\.id)).count == rules.count)
    }

    @Test func `quotes what was sent`() throws {
        var script = SessionScript()
        let phone = SyncPhone(&script)
        phone.restore(&script, at: 1, SyncPhone.pending("5"))
        phone.restore(&script, at: 2.01, SyncPhone.given("t1"))
        let finding = try #require(
            script.findings().first { $0.rule.id == "commcare.sync.polled-early" })
        #expect(
            finding.detail
                == "The 202 had Retry-After: 5; the restore was requested again after 1 s.")
        #expect(finding.expected == "The same request 5 s after the 202.")
        #expect(finding.steps.map(\.quote).first == "Retry-After: 5")
        #expect(finding.at == Instant(nanoseconds: 2_010_000_000))
        #expect(finding.client == "d-1" && finding.topic == "anna")
    }

    @Test func `names the case that a device has forgotten`() throws {
        var script = SessionScript()
        let phone = SyncPhone(&script)
        phone.restore(
            &script, at: 1,
            SyncPhone.given("t1", [SyncPhone.new("abc123"), SyncPhone.new("123abc")]))
        phone.restore(&script, at: 20, since: "t1", has: ["abc123"], SyncPhone.refused)
        let finding = try #require(
            script.findings().first { $0.rule.id == "commcare.sync.state-hash" })
        #expect(finding.severity == .error)
        #expect(finding.detail.contains("ccsh:409c5c597fa2c2a693b769f0d2ad432b"))
        #expect(finding.detail.hasSuffix(": the device lacks case 123abc."))
    }

    @Test func `a full restore over a waiting form is a warning after a sync that was not`() throws
    {
        var script = SessionScript()
        let phone = SyncPhone(&script)
        phone.restore(&script, at: 1, SyncPhone.given("t1"))
        phone.submit(&script, at: 20, token: "t1", gets: SyncPhone.answer(500))
        phone.restore(&script, at: 30, since: "t1", SyncPhone.given("t2"))
        phone.restore(&script, at: 60, SyncPhone.given("t3"))
        let finding = try #require(
            script.findings().first { $0.rule.id == "commcare.sync.before-forms" })
        #expect(finding.severity == .warning && finding.times == 2)
        #expect(finding.detail.contains("full restore"))
    }

    @Test func `a loop of 412 says what is wrong each time`() throws {
        var script = SessionScript()
        let phone = SyncPhone(&script)
        for round in 0..<3 {
            let at = Double(round) * 60 + 1
            phone.restore(
                &script, at: at,
                SyncPhone.given("t\(round)", [SyncPhone.new("a"), SyncPhone.new("b")]))
            phone.restore(
                &script, at: at + 30, since: "t\(round)", has: ["a"], SyncPhone.refused)
        }
        let findings = script.findings().filter { $0.rule.blames == .client }
        #expect(
            findings.filter { $0.severity == .error }.map(\.rule.id) == [
                "commcare.story.412-loop"
            ])
        #expect(findings.first?.detail.hasSuffix("the device lacks case b.") == true)
    }

    @Test func `a hash after a close is only information`() throws {
        var script = SessionScript()
        let phone = SyncPhone(&script)
        phone.restore(
            &script, at: 1, SyncPhone.given("t1", [SyncPhone.new("a"), SyncPhone.new("b")]))
        phone.submit(&script, at: 10, token: "t1", blocks: SyncPhone.block("a", "<close/>"))
        phone.restore(&script, at: 20, since: "t1", has: ["x"], SyncPhone.refused)
        let finding = try #require(
            script.findings().first { $0.rule.id == "commcare.sync.state-hash" })
        #expect(finding.severity == .info)
    }

    @Test func `a storm is one finding with its steps`() {
        var script = SessionScript()
        let phone = SyncPhone(&script)
        for place in 0..<12 {
            phone.submit(&script, at: 1 + Double(place) * 0.1, gets: SyncPhone.busy(429))
        }
        let findings = script.findings().filter {
            $0.severity != .info && $0.rule.blames == .client
        }
        #expect(findings.map(\.rule.id) == ["commcare.story.retry-storm"])
        #expect(findings.first.map { $0.steps.count >= 10 } == true)
    }

    @Test func `no password is ever quoted`() {
        var script = SessionScript()
        let phone = SyncPhone(&script)
        for at in [1, 2, 3.0] {
            phone.restore(
                &script, at: at, login: "Basic YW5uYTpzM2NyM3Q=",
                SyncPhone.answer(401, ["WWW-Authenticate: Basic"]))
        }
        let text = script.findings().map { "\($0)" }.joined()
        #expect(!text.isEmpty && !text.contains("s3cr3t") && !text.contains("YW5uYTpz"))
    }
}
