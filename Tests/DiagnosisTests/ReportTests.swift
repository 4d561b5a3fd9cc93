import Testing
import Wire

@testable import Diagnosis

@Suite struct ReportTests {
    private static let part = Rule(
        "test.part", .error, title: "t", source: "s", follows: "f", evidence: "e", expects: "x",
        silent: "n")
    private static let whole = Rule(
        "test.whole", .error, title: "t", source: "s", follows: "f", evidence: "e", expects: "x",
        silent: "n")
    private static let once = Rule(
        "test.once", .warning, repetition: .client, title: "t", source: "s", follows: "f",
        evidence: "e", expects: "x", silent: "n")

    private func finding(_ rule: Rule, _ topic: String, at: Int64) -> Finding {
        Finding(
            rule, connection: nil, client: "c", topic: topic, detail: "says",
            steps: [FindingStep(at: Instant(nanoseconds: at), "step")])
    }

    private var group: FindingGroup {
        FindingGroup(
            rule: Self.whole, parts: ["test.part"], least: 3, withinNanoseconds: 100,
            sharing: .topic
        ) { "\($0.count) parts" }
    }

    @Test func `three parts become one story and later ones join it`() {
        var report = Report(groups: [group])
        for at in [1, 2, 3, 4] as [Int64] { report.add(finding(Self.part, "k", at: at)) }
        #expect(report.findings.map(\.rule.id) == ["test.whole"])
        #expect(report.findings.first?.steps.count == 4)
    }

    @Test func `parts of other topics or of long ago are no story`() {
        var report = Report(groups: [group])
        report.add(finding(Self.part, "k", at: 1))
        report.add(finding(Self.part, "l", at: 2))
        report.add(finding(Self.part, "k", at: 3))
        report.add(finding(Self.part, "k", at: 500))
        #expect(report.findings.map(\.rule.id) == Array(repeating: "test.part", count: 4))
    }

    @Test func `breaches of a rule that is told once are counted`() {
        var report = Report(groups: [])
        for at in [1, 2, 3] as [Int64] { report.add(finding(Self.once, "\(at)", at: at)) }
        #expect(report.findings.map(\.times) == [3])
        #expect(report.findings.first?.lastAt == Instant(nanoseconds: 3))
    }

    @Test func `the worst of the breaches that are counted is shown`() {
        var report = Report(groups: [])
        var mild = finding(Self.once, "1", at: 1)
        mild.severity = .info
        report.add(mild)
        report.add(finding(Self.once, "2", at: 2))
        mild.at = Instant(nanoseconds: 3)
        report.add(mild)
        #expect(report.findings.map(\.severity) == [.warning])
        #expect(report.findings.map(\.topic) == ["2"])
        #expect(report.findings.map(\.times) == [3])
        #expect(report.findings.first?.lastAt == Instant(nanoseconds: 3))
    }

    @Test func `a finding takes up the parts it names, before and after`() {
        var report = Report(groups: [])
        report.add(finding(Self.part, "k", at: 1))
        var owner = finding(Self.whole, "k", at: 2)
        owner.absorbs = ["test.part"]
        report.add(owner)
        report.add(finding(Self.part, "k", at: 3))
        report.add(finding(Self.part, "other", at: 3))
        #expect(report.findings.map(\.topic) == ["k", "other"])
    }

    @Test func `new findings are given once`() {
        var report = Report(groups: [group])
        report.add(finding(Self.part, "k", at: 1))
        #expect(report.takeNew().map(\.rule.id) == ["test.part"])
        report.add(finding(Self.part, "k", at: 2))
        report.add(finding(Self.part, "k", at: 3))
        #expect(report.takeNew().map(\.rule.id) == ["test.whole"])
        #expect(report.takeNew().isEmpty)
    }
}
