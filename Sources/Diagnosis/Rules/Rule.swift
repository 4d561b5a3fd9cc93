public import Wire

/// One check of the diagnosis, with an identifier and the place in the specification it comes from.
///
/// The texts are what `diagnose --explain` and the rule reference print.
public struct Rule: Hashable, Sendable, Identifiable {
    /// How several breaches of the rule become findings.
    public enum Repetition: String, Hashable, Sendable {
        /// Each breach is a finding.
        case each
        /// The breaches of one client about one topic are one finding, which counts them.
        case topic
        /// The breaches of one client are one finding, which counts them.
        case client
    }

    /// Stable identifier, `simperium.change.resend-after-409`.
    public let id: String
    /// The severity of a breach.
    public let severity: FindingRow.Severity
    /// The side whose mistake a breach is.
    public let blames: Peer
    /// How several breaches become findings.
    public let repetition: Repetition
    /// What is forbidden or required, in one sentence.
    public let title: String
    /// The section of a specification, or the observed behaviour, it is based on.
    ///
    /// Pages below `Sources` are cited as `Simperium/Specification.md#index, #changes`.
    public let source: String
    /// The state it follows.
    public let follows: String
    /// What counts as evidence.
    public let evidence: String
    /// What is expected instead.
    public let expects: String
    /// How long a duty may wait, in nanoseconds, where nothing shows before that it will not be done;
    /// nil where the rule demands nothing that takes time.
    public let deadlineNanoseconds: Int64?
    /// The least time that something has to last before it counts, in nanoseconds; nil where time
    /// does not matter.
    public let minimumNanoseconds: Int64?
    /// When it stays silent, beside the conditions of all rules.
    public let silent: String
    /// The likely cause in the peer's code; nil where none is known.
    public let cause: String?

    /// A rule with these values.
    public init(
        _ id: String, _ severity: FindingRow.Severity, blames: Peer = .client,
        repetition: Repetition = .each, title: String, source: String, follows: String,
        evidence: String, expects: String, deadlineNanoseconds: Int64? = nil,
        minimumNanoseconds: Int64? = nil, silent: String,
        cause: String? = nil
    ) {
        self.id = id
        self.severity = severity
        self.blames = blames
        self.repetition = repetition
        self.title = title
        self.source = source
        self.follows = follows
        self.evidence = evidence
        self.expects = expects
        self.deadlineNanoseconds = deadlineNanoseconds
        self.minimumNanoseconds = minimumNanoseconds
        self.silent = silent
        self.cause = cause
    }

    /// Why a breach harms; nil where nothing is known but that the specification forbids it.
    public var harm: String? { Harm.of(self) }

    /// Rules are the same where their identifiers are.
    public static func == (a: Rule, b: Rule) -> Bool { a.id == b.id }

    /// Feeds the identifier.
    public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}
