/// What an add-on was asked and what it decided.
public struct AddonCounts: Hashable, Sendable {
    /// How often its program was started.
    public var starts = 0
    /// Events that it was sent.
    public var asked = 0
    /// Verdicts by their names.
    public var verdicts: [String: Int] = [:]
    /// Verdicts that came after their deadline.
    public var late = 0
    /// Events that passed since their deadline came.
    public var expired = 0
    /// Events that passed without being asked about, or since the program ended.
    public var unasked = 0
    /// Verdicts that nobody waits for, of an add-on that only watches.
    public var ignored = 0
    /// How often it ended, was silent or wrote what is not understood.
    public var failures = 0

    /// Nothing.
    public init() {}
}
