/// A question about exchanges, commands or messages, written in the filter language.
///
/// The one language for listing, searching and rules; `Filters.md` has its grammar. A filter
/// becomes a condition on the rows of a trace with ``sql(for:)`` and evaluates live events with
/// ``matches(_:)``: the same result either way.
public struct Filter: Sendable {
    /// A field that the text of a filter names.
    public struct Mention: Hashable, Sendable {
        /// The field.
        public let field: Field
        /// Name of the header in lower case, where the field is a family; else nil.
        public let name: String?
        /// Where the text names it, in Unicode scalars.
        public let range: Range<Int>
    }

    /// The expression.
    public let root: FilterNode
    /// The fields it names, in the order of the text, with repetitions; bare words name `text`.
    public let mentions: [Mention]

    /// The filter with the expression `root`; `mentions` are the places of fields in its text.
    public init(_ root: FilterNode, mentions: [Mention] = []) {
        self.root = root
        self.mentions = mentions
    }

    /// Reads a filter.
    ///
    /// - Parameter text: At most ``FilterError/maximumLength`` Unicode scalars; an empty one gives
    ///   a filter that matches everything.
    /// - Returns: The filter.
    /// - Throws: ``FilterError``, with the place of the mistake.
    public static func parse(_ text: String) throws(FilterError) -> Filter {
        var parser = try FilterParser(text)
        let root = try parser.filter()
        return Filter(root, mentions: parser.mentions)
    }

    /// The fields in it.
    public var fields: Set<Field> {
        var found: Set<Field> = []
        Self.collect(root, into: &found)
        return found
    }

    /// Checks that all fields are known in live traffic at `phase`.
    ///
    /// - Throws: ``FilterError`` at the first field that is not.
    public func validate(for phase: FilterPhase) throws(FilterError) {
        for mention in mentions where !mention.field.isKnown(at: phase) {
            throw FilterError(.notKnown(field: mention.field, phase: phase), mention.range)
        }
        for field in fields where !field.isKnown(at: phase) {
            throw FilterError(.notKnown(field: field, phase: phase), 0..<0)
        }
        if Self.hasWallClock(root) {
            let place = mentions.first { $0.field == .at }?.range ?? 0..<0
            throw FilterError(.wallClockInLiveTraffic, place)
        }
    }

    private static func hasWallClock(_ node: FilterNode) -> Bool {
        switch node {
        case .always: return false
        case .and(let nodes), .or(let nodes): return nodes.contains(where: hasWallClock)
        case .not(let node): return hasWallClock(node)
        case .comparison(let comparison):
            if case .clock = comparison.test { return true }
            return false
        }
    }

    private static func collect(_ node: FilterNode, into found: inout Set<Field>) {
        switch node {
        case .always: break
        case .and(let nodes), .or(let nodes): for node in nodes { collect(node, into: &found) }
        case .not(let node): collect(node, into: &found)
        case .comparison(let comparison): found.insert(comparison.field)
        }
    }
}

extension Filter: Hashable {
    /// Whether both ask the same in the same order, wherever their texts name it.
    public static func == (a: Filter, b: Filter) -> Bool { a.root == b.root }

    /// Hashes the expression.
    public func hash(into hasher: inout Hasher) { hasher.combine(root) }
}
