import Testing
import Wire

@testable import Diagnosis

/// A session that shows what one rule does.
struct RuleCase: Sendable, CustomTestStringConvertible {
    /// What the session shows.
    enum Kind: String, CaseIterable {
        /// The rule is broken.
        case breaks
        /// It comes close and is not.
        case behaves
        /// The capture, or what Tapedeck did, allows no verdict.
        case silent
    }

    let rule: Rule
    let kind: Kind
    let title: String
    /// Rules that are broken as well, where the session cannot do without.
    let also: Set<String>
    private let write: @Sendable (inout SessionScript) -> Void

    /// A case; `write` writes the session.
    init(
        _ rule: Rule, _ kind: Kind, _ title: String, also: Set<String> = [],
        _ write: @escaping @Sendable (inout SessionScript) -> Void
    ) {
        self.rule = rule
        self.kind = kind
        self.title = title
        self.also = also
        self.write = write
    }

    var testDescription: String { "\(rule.id) \(kind.rawValue): \(title)" }

    /// Runs the session and compares.
    ///
    /// A session that breaks a rule breaks that rule, those named in `also`, and no other that blames
    /// the same peer with an error or a warning; any other session does not break the rule.
    func check(sourceLocation: SourceLocation = #_sourceLocation) {
        var script = SessionScript()
        write(&script)
        let findings = script.findings()
        let ids = Set(findings.map(\.rule.id))
        switch kind {
        case .behaves, .silent:
            #expect(!ids.contains(rule.id), "\(testDescription)", sourceLocation: sourceLocation)
        case .breaks:
            #expect(
                script.findingsOfLanes() == findings, "\(testDescription)",
                sourceLocation: sourceLocation)
            #expect(
                ids.contains(rule.id), "\(testDescription); broken: \(ids.sorted())",
                sourceLocation: sourceLocation)
            let others = findings.filter { finding in
                finding.rule != rule && finding.severity != .info
                    && finding.rule.blames == rule.blames && !also.contains(finding.rule.id)
            }
            #expect(
                others.isEmpty,
                "\(testDescription); blamed as well: \(Set(others.map { "\($0.rule.id): \($0.detail)" }).sorted())",
                sourceLocation: sourceLocation)
            for finding in findings where finding.rule == rule {
                #expect(
                    !finding.detail.isEmpty && !finding.expected.isEmpty && !finding.steps.isEmpty,
                    "\(testDescription) lacks words or evidence", sourceLocation: sourceLocation)
            }
        }
    }

    /// The kinds that a rule has no case of.
    static func missing(_ rules: [Rule], _ cases: [RuleCase]) -> [String] {
        rules.flatMap { rule in
            Kind.allCases.filter { kind in
                !cases.contains { $0.rule == rule && $0.kind == kind }
            }.map { "\(rule.id): \($0.rawValue)" }
        }
    }
}
