internal import Simperium
public import Wire

/// Finds the recorded answer to each request of a live client.
///
/// A request takes the first exchange that is not used yet and has the same method, host, path,
/// query, relevant header fields and body, compared by meaning: the nth of several equal requests
/// gets the nth answer, while requests that differ may come in any order. Opening inspects methods,
/// hosts and paths alone. Requests are fetched when a live one with their method, host and path is
/// received, each once, in the order of the recording, until one matches.
///
/// A 202 and what follows it are answers like others: the same request, sent again, gets the next.
public struct HTTPReplay: Sendable {
    /// What is compared.
    public struct Rules: Sendable {
        /// What takes no part.
        public var leftOut: LeftOut
        /// Header fields that are compared, in lower case; of `content-type` the media type.
        public var headers: [String]
        /// Those of them of which only the presence is compared.
        public var maskedHeaders: Set<String>

        /// Rules with these values.
        public init(
            leftOut: LeftOut = .usual,
            headers: [String] = [
                "content-type", "x-commcarehq-lastsynctoken", "x-openrosa-version",
            ],
            maskedHeaders: Set<String> = ["x-commcarehq-lastsynctoken"]
        ) {
            self.leftOut = leftOut
            self.headers = headers.map { $0.lowercased() }
            self.maskedHeaders = maskedHeaders
        }
    }

    /// Fetches the recorded request (client) or response (server) of an exchange.
    public typealias Fetch = @Sendable (ExchangeID, Peer) -> ReplayMessage?

    /// The outcome of a request.
    public enum Answer: Hashable, Sendable {
        /// It is answered as this exchange was.
        case recorded(RecordedExchange)
        /// It has no answer.
        case missed(HTTPMiss)
    }

    /// A method, host and path as they are compared.
    struct Target: Hashable {
        var method: String
        var host: String
        var path: String
    }

    /// What was found out about the exchanges of a group.
    private struct Group {
        /// Number of members whose key was computed.
        var known = 0
        /// Unused members whose key was computed, by digest.
        var waiting: [Int: [Int32]] = [:]
    }

    /// What is compared.
    public let rules: Rules
    let exchanges: RecordedExchanges
    private let fetch: Fetch
    /// The only host, as targets have it; nil where there are several.
    private let onlyHost: String?
    /// Places in ``exchanges``, group after group, each in order.
    private let members: [Int32]
    /// Where the members of each group begin, and where the last ones end.
    ///
    /// The group of a target has its number.
    private let starts: [Int32]
    /// Groups of targets that match several targets: those of SockJS, without the parts that a
    /// client generates.
    private let wildcards: [Target: UInt32]
    /// Those that were requested, without the current one.
    private var groups: [UInt32: Group] = [:]
    /// The group that was requested last, which often is the next one's.
    private var current: (number: UInt32, group: Group)?
    var isUsed: [Bool]
    /// The last live request: polling clients repeat it.
    private var lastSought: Sought?
    /// What the target of the last answer is called.
    private var lastNamed: (target: UInt32, parts: RecordedExchanges.TargetParts)?
    /// The key of the recorded request that was read last.
    private var read = KeyMemory()

    /// Identifiers of the cases that live devices make.
    public private(set) var cases = CaseBindings()

    /// Exchanges that were not requested, and are no longer waited for.
    private var relinquishedPlaces: Set<Int32> = []

    /// Requests that got their answer.
    public private(set) var matched = 0
    /// The first misses, at most ``maxMisses``.
    public private(set) var misses: [HTTPMiss] = []
    /// Requests that got none.
    public private(set) var missed = 0

    /// Misses that are kept.
    public static let maxMisses = 1_000

    /// The replay of `exchanges`.
    ///
    /// - Parameters:
    ///   - exchanges: In the order of the recording.
    ///   - rules: What is compared.
    ///   - fetch: Gives the recorded messages; nil is an empty one. Called during ``answer(_:)``.
    public init(_ exchanges: RecordedExchanges, rules: Rules = Rules(), fetch: @escaping Fetch) {
        self.exchanges = exchanges
        self.rules = rules
        self.fetch = fetch
        isUsed = Array(repeating: false, count: exchanges.count)
        onlyHost = exchanges.hosts.count == 1 ? exchanges.hosts.first : nil
        let (wildcards, aliases) = Self.wildcards(exchanges, isOneHost: onlyHost != nil)
        self.wildcards = wildcards
        var starts = [Int32](repeating: 0, count: exchanges.targets.count + 2)
        func group(_ place: Int) -> Int {
            let target = exchanges.target(at: place)
            return Int(aliases.isEmpty ? target : aliases[target] ?? target)
        }
        for place in exchanges.indices { starts[group(place) + 2] += 1 }
        for group in starts.indices.dropFirst() { starts[group] += starts[group - 1] }
        var members = [Int32](repeating: 0, count: exchanges.count)
        for place in exchanges.indices {
            let group = group(place) + 1
            members[Int(starts[group])] = Int32(truncatingIfNeeded: place)
            starts[group] += 1
        }
        self.members = members
        self.starts = starts
    }

