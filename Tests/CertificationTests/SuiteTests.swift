import Diagnosis
import Faults
import Filters
import Testing
import Wire

@testable import Certification

/// The suites: what is in them is well formed, and every rule about clients has its case.
struct SuiteTests {
    @Test(arguments: Suite.Name.allCases)
    func `every rule about clients has a case, with a scenario or a reason`(name: Suite.Name) {
        let suite = Suite(name)
        let own = name == .simperium ? ["simperium.", "websocket."] : ["commcare.", "openrosa."]
        let wanted = Rules.all.filter { rule in
            rule.blames == .client && (own + ["http."]).contains { rule.id.hasPrefix($0) }
        }
        #expect(suite.cases.map(\.id) == wanted.map(\.id).sorted())
        for one in suite.cases {
            #expect(one.exercises.isEmpty == (one.reason != nil), "\(one.id)")
            #expect(
                one.reason != "no scenario of the suite exercises this rule",
                "\(one.id) needs a scenario, or a reason why there is none")
        }
    }

    @Test func `every rule about clients is in a suite`() {
        let cases = Set(Suite.Name.allCases.flatMap { Suite($0).cases.map(\.id) })
        for rule in Rules.all where rule.blames == .client { #expect(cases.contains(rule.id)) }
    }

    @Test(arguments: Suite.Name.allCases)
    func `rules that situations name are there`(name: Suite.Name) {
        let rules = Rules.all.filter { $0.blames == .client }.map(\.id)
        for scenario in Suite(name).scenarios {
            for situation in scenario.situations {
                for pattern in situation.rules + situation.exceptions {
                    #expect(
                        rules.contains { Situation.matches(pattern, $0) },
                        "\(scenario.id), \(situation.id): there is no rule \(pattern)")
                }
            }
        }
    }

    @Test(arguments: Suite.Name.allCases)
    func `faults and filters can be read, and signs name faults of their scenario`(
        name: Suite.Name
    ) throws {
        for scenario in Suite(name).scenarios {
            let plan = try Bench.plan(scenario)
            #expect(plan.rules.count == scenario.faults.count)
            let names = Set(plan.rules.map(\.name))
            let expectations =
                scenario.situations.flatMap(\.expectations) + scenario.deeds.map(\.when)
            for expectation in expectations {
                for filter in expectation.filters {
                    #expect(throws: Never.self, "\(scenario.id): \(filter)") {
                        try Filter.parse(filter)
                    }
                }
                for fault in expectation.faults { #expect(names.contains(fault), "\(scenario.id)") }
            }
            #expect(!scenario.situations.isEmpty && scenario.limit > 0, "\(scenario.id)")
        }
    }

    @Test(arguments: Suite.Name.allCases)
    func `no two scenarios have one name, and the files of all steps are there`(name: Suite.Name) {
        let scenarios = Suite(name).scenarios
        #expect(Set(scenarios.map(\.id)).count == scenarios.count)
        for scenario in scenarios {
            for file in scenario.files { #expect(!file.content.isEmpty, "\(file.name)") }
            #expect(
                Set(scenario.situations.map(\.id)).count == scenario.situations.count,
                "\(scenario.id)")
        }
    }

    @Test(arguments: Suite.Name.allCases)
    func `scripts read as what was written`(name: Suite.Name) {
        for scenario in Suite(name).scenarios {
            let lines = scenario.json(bucket: "notes", folder: "f").split(separator: "\n")
            let read = lines.compactMap { Step(json: String($0)) }
            #expect(read.count == scenario.script.count)
            let again = read.map { $0.json(bucket: "notes", folder: "f") }
            for (a, b) in zip(again, lines) where !b.contains("\"submit\"") { #expect(a == b) }
        }
    }

    @Test(arguments: Step.Manner.allCases)
    func `how a form is submitted is in the script`(how: Step.Manner) {
        let line = Step.submit(form: "a", attachments: ["b"], how: how)
            .json(bucket: "notes", folder: "f")
        #expect(
            Step(json: line) == .submit(form: "f/a", attachments: ["f/b"], how: how), "\(line)")
    }

    @Test(arguments: Suite.Name.allCases)
    func `there is a reason for no rule that a scenario is about`(name: Suite.Name) {
        let reasons =
            name == .simperium ? SimperiumScenarios.reasons : CommCareScenarios.reasons
        let cases = Suite(name).cases
        for (pattern, reason) in reasons {
            let meant = cases.filter { Situation.matches(pattern, $0.id) }
            #expect(!meant.isEmpty, "there is no rule \(pattern)")
            for one in meant { #expect(one.reason == reason, "\(one.id)") }
        }
    }

    @Test(arguments: [
        "", "x", "{}", #"{"step":"fly"}"#, #"{"step":"set","key":"a"}"#,
        #"{"step":"set","key":"a","data":1}"#, #"{"step":"delete"}"#, #"{"step":"pause"}"#,
        #"{"step":"pause","seconds":-1}"#, #"{"step":"wait-for","key":"a"}"#,
        #"{"step":"submit","form":"a","how":"twice"}"#, #"{"step":"claim"}"#,
        #"{"step":"sign-in","user":1}"#, #"{"step":"move"}"#, #"{"step":"later","days":-1}"#,
        #"{"step":"later","days":1.5}"#,
    ])
    func `what is no step is refused`(line: String) { #expect(Step(json: line) == nil) }

    @Test func `a part is chosen by scenario, by rule and by the beginning of a name`() {
        let suite = Suite(.simperium)
        let (one, none) = suite.chosen(["refused-440"])
        #expect(none.isEmpty)
        #expect(one.scenarios.map(\.id) == ["refused-440"])
        #expect(one.cases.contains { $0.id == "simperium.change.diff-after-440" })
        let (rule, _) = suite.chosen(["simperium.change.diff-after-440"])
        #expect(rule.cases.map(\.id) == ["simperium.change.diff-after-440"])
        #expect(rule.scenarios.map(\.id) == ["refused-440"])
        #expect(suite.chosen(["refused-*"]).suite.scenarios.count > 5)
        #expect(suite.chosen(["refused-*", "nothing"]).unknown == ["nothing"])
        #expect(suite.chosen([]).suite.cases.count == suite.cases.count)
    }

    @Test func `beside a scenario every other rule is watched, and beside a rule none`() {
        let suite = Suite(.simperium)
        #expect(suite.watched.isEmpty && suite.chosen([]).suite.watched.isEmpty)
        #expect(suite.chosen(["simperium.change.diff-after-440"]).suite.watched.isEmpty)
        let part = suite.chosen(["lost-acknowledgement"]).suite
        #expect(part.watched.contains { $0.id == "simperium.session.change-before-index" })
        #expect(part.cases.count + part.watched.count == suite.cases.count)
        #expect(
            suite.without(["refused-440"]).suite.watched.map(\.id)
                == ["simperium.change.diff-after-440"])
    }

    @Test func `what is left out goes with the cases that nothing else exercises`() {
        let suite = Suite(.simperium)
        let (rest, unknown) = suite.without(["refused-440", "nothing"])
        #expect(unknown == ["nothing"])
        #expect(rest.scenarios.count == suite.scenarios.count - 1)
        #expect(!rest.cases.contains { $0.id == "simperium.change.diff-after-440" })
        #expect(rest.cases.contains { $0.id == "simperium.change.no-sv" })
        #expect(suite.without([]).suite.cases.count == suite.cases.count)
    }

    @Test(arguments: Suite.Name.allCases)
    func `the steps of a scenario lead to an end`(name: Suite.Name) {
        for scenario in Suite(name).scenarios {
            let end = ExpectedEnd(scenario)
            #expect(end.stuck.isEmpty, "\(scenario.id): \(end.stuck)")
            for key in scenario.merged.keys { #expect(end.shared.contains(key), "\(scenario.id)") }
            let names = Set(end.forms.map(\.name))
            for name in scenario.unstored { #expect(names.contains(name), "\(scenario.id)") }
            let rules = Set((try? Bench.plan(scenario))?.rules.map(\.name) ?? [])
            for fault in scenario.final { #expect(rules.contains(fault), "\(scenario.id)") }
        }
    }

    @Test(arguments: Suite.Name.allCases)
    func `at a point of a scenario the client rests`(name: Suite.Name) throws {
        for scenario in Suite(name).scenarios {
            for point in scenario.points {
                let done = scenario.script.prefix(point.steps)
                let rest = scenario.script.dropFirst(point.steps)
                let next = try #require(
                    rest.firstIndex { if case .pause = $0 { true } else { false } },
                    "\(scenario.id) goes on \(point.name)")
                guard case .pause(let seconds) = rest[next] else { return }
                #expect(seconds >= 2, "\(scenario.id)")
                for step in rest[..<next] where done.last != .offline {
                    #expect([.waitSynced, Step.sync(isAutomatic: false)].contains(step))
                }
                for filter in point.when.filters { _ = try Filter.parse(filter) }
                #expect(ExpectedEnd(scenario, at: point).stuck.isEmpty, "\(scenario.id)")
            }
        }
        #expect(Suite(name).scenarios.contains { !$0.points.isEmpty })
    }

    @Test(arguments: Suite.Name.allCases)
    func `what both clients edit without waiting for each other is merged by declaration`(
        name: Suite.Name
    ) {
        for scenario in Suite(name).scenarios {
            let shared = ExpectedEnd(scenario).shared
            for key in shared where scenario.merged[key] == nil {
                let waits = scenario.script.contains {
                    if case .waitFor(key, _) = $0 { true } else { false }
                }
                #expect(waits, "\(scenario.id) needs the data of \(key) that both make")
            }
        }
    }

    @Test func `form identifiers are those in the files`() {
        for scenario in Suite(.commcare).scenarios {
            for form in ExpectedEnd(scenario).forms {
                let text = String(decoding: CommCareForms.content(of: form.name), as: UTF8.self)
                #expect(text.contains("<instanceID>\(form.instanceID)</instanceID>"))
                if let facts = CommCareForms.caseFacts(of: form.name) {
                    #expect(text.contains("case_id=\"\(facts.id)\""))
                    #expect(text.contains("<close/>") == facts.isClosed)
                }
            }
        }
    }

    @Test(arguments: Suite.Name.allCases)
    func `rules that a scenario makes the client break are there`(name: Suite.Name) {
        for scenario in Suite(name).scenarios {
            for rule in scenario.askedBreaches(isEnded: true) {
                #expect(Rules.all.contains { $0.id == rule }, "\(scenario.id)")
            }
        }
    }
}
