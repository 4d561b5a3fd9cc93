/// Which of the events that a rule's filter holds for are hit.
///
/// All given conditions have to hold; without any, every event is hit. Events are counted
/// separately for each scope, from 1, while the windows are open and the client has not yet ended
/// the rule: an event outside of them is not an occurrence.
public struct FaultSchedule: Hashable, Sendable {
    /// What events are counted by.
    public enum Extent: String, Hashable, Sendable, CaseIterable {
        /// Each connection for itself.
        case connection
        /// Each client for itself: device, Simperium client or address.
        case client
        /// Each object, or each method and path, for itself.
        case key
        /// All together.
        case overall
    }

    /// The number of first occurrences, at least 1; nil for all.
    public var first: Int64?
    /// Every nth occurrence, at least 1; nil for all.
    public var every: Int64?
    /// The occurrences with these numbers, each at least 1, ascending; empty for all.
    public var nth: [Int64] = []
    /// The probability of each, above 0 and at most 1; nil for certainty.
    public var probability: Double?
    /// From this time on, in nanoseconds since the session started; nil from the beginning.
    public var from: Int64?
    /// Before this time, in nanoseconds since the session started; nil without end.
    public var to: Int64?
    /// Only after the latest mark of this name; nil without one.
    public var afterMark: String?
    /// Only before a mark of this name, or until it follows the other one; nil without one.
    public var beforeMark: String?
    /// Until something that this holds for was seen in the scope; nil without end.
    public var until: FaultCondition?
    /// Until a scope was silent for this many nanoseconds after it was hit; nil without end.
    public var untilWaited: Int64?
    /// What events are counted by, where the plan has it.
    public var per: Extent?
    /// How much later than the event the action is carried out, in nanoseconds, at least 0.
    public var after: Int64 = 0

    /// The schedule that hits every event.
    public init() {}

    /// The span of the session between its two times; nil where it names neither.
    public var window: Range<Int64>? {
        guard from != nil || to != nil else { return nil }
        let start = from ?? 0
        return start..<max(start, to ?? .max)
    }
}
