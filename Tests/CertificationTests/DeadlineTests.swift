import Diagnosis
import Testing

@testable import Certification

/// The lengths of scenarios, compared with the times that the rules of their situations need.
struct DeadlineTests {
    /// Rules with a time that what has to be seen decides before, and why.
    private static let decided = [
        "commcare.sync.polled-late": "the next poll, which has to be seen, comes late or not",
        "http.after-close": "the next request, which has to be seen, is on that connection or not",
        "simperium.session.no-reconnect": "another socket has to be seen",
    ]

    /// What a scenario has to last for the situation, in seconds.
    private static func seconds(_ situation: Situation, of scenario: Scenario) -> Double {
        let wanted = situation.expectations.map(seconds).max() ?? 0
        // A scenario that lingers is over with what has to be seen.
        return scenario.lingers ? wanted : max(wanted, pauses(scenario))
    }

    private static func seconds(_ event: ExpectedEvent) -> Double {
        switch event.kind {
        case .lasting(_, let seconds): seconds
        case .either(let all): all.map(seconds).max() ?? 0
        case .lines, .devices, .changes, .fault: 0
        }
    }

    private static func pauses(_ scenario: Scenario) -> Double {
        scenario.script.reduce(0) { sum, step in
            if case .pause(let seconds) = step { sum + seconds } else { sum }
        }
    }

    /// A duty that is open at the end is undecided, and its case no pass; all others count on time.
    @Test(arguments: Suite.Name.allCases)
    func `scenarios last longer than the times of rules that nothing else decides`(
        name: Suite.Name
    ) throws {
        let suite = Suite(name)
        for one in suite.cases where Self.decided[one.id] == nil {
            guard let time = one.rule.minimumNanoseconds ?? one.rule.deadlineNanoseconds,
                Duty.of(one.rule)?.undecided == nil
            else { continue }
            for exercise in one.exercises {
                let scenario = try #require(suite.scenarios.first { $0.id == exercise.scenario })
                let seconds = Self.seconds(exercise.situation, of: scenario)
                let needed = Double(time) / 1e9
                #expect(
                    seconds > needed,
                    "\(one.id) needs \(needed) s, \(scenario.id) lasts \(seconds) s")
            }
        }
    }

    @Test(arguments: Suite.Name.allCases)
    func `what has to last does, and ends before the limit`(name: Suite.Name) {
        for scenario in Suite(name).scenarios {
            #expect(Self.pauses(scenario) < scenario.limit, "\(scenario.id)")
            for event in scenario.situations.flatMap(\.expectations) {
                guard case .lasting(_, let seconds) = event.kind else { continue }
                #expect(seconds < Self.pauses(scenario), "\(scenario.id): \(event.detail)")
            }
        }
    }

    @Test func `rules that are decided before their time have one`() {
        for id in Self.decided.keys {
            let rule = Rules.all.first { $0.id == id }
            #expect((rule?.minimumNanoseconds ?? rule?.deadlineNanoseconds) != nil, "\(id)")
        }
    }
}
