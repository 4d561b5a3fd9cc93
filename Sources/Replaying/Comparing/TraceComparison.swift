/// Compares two recordings by meaning: what is in both, what in one alone, and where they differ.
///
/// Exchanges are aligned by method, host, path, query, request and answer; commands of Simperium
/// for each channel and sender. First what is equal, in order; then equal in another order; then
/// what is alike between that. Volatile values are ignored, and generated identifiers are mapped to
/// each other one to one. Memory: four numbers for each exchange or command.
public struct TraceComparison: Sendable {
    /// How to compare.
    public struct Options: Sendable {
        /// What else takes no part.
        public var rules: [IgnoreRule]
        /// Whether volatile values and generated identifiers are compared too.
        public var isExact: Bool
        /// The maximum number of differences of one item that are listed.
        public var limit: Int

        /// Options with these values.
        public init(rules: [IgnoreRule] = [], isExact: Bool = false, limit: Int = 20) {
            self.rules = rules
            self.isExact = isExact
            self.limit = limit
        }
    }

    /// Gets what is found, in order.
    public typealias Emit = (ComparisonEvent) -> Void

    let a: ComparedSession
    let b: ComparedSession
    let options: Options
    let leftOut: LeftOut
    let commandLeftOut: LeftOut
    var names = GeneratedNames()
    /// Names of the hosts of the first recording in the second.
    let hosts: [String: String]
    /// Places of exchanges that belong together.
    public internal(set) var exchangePairs: [(a: Int32, b: Int32)] = []

    /// The comparison of `a` with `b`.
    public init(_ a: ComparedSession, _ b: ComparedSession, _ options: Options = Options()) {
        self.a = a
        self.b = b
        self.options = options
        leftOut = LeftOut(rules: options.rules, keepsVolatile: options.isExact)
        commandLeftOut =
            options.isExact ? leftOut : SimperiumComparison.leftOut(options.rules)
        hosts = Self.hosts(a.exchanges.hostNames, b.exchanges.hostNames)
    }

    /// Compares exchanges, then commands.
    public mutating func run(_ emit: Emit) {
        compareExchanges(emit)
        compareCommands(emit)
    }

    /// Identifiers of the first recording that the second has others for.
    public var boundNames: Int { names.names.count }

    /// What the second recording calls an identifier of the first.
    public func other(_ name: String) -> String { names.other(name) }

    /// Which hosts are taken for each other: the same ones; else one for one, in their order.
    private static func hosts(_ a: [String], _ b: [String]) -> [String: String] {
        guard Set(a) != Set(b), a.count == b.count else { return [:] }
        let common = Set(a).intersection(b)
        return Dictionary(
            uniqueKeysWithValues: zip(
                a.filter { !common.contains($0) }, b.filter { !common.contains($0) }))
    }

    /// Gives an item for each step of an alignment, made by `item`.
    mutating func emit(
        _ alignment: Alignment, _ emit: Emit,
        item: (inout TraceComparison, Alignment.Step) -> ComparedItem
    ) {
        for step in alignment.steps { emit(.item(item(&self, step))) }
    }

    /// The differences that are none once identifiers are taken for each other.
    mutating func settle(
        _ found: Differences, _ part: ComparedItem.Part, into item: inout ComparedItem
    ) {
        for difference in found.items {
            if !options.isExact, let one = difference.recorded.map(Self.plain),
                let other = difference.live.map(Self.plain), names.bind(one, other)
            {
                continue
            }
            guard item.differences.count < options.limit else {
                item.isCut = true
                return
            }
            item.differences.append(.init(part: part, difference: difference))
        }
        if found.isCut { item.isCut = true }
    }

    /// A value without its quotes.
    private static func plain(_ value: String) -> String {
        value.count > 2 && value.hasPrefix("\"") && value.hasSuffix("\"")
            ? String(value.dropFirst().dropLast()) : value
    }

    /// The text, masked unless the comparison is exact.
    func masked(_ text: String) -> String {
        options.isExact ? text : GeneratedText.masked(text)
    }
}
