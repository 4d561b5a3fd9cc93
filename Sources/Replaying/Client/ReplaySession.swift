public import Wire

/// The part of a recorded session that is played to a live server, and its order.
public struct ReplaySession: Sendable {
    /// An exchange or a socket.
    public struct Part: Hashable, Sendable {
        /// Which.
        public var step: ReplaySchedule.Step
        /// Answers, or commands or messages of the recorded server.
        public var recorded: Int
        /// What it is, on one line.
        public var line: String
    }

    /// The order, from the beginning.
    public let schedule: ReplaySchedule
    /// Exchanges and sockets.
    public let parts: [Part]
    /// Exchanges among ``parts``.
    public let exchanges: Int
    /// Simperium commands of clients, without heartbeats, lines of logs and what was lost.
    public let commands: Int
    /// Messages of clients over WebSockets that carry something else.
    public let messages: Int
    /// Recorded nanoseconds from the first thing that begins to the last that ends.
    public let length: Int64
    private let names: [CommandID: String]

    /// The session that was recorded.
    ///
    /// - Parameters:
    ///   - exchanges: In the order of the recording; of those that opened a socket, only those whose
    ///     socket is played.
    ///   - upgrades: The sockets that exchanges opened.
    ///   - commands: Of all sockets, in the order of the recording.
    ///   - sockets: The sockets, and how servers ended them.
    ///   - conversations: The WebSockets that carry something else.
    ///   - isVerbatim: Whether what the recorded server never received is played as well.
    ///   - fetch: Gives the text of a recorded command.
    public init(
        exchanges: [RecordedExchange], upgrades: [ExchangeID: ConnectionID] = [:],
        commands: [RecordedCommand] = [], sockets: [RecordedSocket] = [],
        conversations: [RecordedConversation] = [], isVerbatim: Bool = false,
        fetch: (CommandID) -> [UInt8]? = { _ in nil }
    ) {
        let lost = isVerbatim ? [] : LostCommands.find(in: commands, fetch: fetch)
        schedule = ReplaySchedule(
            exchanges: exchanges, upgrades: upgrades, commands: commands, sockets: sockets,
            conversations: conversations, lost: lost, fetch: fetch)
        var names: [CommandID: String] = [:]
        var known: [String: String] = [:]
        var served: [ConnectionID: Int] = [:]
        for command in commands {
            // Sockets of which the recording has no more than commands are played as well.
            served[command.socket, default: 0] +=
                command.sender == .server && !command.isFree ? 1 : 0
            guard command.sender == .client, !command.isFree, !lost.contains(command.id) else {
                continue
            }
            let name = known[command.name] ?? "simperium \(OneLine.text(command.name))"
            known[command.name] = name
            names[command.id] = name
        }
        self.names = names
        self.commands = names.count
        let talks = Dictionary(
            conversations.map { ($0.exchange, $0.messagesBeforeEnd) },
            uniquingKeysWith: { $1 })
        messages = talks.values.reduce(0) { $0 + $1.count { $0.sender == .client } }
        var parts: [Part] = []
        for exchange in exchanges {
            if let talk = talks[exchange.id] {
                parts.append(
                    Part(
                        step: .conversation(exchange.id),
                        recorded: talk.count { $0.sender == .server },
                        line: "exchange \(exchange.id), \(exchange.line)"))
            } else if let socket = upgrades[exchange.id] {
                parts.append(
                    Part(
                        step: .socket(socket), recorded: served.removeValue(forKey: socket) ?? 0,
                        line: "connection \(socket), \(exchange.line)"))
            } else {
                parts.append(
                    Part(
                        step: .exchange(exchange.id), recorded: 1,
                        line: "exchange \(exchange.id), \(exchange.line)"))
            }
        }
        for (socket, count) in served.sorted(by: { $0.key < $1.key }) {
            parts.append(
                Part(step: .socket(socket), recorded: count, line: "connection \(socket)"))
        }
        self.parts = parts
        self.exchanges = exchanges.count { upgrades[$0.id] == nil && talks[$0.id] == nil }
        let first = min(
            exchanges.first?.startedAt.nanoseconds ?? .max,
            commands.first?.at.nanoseconds ?? .max)
        let last = max(
            exchanges.lazy.map { ($0.endedAt ?? $0.startedAt).nanoseconds }.max() ?? .min,
            commands.last?.at.nanoseconds ?? .min,
            conversations.lazy.compactMap { $0.messages.last?.at.nanoseconds }.max() ?? .min)
        length = last > first ? last - first : 0
    }

    /// What durations of a command of a client count as, such as `simperium c`.
    public func name(of command: CommandID) -> String? { names[command] }
}
