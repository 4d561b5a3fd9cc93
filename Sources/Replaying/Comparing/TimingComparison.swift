public import Wire

/// Durations in two recordings, side by side.
public struct TimingComparison: Hashable, Sendable {
    /// The durations of one side.
    public struct Figures: Hashable, Sendable {
        /// How many there are.
        public var count = 0
        /// The median in nanoseconds.
        public var median: Int64 = 0
        /// The 95th percentile in nanoseconds.
        public var p95: Int64 = 0

        init(_ durations: [Int64]) {
            guard !durations.isEmpty else { return }
            let sorted = durations.sorted()
            count = sorted.count
            median = sorted[(sorted.count - 1) / 2]
            p95 = sorted[min(sorted.count - 1, (sorted.count * 95 + 99) / 100 - 1)]
        }
    }

    /// What an api took on both sides.
    public struct Row: Hashable, Sendable {
        /// The api; `simperium.c` is a change until it is acknowledged.
        public var api: String
        /// The first side.
        public var a: Figures
        /// The second side.
        public var b: Figures
    }

    /// Two exchanges that belong together and took differently long.
    public struct Shift: Hashable, Sendable {
        /// The exchange of the first side.
        public var a: ExchangeID
        /// The exchange of the second side.
        public var b: ExchangeID
        /// Method, path and query.
        public var line: String
        /// Nanoseconds on the first side.
        public var before: Int64
        /// Nanoseconds on the second side.
        public var after: Int64
    }

    /// The apis, by name.
    public let rows: [Row]
    /// The longest shifts, the longest first.
    public let shifts: [Shift]

    /// Compares times from the first byte of a request to the last of its answer, and from a change of
    /// Simperium to its acknowledgement.
    ///
    /// - Parameters:
    ///   - a: The first recording.
    ///   - b: The second one.
    ///   - pairs: Places of exchanges that belong together.
    ///   - most: The maximum number of shifts that are listed.
    public init(
        _ a: ComparedSession, _ b: ComparedSession, pairs: [(a: Int32, b: Int32)], most: Int = 5
    ) {
        let left = Self.durations(a)
        let right = Self.durations(b)
        rows = Set(left.keys).union(right.keys).sorted().map {
            Row(api: $0, a: Figures(left[$0] ?? []), b: Figures(right[$0] ?? []))
        }
        var longest: [(by: Int64, pair: (a: Int32, b: Int32))] = []
        for pair in pairs {
            guard let before = Self.duration(a.exchanges[Int(pair.a)]),
                let after = Self.duration(b.exchanges[Int(pair.b)])
            else { continue }
            let by = abs(after - before)
            if longest.count == most, let last = longest.last, by <= last.by { continue }
            let place = longest.firstIndex { $0.by < by } ?? longest.count
            longest.insert((by, pair), at: place)
            if longest.count > most { longest.removeLast() }
        }
        shifts = longest.compactMap { entry in
            let one = a.exchanges[Int(entry.pair.a)]
            let other = b.exchanges[Int(entry.pair.b)]
            guard let before = Self.duration(one), let after = Self.duration(other) else {
                return nil
            }
            return Shift(a: one.id, b: other.id, line: one.line, before: before, after: after)
        }
    }

    /// Nanoseconds that an exchange took; nil where it did not end, or became a WebSocket.
    private static func duration(_ exchange: RecordedExchange) -> Int64? {
        guard exchange.status != nil, exchange.status != 101 else { return nil }
        return exchange.endedAt.map { max(0, $0.nanoseconds - exchange.startedAt.nanoseconds) }
    }

    private static func durations(_ session: ComparedSession) -> [String: [Int64]] {
        var durations: [String: [Int64]] = [:]
        for exchange in session.exchanges {
            guard let duration = duration(exchange) else { continue }
            durations[exchange.api.isEmpty ? "http" : exchange.api, default: []].append(duration)
        }
        struct Wait: Hashable {
            var socket: ConnectionID
            var ccid: UInt32
        }
        var waits: [Wait: Instant] = [:]
        for (place, command) in session.commands.enumerated() where command.name == "c" {
            for ccid in session.commands.ccidNumbers(at: place) {
                let wait = Wait(socket: command.socket, ccid: ccid)
                if command.sender == .client {
                    if waits[wait] == nil { waits[wait] = command.at }
                } else if let since = waits.removeValue(forKey: wait) {
                    durations["simperium.c", default: []].append(
                        max(0, command.at.nanoseconds - since.nanoseconds))
                }
            }
        }
        return durations
    }
}
