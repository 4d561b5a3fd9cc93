import Wire

/// A group of findings with one cause.
struct FindingGroup: Sendable {
    /// The scope that findings have to share.
    enum Sharing: Sendable {
        /// The client and the topic.
        case topic
        /// The client.
        case client
    }

    /// The rule that the group breaks.
    let rule: Rule
    /// Identifiers of the rules whose findings are its parts.
    let parts: Set<String>
    /// The number of parts that make the group.
    let least: Int
    /// The nanoseconds within which they occur; nil for any time.
    let withinNanoseconds: Int64?
    /// The scope that the parts share.
    let sharing: Sharing
    /// Describes it; receives the parts in order of time.
    let detail: @Sendable (_ parts: [Finding]) -> String

    /// The finding that joins the parts.
    func finding(of parts: [Finding]) -> Finding? {
        guard let first = parts.first else { return nil }
        let steps = Report.merged(parts.flatMap(\.steps))
        var finding = Finding(
            rule, connection: first.connection, client: first.client,
            topic: sharing == .topic ? first.topic : "", detail: detail(parts), steps: steps)
        finding.steps = Report.kept(steps)
        finding.times = 1
        return finding
    }
}
