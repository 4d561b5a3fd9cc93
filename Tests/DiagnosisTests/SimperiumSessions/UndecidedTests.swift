import Testing
import Wire

@testable import Diagnosis

/// What was waited for when a recording ended.
@Suite struct UndecidedTests {
    static let all: [RuleCase] =
        SyncingCases.all + ServerCases.all + AnswerCases.all + DiffCases.all + VersionCases.all
        + TokenCases.all + RecoveryCases.all + PollingCases.all + FormInstanceCases.all
    /// Rules of a request that is wrong unless what follows excuses it.
    private static let excusable: [Rule] = [
        CommCareSessionRules.tokenMissing, CommCareSessionRules.tokenStale,
    ]

    private static func diagnosis(_ evidence: [Evidence], until end: Instant) -> Diagnosis {
        var diagnosis = Diagnosis()
        for item in evidence where item.at <= end { diagnosis.observe(item) }
        diagnosis.finish(at: end, isRunning: false)
        return diagnosis
    }

    /// The time of the last thing that shows a breach, before the time was up.
    private static func begin(_ finding: Finding) -> Instant? {
        if excusable.contains(finding.rule) { return finding.steps.last?.at }
        let isOfRow = finding.steps.last.map { $0.command != nil || $0.message != nil } ?? false
        return isOfRow ? finding.steps.last?.at : finding.steps.dropLast().last?.at
    }

    @Test(arguments: all.filter { $0.kind == .breaks && Duty.of($0.rule)?.undecided != nil })
    func `a recording that ends a second later is not without a word`(_ example: RuleCase) throws {
        let script = example.script
        let finding = try #require(script.findings().first { $0.rule == example.rule })
        let begin = try #require(Self.begin(finding))
        let end = Instant(nanoseconds: begin.nanoseconds + 1_000_000_000)
        let diagnosis = Self.diagnosis(script.evidence(), until: end)
        let named = diagnosis.findings.map(\.rule.id) + diagnosis.undecided.map(\.rule.id)
        #expect(named.contains(example.rule.id), "\(example.testDescription): \(named)")
    }

    @Test func `says what is waited for, since when and how long`() throws {
        var script = SessionScript()
        let socket = script.resumed(at: 0, cv: "old", answer: "0:cv:?")
        script.client(socket, "h:1", at: 4)
        let end = Instant(nanoseconds: 5_000_000_000)
        let diagnosis = Self.diagnosis(script.evidence(), until: end)
        #expect(diagnosis.findings == [])
        // The server has not answered the heartbeat either.
        #expect(diagnosis.undecided.map(\.rule.blames) == [.client, .server])
        let duty = try #require(diagnosis.undecided.first)
        #expect(duty.rule == SimperiumSessionRules.unknownIgnored)
        #expect(duty.waitedNanoseconds == end.nanoseconds - duty.at.nanoseconds)
        #expect(duty.expected == duty.rule.expects)
        #expect(duty.detail == Duty.of(duty.rule)?.undecided)
        #expect(duty.deadlineNanoseconds == duty.rule.deadlineNanoseconds)
        #expect(duty.steps.last?.quote.contains("cv:?") == true)
    }

    @Test(arguments: ["503", "200 with HTML", "201 with submit_error", "no answer"])
    func `a form that was not accepted is undecided at the end`(how: String) throws {
        let answer: String? =
            switch how {
            case "503": SyncPhone.busy()
            case "no answer": nil
            case "201 with submit_error":
                SyncPhone.answer(201, SyncPhone.message("submit_error", "Form is invalid"))
            default: SyncPhone.answer(200, type: "text/html", "<html>Sign in</html>")
            }
        for isAgain in [false, true] {
            var script = SessionScript()
            var phone = SyncPhone(&script)
            phone.submit(&script, at: 1, gets: answer)
            if answer == nil {
                script.close(phone.connection, at: 2, by: .server)
                phone.reconnect(&script, at: 10)
            }
            if isAgain { phone.submit(&script, at: 60) }
            let end = Instant(nanoseconds: 70_000_000_000)
            let left = Self.diagnosis(script.evidence(), until: end).undecided.filter {
                $0.rule == CommCareSessionRules.forgotten
            }
            #expect(left.map(\.topic) == (isAgain ? [] : ["form-1"]))
        }
    }