    /// The replay of `exchanges`, in the order of the recording.
    public init(_ exchanges: [RecordedExchange], rules: Rules = Rules(), fetch: @escaping Fetch) {
        self.init(RecordedExchanges(exchanges), rules: rules, fetch: fetch)
    }

    /// The targets of which a client of SockJS generates parts: the first of each kind, and the
    /// first for each other.
    private static func wildcards(
        _ exchanges: RecordedExchanges, isOneHost: Bool
    ) -> (first: [Target: UInt32], aliases: [UInt32: UInt32]) {
        var first: [Target: UInt32] = [:]
        var aliases: [UInt32: UInt32] = [:]
        for number in 0..<UInt32(truncatingIfNeeded: exchanges.targets.count)
        where exchanges.mayBeSocket(number) {
            let (method, host, path) = exchanges.parts(of: number)
            let meant = meant(path)
            guard meant != path else { continue }
            let target = Target(method: method, host: isOneHost ? "" : host, path: meant)
            aliases[number] = first[target] ?? number
            if first[target] == nil { first[target] = number }
        }
        return (first, aliases)
    }

    /// Exchanges that were recorded.
    public var recorded: Int { exchanges.count }

    /// Exchanges that were not requested, without those that a model replaced.
    public var unused: Int { exchanges.count - matched - relinquished }

    /// Exchanges that a model made needless.
    public var relinquished: Int { relinquishedPlaces.count }

    /// Stops waiting for these exchanges, as far as they were not requested: a model answers in
    /// their place.
    public mutating func relinquish(_ ids: Set<ExchangeID>) {
        guard !ids.isEmpty else { return }
        for place in exchanges.indices where !isUsed[place] && ids.contains(exchanges.id(at: place))
        {
            relinquishedPlaces.insert(Int32(truncatingIfNeeded: place))
        }
    }

    /// The first exchanges that were not requested, in order.
    public func unused(limit: Int) -> [RecordedExchange] {
        var found: [RecordedExchange] = []
        for (place, exchange) in exchanges.enumerated()
        where !isUsed[place] && !relinquishedPlaces.contains(Int32(truncatingIfNeeded: place)) {
            guard found.count < limit else { break }
            found.append(exchange)
        }
        return found
    }

    /// Finds the answer to a request and counts it as used.
    ///
    /// - Complexity: Each recorded request is read once over the whole replay, and once more where
    ///   it fits or explains a miss.
    public mutating func answer(_ request: ReplayRequest) -> Answer {
        guard !cases.isEmpty else {
            let sought = sought(request)
            return answer(request, sought) ?? missed(sought)
        }
        var first: Sought?
        for variant in cases.variants(of: request) {
            let sought = sought(variant)
            if let answer = answer(request, sought) { return answer }
            if first == nil { first = sought }
        }
        // There is always one variant.
        return missed(first ?? sought(request))
    }

    /// The answer to what was looked for; nil where there is none.
    private mutating func answer(_ request: ReplayRequest, _ sought: Sought) -> Answer? {
        guard let group = sought.group, let place = take(group, sought.key) else { return nil }
        learn(request, sought.key, place)
        isUsed[place] = true
        if !relinquishedPlaces.isEmpty {
            relinquishedPlaces.remove(Int32(truncatingIfNeeded: place))
        }
        matched += 1
        return .recorded(exchange(at: place))
    }

    private mutating func missed(_ sought: Sought) -> Answer {
        missed += 1
        let miss = explain(sought.request, sought.target, sought.group, sought.key)
        if misses.count < Self.maxMisses { misses.append(miss) }
        return .missed(miss)
    }

    /// A request as the recording may have it.
    ///
    /// A class, since it is looked at for each request that is the same.
    private final class Sought: Sendable {
        let request: ReplayRequest
        let target: Target
        let group: UInt32?
        let key: RequestKey

        init(_ request: ReplayRequest, _ target: Target, _ group: UInt32?, _ key: RequestKey) {
            self.request = request
            self.target = target
            self.group = group
            self.key = key
        }
    }

