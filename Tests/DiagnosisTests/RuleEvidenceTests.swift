import Testing

@testable import Diagnosis

/// What a rule needs before it can be broken.
struct RuleEvidenceTests {
    @Test func `every topic needs traffic of its kind`() {
        let all: Set = [
            "http", "message", "commcare.submit", "commcare.restore", "simperium:c", "simperium:cv",
            "simperium:e", "simperium:i", "simperium:h", "simperium.socket",
        ]
        for topic in RuleTopic.all {
            #expect(!topic.isExercised(by: []), "\(topic.id)")
            #expect(topic.isExercised(by: all), "\(topic.id)")
        }
        #expect(RuleTopic.all.filter { $0.isExercised(by: ["http"]) }.map(\.id) == ["http"])
    }

    @Test func `what needs certain evidence is a rule`() {
        for id in Rule.needs.keys { #expect(Rules.rule(id) != nil, "\(id)") }
    }

    @Test(arguments: [
        ("commcare.sync.incremental-after-412", "status:412", true),
        ("commcare.sync.incremental-after-412", "status:200", false),
        ("commcare.retry.after-4xx", "status:404", true),
        ("commcare.retry.after-4xx", "status:503", false),
        ("simperium.change.diff-after-440", "error:440", true),
        ("simperium.change.diff-after-440", "status:200", false),
        // A status that should have come is none that has to.
        ("openrosa.server.head-not-204", "status:200", true),
        ("commcare.case.version-1", "status:200", true),
    ])
    func `a rule about a status is exercised where that came`(
        id: String, kind: String, isExercised: Bool
    ) throws {
        let rule = try #require(Rules.rule(id))
        let kinds = Set(["commcare.submit", "commcare.restore", "simperium:c", kind])
        #expect(rule.isExercised(by: kinds) == isExercised)
    }
}
