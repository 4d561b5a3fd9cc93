internal import Simperium
public import Wire

/// Finds the recorded answer to each request of a live client.
///
/// A request takes the first exchange that is not used yet and has the same method, host, path,
/// query, header fields of interest and body, by meaning: the nth of several equal requests gets the
/// nth answer, while requests that differ may come in any order. Opening looks at methods, hosts and
/// paths alone. Requests are fetched when a live one with their method, host and path comes, each
/// once, in the order of the recording, until one fits.
///
/// A 202 and what follows it are answers like others: the same request, asked again, gets the next.
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

    /// What became of a request.
    public enum Answer: Hashable, Sendable {
        /// It is answered as this exchange was.
        case recorded(RecordedExchange)
        /// It has no answer.
        case missed(HTTPMiss)
    }

    private struct Target: Hashable {
        var method: String
        var host: String
        var path: String
    }

    /// Exchanges with one method, host and path.
    private struct Group {
        /// Places in ``exchanges``, in order.
        var members: [Int32] = []
        /// Number of members of which the key is known.
        var known = 0
        /// Members that are known and not used, by digest.
        var waiting: [Int: [Int32]] = [:]
    }

    /// What is compared.
    public let rules: Rules
    private let exchanges: [RecordedExchange]
    private let fetch: Fetch
    private let ignoresHost: Bool
    private var groups: [Target: Group] = [:]
    private var isUsed: [Bool]

    /// Requests that got their answer.
    public private(set) var matched = 0
    /// The first misses, at most ``mostMisses``.
    public private(set) var misses: [HTTPMiss] = []
    /// Requests that got none.
    public private(set) var missed = 0

    /// Misses that are kept.
    public static let mostMisses = 1_000
    /// Recorded exchanges that are compared in full to explain a miss.
    private static let mostCompared = 24
    /// Recorded exchanges among which equal ones are counted to explain a miss.
    private static let mostCounted = 1_000

    /// The replay of `exchanges`.
    ///
    /// - Parameters:
    ///   - exchanges: In the order of the recording.
    ///   - rules: What is compared.
    ///   - fetch: Gives the recorded messages; nil is an empty one. Called during ``answer(_:)``.
    public init(_ exchanges: [RecordedExchange], rules: Rules = Rules(), fetch: @escaping Fetch) {
        self.exchanges = exchanges
        self.rules = rules
        self.fetch = fetch
        isUsed = Array(repeating: false, count: exchanges.count)
        let first = exchanges.first?.host
        ignoresHost = exchanges.allSatisfy { $0.host == first }
        for (place, exchange) in exchanges.enumerated() {
            let target = target(exchange.method, exchange.host, exchange.path)
            groups[target, default: Group()].members.append(Int32(truncatingIfNeeded: place))
        }
    }

    /// Exchanges that were recorded.
    public var recorded: Int { exchanges.count }

    /// Exchanges that were not asked for.
    public var unused: Int { exchanges.count - matched }

    /// The first exchanges that were not asked for, in order.
    public func unused(limit: Int) -> [RecordedExchange] {
        var found: [RecordedExchange] = []
        for (place, exchange) in exchanges.enumerated() where !isUsed[place] {
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
        let target = target(request.method, request.host, request.path)
        let key = RequestKey(query: request.query, message: request.message, rules: rules)
        guard let place = take(target, key) else {
            let miss = explain(request, target, key)
            missed += 1
            if misses.count < Self.mostMisses { misses.append(miss) }
            return .missed(miss)
        }
        isUsed[place] = true
        matched += 1
        return .recorded(exchanges[place])
    }

    private mutating func take(_ target: Target, _ key: RequestKey) -> Int? {
        guard var group = groups[target] else { return nil }
        // Taken out while it changes, so that nothing is copied.
        groups[target] = nil
        defer { groups[target] = group }
        for (index, place) in (group.waiting[key.digest] ?? []).enumerated()
        where self.key(of: Int(place)).isSame(as: key) {
            group.waiting[key.digest]?.remove(at: index)
            if group.waiting[key.digest]?.isEmpty == true { group.waiting[key.digest] = nil }
            return Int(place)
        }
        while group.known < group.members.count {
            let place = group.members[group.known]
            group.known += 1
            let other = self.key(of: Int(place))
            if other.digest == key.digest, other.isSame(as: key) { return Int(place) }
            group.waiting[other.digest, default: []].append(place)
        }
        return nil
    }

    private func key(of place: Int) -> RequestKey {
        let exchange = exchanges[place]
        return RequestKey(
            query: exchange.query, message: fetch(exchange.id, .client) ?? ReplayMessage(),
            rules: rules)
    }

    private func target(_ method: String, _ host: String, _ path: String) -> Target {
        Target(method: method, host: ignoresHost ? "" : host, path: Self.meant(path))
    }

    /// The path, without the server and session that a client of SockJS makes up.
    private static func meant(_ path: String) -> String {
        guard path.hasPrefix("/sock/"),
            SimperiumEndpoint.recognise(path: path)?.transport == .sockJS
        else { return path }
        var segments = path.split(separator: "/", omittingEmptySubsequences: false)
        if segments.count == 7 { segments.replaceSubrange(4...5, with: ["*", "*"]) }
        return segments.joined(separator: "/")
    }

    // MARK: Misses

    private func explain(_ request: ReplayRequest, _ target: Target, _ key: RequestKey) -> HTTPMiss
    {
        guard let group = groups[target] else {
            return HTTPMiss(
                line: request.line, reason: .unknownTarget, candidates: similar(to: target, key))
        }
        let unused = group.members.lazy.filter { !isUsed[Int($0)] }.prefix(Self.mostCompared)
        let used = group.members.reversed().lazy.filter { isUsed[Int($0)] }.prefix(4)
        var candidates: [HTTPMiss.Candidate] = []
        var times = 0
        for place in Array(unused) + Array(used) {
            let candidate = candidate(Int(place), to: target, key)
            if candidate.differences.isEmpty { times += 1 }
            candidates.append(candidate)
        }
        if times > 0 {
            times = group.members.prefix(Self.mostCounted).count {
                isUsed[Int($0)] && self.key(of: Int($0)).isSame(as: key)
            }
            let same = candidates.filter { $0.differences.isEmpty }.prefix(1)
            return HTTPMiss(
                line: request.line, reason: .usedUp(times: times), candidates: Array(same))
        }
        return HTTPMiss(
            line: request.line, reason: .different, candidates: Self.closest(candidates))
    }

    private func candidate(
        _ place: Int, to target: Target, _ key: RequestKey
    ) -> HTTPMiss.Candidate {
        var found = Differences(limit: 8)
        let exchange = exchanges[place]
        let own = self.target(exchange.method, exchange.host, exchange.path)
        for (what, recorded, live) in [
            ("method", own.method, target.method), ("host", own.host, target.host),
            ("path", own.path, target.path),
        ] where recorded != live {
            let (recorded, live) = OneLine.pair(recorded, live)
            found.add(Difference(.target, what, recorded: recorded, live: live))
        }
        self.key(of: place).compare(to: key, into: &found)
        return HTTPMiss.Candidate(
            exchange: exchange.id, line: exchange.line, isUsed: isUsed[place], differences: found)
    }

    private static func closest(_ candidates: [HTTPMiss.Candidate]) -> [HTTPMiss.Candidate] {
        Array(
            candidates.enumerated().sorted {
                ($0.element.differences.items.count, $0.element.isUsed ? 1 : 0, $0.offset)
                    < ($1.element.differences.items.count, $1.element.isUsed ? 1 : 0, $1.offset)
            }.prefix(3).map(\.element))
    }

    /// Exchanges of other targets with the most steps of the path in common.
    private func similar(to target: Target, _ key: RequestKey) -> [HTTPMiss.Candidate] {
        let steps = target.path.split(separator: "/")
        var best: [(score: Int, place: Int)] = []
        for (other, group) in groups.prefix(10_000) {
            let others = other.path.split(separator: "/")
            let common =
                zip(steps, others).prefix { $0 == $1 }.count
                + zip(steps.reversed(), others.reversed()).prefix { $0 == $1 }.count
            let place = group.members.first { !isUsed[Int($0)] } ?? group.members.first
            guard common > 0, let place else { continue }
            let score =
                4 * common - 2 * abs(steps.count - others.count)
                + (other.method == target.method ? 1 : 0) + (other.host == target.host ? 1 : 0)
            best.append((score, Int(place)))
            if best.count > 64 {
                best.sort { ($0.score, $1.place) > ($1.score, $0.place) }
                best.removeLast(best.count - 3)
            }
        }
        best.sort { ($0.score, $1.place) > ($1.score, $0.place) }
        return best.prefix(3).map { candidate($0.place, to: target, key) }
    }
}
