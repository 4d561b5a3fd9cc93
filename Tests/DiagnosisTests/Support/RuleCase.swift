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
    /// Writes the session as it would be if it broke the rule.
    private let breaking: (@Sendable (inout SessionScript) -> Void)?

    /// A case; `write` writes the session.
    ///
    /// `breaking` writes it with one thing different that breaks the rule, for cases of which none of
    /// the edits of ``NearMiss`` does.
    init(
        _ rule: Rule, _ kind: Kind, _ title: String, also: Set<String> = [],
        _ write: @escaping @Sendable (inout SessionScript) -> Void,
        unlike breaking: (@Sendable (inout SessionScript) -> Void)? = nil
    ) {
        self.rule = rule
        self.kind = kind
        self.title = title
        self.also = also
        self.write = write
        self.breaking = breaking
    }

    /// What happens.
    var script: SessionScript {
        var script = SessionScript()
        write(&script)
        return script
    }

    var testDescription: String { "\(rule.id) \(kind.rawValue): \(title)" }

    /// Runs the session and compares.
    ///
    /// A session that breaks a rule breaks that rule, those named in `also`, and no other that blames
    /// the same peer with an error or a warning. Any other session has no finding at all but of those
    /// named in `also`, and is one edit away from a session that breaks the rule, so that there was
    /// something to find.
    ///
    /// - Parameters:
    ///   - others: Among them those of the same rule, to compare with.
    ///   - sourceLocation: Where a failure is shown.
    func check(
        among others: [RuleCase], sourceLocation: SourceLocation = #_sourceLocation
    ) {
        switch kind {
        case .behaves, .silent: checkQuiet(among: others, sourceLocation)
        case .breaks: checkBroken(sourceLocation)
        }
    }

    private func checkQuiet(among others: [RuleCase], _ place: SourceLocation) {
        let script = script
        let findings = script.findings()
        #expect(
            Set(findings.map(\.rule.id)) == also,
            "\(testDescription); found: \(findings.map { "\($0.rule.id): \($0.detail)" })",
            sourceLocation: place)
        if let breaking {
            var other = SessionScript()
            breaking(&other)
            #expect(
                other.breaks(rule), "\(testDescription); the other session does not break the rule",
                sourceLocation: place)
            return
        }
        let broken = others.filter { $0.rule == rule && $0.kind == .breaks }.map(\.script)
        let miss = NearMiss(of: rule, script, among: broken)
        #expect(
            miss != nil, "\(testDescription); no edit breaks the rule", sourceLocation: place)
    }

    private func checkBroken(_ place: SourceLocation) {
        let script = script
        let findings = script.findings()
        let ids = Set(findings.map(\.rule.id))
        #expect(
            rule.isExercised(by: Set(script.evidence().flatMap(\.kinds))),
            "\(testDescription); could not have been broken", sourceLocation: place)
        #expect(
            script.findingsOfLanes() == findings, "\(testDescription)", sourceLocation: place)
        #expect(
            ids.contains(rule.id), "\(testDescription); broken: \(ids.sorted())",
            sourceLocation: place)
        let others = findings.filter { finding in
            finding.rule != rule && finding.severity != .info
                && finding.rule.blames == rule.blames && !also.contains(finding.rule.id)
        }
        #expect(
            others.isEmpty,
            "\(testDescription); blamed as well: \(Set(others.map { "\($0.rule.id): \($0.detail)" }).sorted())",
            sourceLocation: place)
        for finding in findings where finding.rule == rule {
            #expect(
                !finding.detail.isEmpty && !finding.expected.isEmpty && !finding.steps.isEmpty,
                "\(testDescription) lacks words or evidence", sourceLocation: place)
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
