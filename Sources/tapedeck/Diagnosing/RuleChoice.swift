import Diagnosis
import Filters
import Wire

/// The selected rules: those named, without those ignored, of one side or both.
struct RuleChoice {
    private let wanted: [Pattern]
    private let ignored: [Pattern]
    private let blamed: Peer?

    /// An identifier, or the beginning of one with a star.
    private struct Pattern {
        let text: String

        init(_ text: String) throws(Failure) {
            self.text = text
            guard !Rules.all.contains(where: { matches($0.id) }) else { return }
            let name =
                text.hasSuffix("*") ? "there is no rule that begins with" : "there is no rule"
            let nearest = NearestNames.of(
                text.replacing("*", with: ""), among: Rules.all.map(\.id))
            throw Failure(
                .usage,
                "\(name) \(ListLine.clean(text))"
                    + (nearest.isEmpty
                        ? "; `tapedeck diagnose --list-rules` lists them"
                        : NearestNames.question(nearest)))
        }

        func matches(_ id: String) -> Bool {
            text.hasSuffix("*") ? id.hasPrefix(text.dropLast()) : id == text
        }
    }

    /// Reads the options of the command line.
    ///
    /// - Throws: ``Failure`` where a name is that of no rule.
    init(wanted: [String], ignored: [String], blamed: Peer?) throws(Failure) {
        self.wanted = try Self.patterns(wanted)
        self.ignored = try Self.patterns(ignored)
        self.blamed = blamed
    }

    private static func patterns(_ texts: [String]) throws(Failure) -> [Pattern] {
        var patterns: [Pattern] = []
        for text in texts { patterns.append(try Pattern(text)) }
        return patterns
    }

    /// The rule of this name.
    static func rule(_ id: String) throws(Failure) -> Rule {
        _ = try Pattern(id)
        guard let rule = Rules.rule(id) else {
            throw Failure(.usage, "\(ListLine.clean(id)) names several rules; name one")
        }
        return rule
    }

    /// Whether the rule is selected.
    func takes(_ rule: Rule) -> Bool {
        if let blamed, rule.blames != blamed { return false }
        if ignored.contains(where: { $0.matches(rule.id) }) { return false }
        return wanted.isEmpty || wanted.contains { $0.matches(rule.id) }
    }

    /// The selected rules.
    var rules: [Rule] { Rules.all.filter(takes) }
}
