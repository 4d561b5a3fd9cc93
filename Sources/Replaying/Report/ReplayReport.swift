/// The result of a replay: what a continuous-integration job requires of a client.
public struct ReplayReport: Hashable, Sendable {
    /// A request or command without counterpart, or an answer that differs.
    public struct Item: Hashable, Sendable {
        /// What it is, on one line.
        public var line: String
        /// Why it is here, over some lines; empty where there is nothing to add.
        public var detail: String

        /// An item with these values.
        public init(line: String, detail: String = "") {
            self.line = line
            self.detail = detail
        }
    }

    /// The counts and items of one protocol or one comparison.
    public struct Section: Hashable, Sendable {
        /// Its name: `HTTP`, `Simperium`, `WebSocket`.
        public var name: String
        /// How many of the recording there are in all.
        public var recorded: Int
        /// Those that had their counterpart.
        public var matched: Int
        /// Live ones that had none.
        public var missed: Int
        /// The first of them.
        public var misses: [Item]
        /// Recorded ones that were never requested.
        public var unused: Int
        /// The first of them.
        public var unusedItems: [Item]
        /// Recorded ones that can no longer be requested, since a model took over; neither matched
        /// nor unused.
        public var notNeeded: Int
        /// What a live server did otherwise than recorded and the replayed client bridged: it waited,
        /// asked again, restored, or passed over what came twice.
        public var bridged = 0
        /// The first of them.
        public var bridgedItems: [Item] = []

        /// A section with these values.
        public init(
            name: String, recorded: Int, matched: Int, missed: Int, misses: [Item], unused: Int,
            unusedItems: [Item], notNeeded: Int = 0
        ) {
            self.name = name
            self.recorded = recorded
            self.matched = matched
            self.missed = missed
            self.misses = misses
            self.unused = unused
            self.unusedItems = unusedItems
            self.notNeeded = notNeeded
        }
    }

    /// How the counts are called.
    public enum Words: Hashable, Sendable {
        /// A replayed server: requests matched and missed, answers never requested.
        case server
        /// A replayed client: answers the same and different, requests not played.
        case client
    }

    /// The sections.
    public var sections: [Section]
    /// How the counts are called.
    public var words = Words.server
    /// Whether no live peer had anything to do with it: nothing was asked, or answered.
    public var isIdle = false

    /// A report of these sections.
    public init(_ sections: [Section] = []) { self.sections = sections }

    /// Whether nothing is recorded and nothing came, so that nothing was compared.
    public var isEmpty: Bool { sections.allSatisfy { $0.recorded == 0 && $0.missed == 0 } }

    /// Whether everything that came had its counterpart, and nothing was left over.
    ///
    /// - Parameters:
    ///   - allowsUnused: Whether something may be left over.
    ///   - allowsBridged: Whether the client may have bridged differences.
    /// - Returns: False where anything was missed, and where nothing was compared at all.
    public func isSatisfied(allowsUnused: Bool = false, allowsBridged: Bool = false) -> Bool {
        !isEmpty && !isIdle && (allowsBridged || bridged == 0)
            && sections.allSatisfy { $0.missed == 0 && (allowsUnused || $0.unused == 0) }
    }

    /// How many differences the client bridged.
    public var bridged: Int { sections.reduce(0) { $0 + $1.bridged } }
}

extension HTTPReplay {
    /// The result.
    ///
    /// - Parameter limit: The maximum number of unused exchanges that are listed.
    /// - Returns: The counts, and the first of what is missed and unused.
    public func section(limit: Int = 100) -> ReplayReport.Section {
        ReplayReport.Section(
            name: "HTTP", recorded: recorded, matched: matched, missed: missed,
            misses: misses.map { .init(line: $0.line, detail: $0.description) }, unused: unused,
            unusedItems: unused(limit: limit).map { exchange in
                .init(line: "exchange \(exchange.id), \(exchange.line)")
            }, notNeeded: relinquished)
    }
}

extension SimperiumReplay {
    /// The result.
    ///
    /// - Parameter limit: The maximum number of unused commands that are listed.
    /// - Returns: The counts, and the first of what is missed and unused.
    public func section(limit: Int = 100) -> ReplayReport.Section {
        ReplayReport.Section(
            name: "Simperium", recorded: recorded, matched: matched, missed: missed,
            misses: misses.map { .init(line: $0.line, detail: $0.description) }, unused: unused,
            unusedItems: unused(limit: limit).map { command in
                let channel = command.channel.map { ", channel \($0)" } ?? ""
                return .init(
                    line: "command \(command.id), connection \(command.socket)\(channel), "
                        + line(of: command))
            }, notNeeded: relinquished)
    }
}

extension WebSocketReplay {
    /// The result.
    ///
    /// - Parameter limit: The maximum number of unused messages that are listed.
    /// - Returns: The counts, and the first of what is missed and unused.
    public func section(limit: Int = 100) -> ReplayReport.Section {
        ReplayReport.Section(
            name: "WebSocket", recorded: recorded, matched: matched, missed: missed,
            misses: misses.map { .init(line: $0.line, detail: $0.description) }, unused: unused,
            unusedItems: unused(limit: limit).map { one in
                .init(line: "message \(one.message), exchange \(one.exchange), \(one.line)")
            })
    }
}
