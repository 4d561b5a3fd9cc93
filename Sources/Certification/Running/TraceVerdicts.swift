public import Diagnosis

/// What the diagnosis of a trace says.
public struct TraceVerdicts: Sendable {
    /// A fault from which the client did not recover.
    public struct Unrecovered: Hashable, Sendable {
        /// Name of its rule.
        public var fault: String
        /// What was done to what, and why that is not over, in a sentence.
        public var detail: String

        /// A fault of the rule `fault`.
        public init(fault: String, detail: String) {
            self.fault = fault
            self.detail = detail
        }
    }

    /// The findings.
    public var findings: [Finding]
    /// What could not be decided when the session ended.
    public var undecided: [UndecidedDuty]
    /// The faults from which the client did not recover.
    public var unrecovered: [Unrecovered]

    /// Verdicts.
    public init(
        findings: [Finding] = [], undecided: [UndecidedDuty] = [], unrecovered: [Unrecovered] = []
    ) {
        self.findings = findings
        self.undecided = undecided
        self.unrecovered = unrecovered
    }
}
