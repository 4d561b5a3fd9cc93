public import Replaying
internal import Synchronization
internal import Wire

/// Counts what concurrently playing clients have done, for the report and for the progress display.
public final class ReplayTally: Sendable {
    /// The counts at one time.
    public struct Figures: Sendable {
        /// Clients that were begun.
        public var clients = 0
        /// Clients that are through.
        public var finished = 0
        /// Exchanges that are to be played, by all clients.
        public var exchanges = 0
        /// Exchanges that were played.
        public var played = 0
        /// Requests that were sent, also repetitions that a server required.
        public var requests = 0
        /// Sockets that are to be played, by all clients.
        public var sockets = 0
        /// Sockets that were played.
        public var closed = 0
        /// Simperium commands of clients that are to be played, by all of them.
        public var commands = 0
        /// Simperium commands that clients sent.
        public var sent = 0
        /// Simperium commands that came.
        public var came = 0
        /// Messages of clients over other WebSockets that are to be played, by all of them.
        public var messages = 0
        /// Messages that clients sent over those.
        public var messagesSent = 0
        /// Messages that came over those.
        public var messagesCame = 0
        /// Answers, commands and messages that differ.
        public var differing = 0
        /// Nanoseconds from a request to its answer, by what it is for.
        public var latencies: [String: LatencyCounts] = [:]

        /// None.
        public init() {}

        /// Whether any server has answered.
        var hasHeard: Bool { played + came + messagesCame > 0 }

        /// Everything that is to be done, and what is done of it.
        public var share: (done: Int, of: Int) {
            (played + sent + messagesSent, exchanges + commands + messages)
        }
    }

    private struct State {
        var figures = Figures()
        var http = ReplayReport.Section(name: "HTTP")
        var simperium = ReplayReport.Section(name: "Simperium")
        var webSocket = ReplayReport.Section(name: "WebSocket")

        var sections: [ReplayReport.Section] { [http, simperium, webSocket] }

        /// Changes the section to which the result of a step belongs.
        mutating func change(
            _ step: ReplaySchedule.Step, _ body: (inout ReplayReport.Section) -> Void
        ) {
            switch step {
            case .exchange: body(&http)
            case .socket, .command: body(&simperium)
            case .conversation, .message: body(&webSocket)
            }
        }
    }

    private let state = Mutex(State())

    /// Things that differ, and things that were not played, that are kept of each protocol.
    public static let maxItems = 1_000

    /// Nothing done yet.
    public init() {}

    /// The counts now.
    public var figures: Figures { state.withLock { $0.figures } }

    /// The report: what was compared, what differs, and what was not played.
    public var report: ReplayReport {
        state.withLock { state in
            var report = ReplayReport(
                state.sections.filter { $0.recorded > 0 || $0.missed > 0 })
            report.words = .client
            report.isIdle = !state.figures.hasHeard
            return report
        }
    }

    /// Whether any server has answered anything.
    var hasHeard: Bool { state.withLock { $0.figures.hasHeard } }

    func begin(_ session: ReplaySession) {
        state.withLock { state in
            state.figures.clients += 1
            state.figures.exchanges += session.exchanges
            state.figures.sockets += session.parts.count - session.exchanges
            state.figures.commands += session.commands
            state.figures.messages += session.messages
        }
    }

    func finish() { state.withLock { $0.figures.finished += 1 } }

    func sent(_ step: ReplaySchedule.Step) {
        state.withLock { state in
            if case .message = step {
                state.figures.messagesSent += 1
            } else {
                state.figures.sent += 1
            }
        }
    }

    func came(_ step: ReplaySchedule.Step, _ durations: [(name: String, nanoseconds: Int64)]) {
        state.withLock { state in
            switch step {
            case .command: state.figures.came += 1
            case .message: state.figures.messagesCame += 1
            case .exchange, .socket, .conversation: break
            }
            for duration in durations {
                state.figures.latencies[duration.name, default: LatencyCounts()].add(
                    duration.nanoseconds)
            }
        }
    }

    /// Adds the result of a step.
    ///
    /// - Parameters:
    ///   - played: The result.
    ///   - step: An exchange or a socket.
    ///   - prefix: The name of the client, where there are several; empty otherwise.
    func add(_ played: PlayedStep, of step: ReplaySchedule.Step, prefix: String) {
        state.withLock { state in
            func named(_ items: [ReplayReport.Item]) -> [ReplayReport.Item] {
                guard !prefix.isEmpty else { return items }
                return items.map { item in
                    .init(
                        line: prefix + item.line,
                        detail: item.detail.isEmpty ? "" : prefix + item.detail)
                }
            }
            var played = played
            played.items = named(played.items)
            played.bridgedItems = named(played.bridgedItems)
            state.figures.differing += played.differing
            state.figures.requests += played.requests
            if case .exchange = step {
                if case .played = played.outcome { state.figures.played += 1 }
                if let latency = played.latency {
                    state.figures.latencies[played.api, default: LatencyCounts()].add(latency)
                }
            } else {
                state.figures.closed += 1
            }
            state.change(step) { $0.add(played) }
        }
    }

    /// Adds a step that was never begun.
    func leave(_ part: ReplaySession.Part, prefix: String) {
        state.withLock { state in
            state.change(part.step) { $0.leave(part.recorded, prefix + part.line) }
        }
    }
}

extension ReplayReport.Section {
    fileprivate init(name: String) {
        self.init(
            name: name, recorded: 0, matched: 0, missed: 0, misses: [], unused: 0, unusedItems: [])
    }

    fileprivate mutating func add(_ played: PlayedStep) {
        recorded += played.recorded
        matched += played.matched
        missed += played.differing
        misses += played.items.prefix(max(0, ReplayTally.maxItems - misses.count))
        bridged += played.bridged
        bridgedItems += played.bridgedItems.prefix(
            max(0, ReplayTally.maxItems - bridgedItems.count))
        let rest = max(0, played.recorded - played.matched - played.differing)
        switch played.outcome {
        case .played: break
        case .stopped, .unreachable:
            unused += rest
            if rest > 0, played.items.isEmpty, unusedItems.count < ReplayTally.maxItems {
                unusedItems.append(.init(line: played.line))
            }
        }
    }

    fileprivate mutating func leave(_ count: Int, _ line: String) {
        recorded += count
        unused += count
        if unusedItems.count < ReplayTally.maxItems { unusedItems.append(.init(line: line)) }
    }
}
