import Wire

/// Findings that are one story when several come together.
struct FindingGroup: Sendable {
    /// What findings have to share.
    enum Sharing: Sendable {
        /// The client and the topic.
        case topic
        /// The client.
        case client
    }

    /// The rule that the story breaks.
    let rule: Rule
    /// Identifiers of the rules whose findings are its parts.
    let parts: Set<String>
    /// How many make the story.
    let least: Int
    /// Within how many nanoseconds; nil for any time.
    let withinNanoseconds: Int64?
    /// What the parts share.
    let sharing: Sharing
    /// Tells it; gets the parts in order of time.
    let detail: @Sendable (_ parts: [Finding]) -> String

    /// The story that the parts tell.
    func finding(of parts: [Finding]) -> Finding? {
        guard let first = parts.first else { return nil }
        let steps = parts.flatMap(\.steps)
        var finding = Finding(
            rule, connection: first.connection, client: first.client,
            topic: sharing == .topic ? first.topic : "", detail: detail(parts), steps: steps)
        finding.steps = Report.kept(steps)
        finding.times = 1
        return finding
    }
}
