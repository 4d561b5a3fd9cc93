import Testing
import Wire

@testable import Diagnosis

@Suite struct SimperiumSessionTests {
    private static let client = SessionFormCases.client + OpeningCases.all + SyncingCases.all
    private static let server = SessionFormCases.server + ServerCases.all

    @Test(arguments: client) func `rules about clients hold`(_ example: RuleCase) {
        example.check(among: Self.client)
    }

    @Test(arguments: server) func `rules about servers hold`(_ example: RuleCase) {
        example.check(among: Self.server)
    }

    @Test func `every rule is broken, kept and silent in some case`() {
        #expect(RuleCase.missing(SimperiumSessionRules.all, Self.client) == [])
        #expect(RuleCase.missing(SimperiumServerRules.all, Self.server) == [])
    }

    @Test func `identifiers are there once and texts end as sentences`() {
        let rules = SimperiumSessionRules.all + SimperiumServerRules.all
        #expect(Set(rules.map(\.id)).count == rules.count)
        for rule in rules {
            #expect(rule.title.hasSuffix("."), "\(rule.id)")
            #expect(!rule.source.isEmpty && !rule.expects.isEmpty && !rule.silent.isEmpty)
        }
    }
}