    @Test(arguments: [false, true])
    func `a change that a fault took and that was not sent again is undecided`(isAgain: Bool) {
        var script = SessionScript()
        let c = script.ready()
        script.rule("command:c sender:client => drop", at: 1)
        script.edit(c, "a1", at: 1)
        script.elsewhere(c, 3, at: 3)
        if isAgain {
            script.edit(c, "a1", at: 8)
            script.made(c, "a1", at: 8.1)
        }
        let diagnosis = Self.diagnosis(
            script.evidence(), until: Instant(nanoseconds: 12_000_000_000))
        #expect(diagnosis.findings == [])
        #expect(
            diagnosis.undecided.map(\.rule)
                == (isAgain ? [] : [SimperiumChangeRules.neverResent]))
    }

    @Test func `a refused change stays undecided though others change the object`() {
        var script = SessionScript()
        let c = script.ready()
        script.edit(c, "a1", at: 1)
        script.refused(c, "a1", 440, at: 1.1)
        let v = SessionScript.delta(SessionScript.text, "Oh: " + SessionScript.text)
        script.made(c, "f1", v, sv: 3, ev: 4, by: "c-2", at: 2)
        script.elsewhere(c, 2, at: 3)
        let diagnosis = Self.diagnosis(
            script.evidence(), until: Instant(nanoseconds: 12_000_000_000))
        #expect(diagnosis.findings == [])
        #expect(diagnosis.undecided.map(\.rule) == [SimperiumChangeRules.notSentWhole])
    }

    @Test(arguments: [10, 700] as [Int64])
    func `a client that left may still do it when it comes back`(second: Int64) {
        let end = Instant(nanoseconds: second * 1_000_000_000)
        var script = SessionScript()
        let socket = script.resumed(at: 0, cv: "old", answer: "0:cv:?")
        script.close(socket, at: 3)
        let gone = Self.diagnosis(script.evidence(), until: end)
        #expect(gone.findings == [])
        #expect(gone.undecided.map(\.rule) == [SimperiumSessionRules.unknownIgnored])
        script.resumed(at: 5, cv: "new", answer: "0:c:[]")
        #expect(Self.diagnosis(script.evidence(), until: end).undecided == [])
    }

    @Test func `a heartbeat of a client that left was not answered either`() {
        var script = SessionScript()
        let socket = script.synced()
        script.client(socket, "h:0", at: 20)
        script.close(socket, at: 40)
        let left = Self.diagnosis(script.evidence(), until: Instant(nanoseconds: 50_000_000_000))
        #expect(left.findings == [])
        #expect(left.undecided.map(\.rule) == [SimperiumServerRules.heartbeatUnanswered])
    }

    @Test func `of a session that is still running nothing is said`() {
        var script = SessionScript()
        script.resumed(at: 0, cv: "old", answer: "0:cv:?")
        var diagnosis = Diagnosis()
        for item in script.evidence() { diagnosis.observe(item) }
        diagnosis.finish(at: Instant(nanoseconds: 5_000_000_000), isRunning: true)
        #expect(diagnosis.undecided == [])
    }

    @Test(arguments: all.filter { $0.kind == .behaves })
    func `what was done leaves nothing undecided`(_ example: RuleCase) {
        let script = example.script
        var diagnosis = Diagnosis()
        let evidence = script.evidence()
        for item in evidence { diagnosis.observe(item) }
        let end = (evidence.map(\.at).max() ?? .zero).nanoseconds + 600_000_000_000
        diagnosis.finish(at: Instant(nanoseconds: end), isRunning: false)
        let left = diagnosis.undecided.filter { $0.rule == example.rule }
        #expect(left == [], "\(example.testDescription)")
    }
}
