public import Filters

/// A filter of a rule, as text and as tree, and the phase of live traffic that it is evaluated in.
public struct FaultCondition: Hashable, Sendable {
    /// The filter.
    public let filter: Filter
    /// The filter as the plan writes it.
    public let text: String
    /// When it is evaluated.
    public let phase: FilterPhase

    /// The condition `filter`, written as `text`, evaluated in `phase`.
    init(_ filter: Filter, text: String, phase: FilterPhase) {
        self.filter = filter
        self.text = text
        self.phase = phase
    }
}
