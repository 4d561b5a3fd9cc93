import Testing

@testable import Diagnosis

/// Topics of rules.
struct RuleTopicTests {
    @Test func `every rule has a topic with a heading, and every topic a rule`() {
        let topics = Set(Rules.all.map { RuleTopic(of: $0) })
        #expect(topics == Set(RuleTopic.all))
        #expect(RuleTopic.all.map(\.id) == RuleTopic.all.map(\.id).sorted())
    }

    @Test func `numbers in the name of a rule are no topic`() {
        let rule = Rules.all.first { $0.id == "http.chunked-1.0" }
        #expect(rule.map { RuleTopic(of: $0).title } == "HTTP")
    }
}
