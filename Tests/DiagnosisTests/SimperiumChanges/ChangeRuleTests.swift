import Testing
import Wire

@testable import Diagnosis

/// Each rule about changes with sessions that break it, come close to it and allow no verdict.
@Suite struct ChangeRuleTests {
    private static let cases =
        FormCases.all + VersionCases.all + AnswerCases.all + DiffCases.all
        + EditCases.all
    private static let reported = SimperiumFindingGroups.rules.filter {
        // Their parts are rules about sessions.
        ![SimperiumFindingGroups.reindexLoop, SimperiumFindingGroups.reconnectStorm].contains($0)
    }

    @Test(arguments: cases) func `rule`(_ example: RuleCase) {
        example.check(among: Self.cases)
    }

    @Test(arguments: FindingGroupCases.all) func `story`(_ example: RuleCase) {
        example.check(among: FindingGroupCases.all)
    }

    @Test func `every rule has its sessions`() {
        #expect(RuleCase.missing(SimperiumChangeRules.all, Self.cases).isEmpty)
        #expect(RuleCase.missing(Self.reported, FindingGroupCases.all).isEmpty)
    }

    @Test func `identifiers are unique and texts are there`() {
        let rules = SimperiumChangeRules.all + SimperiumFindingGroups.rules
        #expect(Set(rules.map(\.id)).count == rules.count)
        for rule in rules {
            for text in [
                rule.title, rule.source, rule.follows, rule.evidence, rule.expects, rule.silent,
            ] { #expect(!text.isEmpty, "\(rule.id)") }
        }
    }

    /// Stories whose parts are rules about sessions, by identifier.
    @Test(arguments: [
        (
            SimperiumFindingGroups.reindexLoop,
            [
                "simperium.index.read-again", "simperium.cv.not-advanced",
                "simperium.index.instead-of-cv",
            ]
        ),
        (
            SimperiumFindingGroups.reconnectStorm,
            ["simperium.session.reconnect-storm", "simperium.auth.same-token-again"]
        ),
    ])
    func `findings of sessions become stories`(_ group: Rule, _ parts: [String]) {
        func reported(_ parts: [String], apart: Int64, clients: [String]) -> [String] {
            var report = Report(groups: SimperiumFindingGroups.all)
            for (index, id) in parts.enumerated() {
                let rule = Rule(
                    id, .warning, title: "t", source: "s", follows: "f", evidence: "e",
                    expects: "x", silent: "n")
                let at = Instant(nanoseconds: Int64(index) * apart)
                report.add(
                    Finding(
                        rule, connection: nil, client: clients[index % clients.count],
                        detail: "says", steps: [FindingStep(at: at, "step")]))
            }
            return report.findings.map(\.rule.id)
        }
        #expect(reported(parts, apart: 1_000_000_000, clients: ["c"]) == [group.id])
        #expect(!reported(Array(parts.dropLast()), apart: 1, clients: ["c"]).contains(group.id))
        #expect(!reported(parts, apart: 1, clients: ["c", "d"]).contains(group.id))
        #expect(!reported(parts, apart: 4_000_000_000_000, clients: ["c"]).contains(group.id))
    }
}