    /// What is looked for to answer a request, made again only where it differs from the last one.
    private mutating func sought(_ request: ReplayRequest) -> Sought {
        if let lastSought, lastSought.request == request { return lastSought }
        let target = target(request.method, request.host, request.path)
        let sought = Sought(
            request, target, group(of: target, host: request.host),
            RequestKey(query: request.query, message: request.message, rules: rules))
        lastSought = request.message.body.count <= KeyMemory.most ? sought : nil
        return sought
    }

    /// Binds the cases that a form makes to those of its counterpart.
    private mutating func learn(_ request: ReplayRequest, _ key: RequestKey, _ place: Int) {
        guard !key.made.isEmpty || !cases.isEmpty && !key.closed.isEmpty else { return }
        // What was translated has the recorded identifiers already.
        let live =
            cases.isEmpty
            ? key
            : RequestKey(query: nil, message: request.message, rules: rules)
        cases.learn(
            recorded: key.made.isEmpty ? [] : self.key(of: place).made, live: live.made,
            closed: live.closed)
    }

    /// A body of a recorded answer with the identifiers of live devices for the cases that they
    /// made.
    ///
    /// - Parameter body: After transfer and content coding.
    /// - Returns: Nil where it stays what it is.
    public func rewritten(_ body: [UInt8]) -> [UInt8]? { cases.rewritten(body) }

    func members(of group: UInt32) -> ArraySlice<Int32> {
        members[Int(starts[Int(group)])..<Int(starts[Int(group) + 1])]
    }

    /// The group of the exchanges of a target; nil where there are none.
    private func group(of target: Target, host: String) -> UInt32? {
        if let group = wildcards[target] { return group }
        let hosts = onlyHost.map { [$0] } ?? exchanges.hosts(shownAs: host)
        for host in hosts {
            if let number = exchanges.target(target.method, host, target.path) { return number }
        }
        return nil
    }

    /// The exchange at `place`, whose target often is that of the last one.
    private mutating func exchange(at place: Int) -> RecordedExchange {
        let target = exchanges.target(at: place)
        if let lastNamed, lastNamed.target == target {
            return exchanges.exchange(at: place, lastNamed.parts)
        }
        let parts = exchanges.parts(of: target)
        lastNamed = (target, parts)
        return exchanges.exchange(at: place, parts)
    }

    private mutating func take(_ number: UInt32, _ key: RequestKey) -> Int? {
        // Taken out while it changes, so that nothing is copied.
        var group = takeGroup(number)
        defer { current = (number, group) }
        for (index, place) in (group.waiting[key.digest] ?? []).enumerated()
        where self.key(of: Int(place)).isSame(as: key) {
            group.waiting[key.digest]?.remove(at: index)
            if group.waiting[key.digest]?.isEmpty == true { group.waiting[key.digest] = nil }
            return Int(place)
        }
        let members = members(of: number)
        while group.known < members.count {
            let place = members[members.startIndex + group.known]
            group.known += 1
            let other = newKey(of: Int(place))
            if other.digest == key.digest, other.isSame(as: key) { return Int(place) }
            group.waiting[other.digest, default: []].append(place)
        }
        return nil
    }

    /// A group, which is not kept meanwhile.
    private mutating func takeGroup(_ number: UInt32) -> Group {
        if let (known, group) = current {
            current = nil
            if known == number { return group }
            groups[known] = group
        }
        return groups.removeValue(forKey: number) ?? Group()
    }

    /// The key of a recorded request, which often is the same as the last one's.
    private mutating func newKey(of place: Int) -> RequestKey {
        let message = fetch(exchanges.id(at: place), .client) ?? ReplayMessage()
        return read.key(exchanges.query(at: place), message, rules)
    }

    func key(of place: Int) -> RequestKey {
        let exchange = exchanges[place]
        return RequestKey(
            query: exchange.query, message: fetch(exchange.id, .client) ?? ReplayMessage(),
            rules: rules)
    }

    func target(_ method: String, _ host: String, _ path: String) -> Target {
        Target(method: method, host: onlyHost == nil ? host : "", path: Self.meant(path))
    }

    /// The path, without the server and session identifiers that a client of SockJS generates.
    static func meant(_ path: String) -> String {
        guard path.hasPrefix("/sock/"),
            SimperiumEndpoint.recognise(path: path)?.transport == .sockJS
        else { return path }
        var segments = path.split(separator: "/", omittingEmptySubsequences: false)
        if segments.count == 7 { segments.replaceSubrange(4...5, with: ["*", "*"]) }
        return segments.joined(separator: "/")
    }
}
