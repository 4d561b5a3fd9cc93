import Testing
import Wire

@testable import Diagnosis

/// Duties, and the time that they have.
@Suite struct DutyTests {
    private static let second: Int64 = 1_000_000_000

    /// A client that ignores `cv:?` and goes on for 50 s.
    private static var script: SessionScript {
        var script = SessionScript()
        let socket = script.resumed(at: 0, cv: "old", answer: "0:cv:?")
        for round in 1...2 {
            script.client(socket, "h:\(2 * round - 1)", at: Double(round) * 20)
            script.server(socket, "h:\(2 * round)", at: Double(round) * 20 + 0.1)
        }
        return script
    }

    private static func diagnosis(_ patience: Int64?, inLanes: Bool = false) -> Diagnosis {
        var diagnosis = Diagnosis(patienceNanoseconds: patience)
        let evidence = script.evidence()
        let end = Instant(nanoseconds: 50 * second)
        if inLanes {
            var lanes = (0..<DiagnosisLane.count).map {
                DiagnosisLane($0, patienceNanoseconds: patience)
            }
            diagnosis.join(lanes.indices.map { lanes[$0].observe(evidence) })
            diagnosis.join(lanes.indices.map { lanes[$0].finish(at: end, isRunning: false) })
        } else {
            for item in evidence { diagnosis.observe(item) }
            diagnosis.finish(at: end, isRunning: false)
        }
        return diagnosis
    }

    @Test func `are declared for each rule with a deadline, and else decided by conduct`() {
        let limited = Rules.all.filter { $0.deadlineNanoseconds != nil }
        let (timed, others) = (
            Duty.all.filter { $0.rule.deadlineNanoseconds != nil },
            Duty.all.filter { $0.rule.deadlineNanoseconds == nil }
        )
        #expect(timed.map(\.rule.id) == limited.map(\.id))
        #expect(others.allSatisfy { $0.due != nil && $0.undecided != nil })
        #expect(limited.allSatisfy { $0.minimumNanoseconds == nil })
    }

    @Test(arguments: [false, true])
    func `are undecided until their time is up`(inLanes: Bool) throws {
        let rule = SimperiumSessionRules.unknownIgnored
        let own = Self.diagnosis(nil, inLanes: inLanes)
        #expect(own.findings == [])
        #expect(own.undecided.map(\.rule) == [rule])
        let long = Self.diagnosis(3_600 * Self.second, inLanes: inLanes)
        #expect(long.findings == [])
        #expect(long.undecided.map(\.deadlineNanoseconds) == [3_600 * Self.second])
        let short = Self.diagnosis(10 * Self.second, inLanes: inLanes)
        #expect(short.findings.map(\.rule) == [rule])
        #expect(short.findings.first?.detail.contains("in 10 s") == true)
        #expect(short.undecided == [])
    }

    @Test func `of CommCare have the time that is given`() {
        var script = SessionScript()
        let phone = SyncPhone(&script)
        phone.restore(&script, at: 1, since: "t0", SyncPhone.refused)
        phone.submit(&script, at: 30, token: "t0")
        func rules(_ patience: Int64?) -> [[String]] {
            var diagnosis = Diagnosis(patienceNanoseconds: patience)
            for item in script.evidence() { diagnosis.observe(item) }
            diagnosis.finish(at: Instant(nanoseconds: 40 * Self.second), isRunning: false)
            return [diagnosis.findings.map(\.rule.id), diagnosis.undecided.map(\.rule.id)]
        }
        let rule = CommCareSessionRules.noRecoveryAfter412.id
        #expect(rules(nil) == [[], [rule]])
        #expect(rules(20 * Self.second) == [[rule], []])
    }

    @Test(arguments: [400, 401, 404, 405, 409, 413, 417, 440, 500, 503])
    func `of a refused change are never passed over`(code: Int) {
        var script = SessionScript()
        let socket = script.ready()
        script.edit(socket, "a1", #"{"n":{"o":"r","v":2}}"#, at: 1)
        script.refused(socket, "a1", code, at: 1.1)
        var diagnosis = Diagnosis()
        for item in script.evidence() { diagnosis.observe(item) }
        diagnosis.finish(at: Instant(nanoseconds: 2 * Self.second), isRunning: false)
        #expect(diagnosis.findings == [])
        #expect(diagnosis.undecided.map(\.rule.blames) == [.client])
    }

    @Test func `of a refused form, sync or claim are never passed over`() {
        typealias R = CommCareSessionRules
        func rules(_ write: (inout SessionScript, SyncPhone) -> Void) -> [String] {
            var script = SessionScript()
            let phone = SyncPhone(&script)
            write(&script, phone)
            var diagnosis = Diagnosis()
            for item in script.evidence() { diagnosis.observe(item) }
            diagnosis.finish(at: Instant(nanoseconds: 2 * Self.second), isRunning: false)
            return (diagnosis.findings.map(\.rule) + diagnosis.undecided.map(\.rule))
                .filter { $0.blames == .client }.map(\.id)
        }
        for status in [401, 408, 429, 500, 502, 503] {
            let left = rules { $1.submit(&$0, at: 1, gets: SyncPhone.answer(status)) }
            #expect(left == [R.forgotten.id], "\(status)")
        }
        #expect(rules { $1.submit(&$0, at: 1, gets: nil) } == [R.forgotten.id])
        #expect(rules { $1.submit(&$0, at: 1) } == [])
        let signedOut = rules { $1.restore(&$0, at: 1, SyncPhone.answer(401)) }
        #expect(signedOut == [R.sameCredentials.id])
        #expect(rules { $1.submit(&$0, at: 1, gets: SyncPhone.invalid) } == [R.queueStopped.id])
        let goesOn = rules {
            $1.submit(&$0, at: 1, gets: SyncPhone.invalid)
            $1.submit(&$0, at: 1.5, "f2")
        }
        #expect(!goesOn.contains(R.queueStopped.id))
        let refused = rules { $1.restore(&$0, at: 1, since: "t0", SyncPhone.refused) }
        #expect(refused == [R.noRecoveryAfter412.id])
        let pending = rules { $1.restore(&$0, at: 1, SyncPhone.pending()) }
        #expect(pending == [R.pollAbandoned.id])
    }

    @Test(arguments: UndecidedTests.all.filter { $0.kind == .breaks })
    func `are the only thing that is undecided`(_ example: RuleCase) {
        let evidence = example.script.evidence()
        let last = evidence.map(\.at).max() ?? .zero
        for quarter in 1...4 {
            let end = Instant(nanoseconds: last.nanoseconds / 4 * Int64(quarter))
            var diagnosis = Diagnosis()
            for item in evidence where item.at <= end { diagnosis.observe(item) }
            diagnosis.finish(at: end, isRunning: false)
            for duty in diagnosis.undecided {
                #expect(Duty.of(duty.rule)?.undecided == duty.detail, "\(duty.rule.id)")
            }
        }
    }
}
