public import Wire

/// Plays the server of recorded WebSockets that carry something else than Simperium.
///
/// The meaning of their messages is unknown, so only their order is used: the client's are expected
/// as they were recorded, and what the server sent is sent when what preceded it was received; what
/// it sent first is sent at once. Messages are compared as JSON or XML where they are that, and
/// else byte by byte. Sockets do not wait for each other. Reads no clock: times are those of the
/// events.
public struct WebSocketReplay: Sendable {
    /// Fetches the payload of a recorded message; nil is an empty one.
    public typealias Fetch = @Sendable (MessageID) -> [UInt8]?

    /// A recorded conversation, and its result.
    private struct Script {
        let conversation: RecordedConversation
        /// For each message whether a client has sent it.
        var isDone: [Bool]
    }

    /// A live socket.
    private struct Live {
        /// Place of the conversation that it plays.
        let script: Int
        /// Place of the first message that was neither sent nor came.
        var next = 0
        /// When the last message is due.
        var due: Instant
    }

    /// Whether a message without counterpart is the end; else it stays without answer, or the
    /// recorded messages before its counterpart are skipped.
    public let isStrict: Bool
    /// How fast recorded time passes.
    public let pace: ReplayPace
    private let leftOut: LeftOut
    private let fetch: Fetch
    private var scripts: [Script] = []
    private var places: [ExchangeID: Int] = [:]
    private var lives: [Int: Live] = [:]

    /// Messages of recorded clients.
    public let recorded: Int
    /// Those that came.
    public private(set) var matched = 0
    /// Live messages that had no counterpart.
    public private(set) var missed = 0
    /// The first misses, at most ``maxMisses``.
    public private(set) var misses: [WebSocketMiss] = []
    /// Whether a strict replay met a message without counterpart.
    public private(set) var isStopped = false

    /// Misses that are kept.
    public static let maxMisses = 1_000
    /// Recorded messages of a client that are inspected beyond the next one.
    private static let lookahead = 64

    /// The replay of recorded conversations.
    ///
    /// - Parameters:
    ///   - conversations: In the order of the recording.
    ///   - isStrict: Whether a message without counterpart is the end.
    ///   - pace: How fast recorded time passes.
    ///   - leftOut: What takes no part in comparing.
    ///   - fetch: Gives the payload of a recorded message.
    public init(
        _ conversations: [RecordedConversation], isStrict: Bool = true,
        pace: ReplayPace = .asFastAsPossible, leftOut: LeftOut = .usual, fetch: @escaping Fetch
    ) {
        self.isStrict = isStrict
        self.pace = pace
        self.leftOut = leftOut
        self.fetch = fetch
        var recorded = 0
        for conversation in conversations {
            places[conversation.exchange] = scripts.count
            let messages = conversation.messages
            recorded += messages.count { $0.sender == .client }
            scripts.append(
                Script(
                    conversation: conversation,
                    isDone: Array(repeating: false, count: messages.count)))
        }
        self.recorded = recorded
    }

    /// Whether there is nothing to play.
    public var isEmpty: Bool { scripts.isEmpty }

    /// Whether an exchange opened a conversation.
    public func plays(_ exchange: ExchangeID) -> Bool { places[exchange] != nil }

    /// Recorded messages of clients that did not come.
    public var unused: Int { recorded - matched }

    /// Processes an event and returns the commands for it, in order.
    ///
    /// - Parameters:
    ///   - event: What happens.
    ///   - now: When; never before the event before.
    /// - Returns: Commands; after ``WebSocketReplayCommand/stop(_:)`` there are no further ones.
    public mutating func handle(
        _ event: WebSocketReplayEvent, at now: Instant
    ) -> [WebSocketReplayCommand] {
        guard !isStopped else { return [] }
        switch event {
        case .opened(let socket, let exchange):
            guard let script = places[exchange] else { return [] }
            lives[socket] = Live(script: script, due: now)
            return goOn(socket, after: scripts[script].conversation.openedAt, at: now)
        case .received(let socket, let message): return receive(message, on: socket, at: now)
        case .closed(let socket):
            lives[socket] = nil
            return []
        }
    }

    private mutating func receive(
        _ message: SocketMessage, on socket: Int, at now: Instant
    ) -> [WebSocketReplayCommand] {
        guard let live = lives[socket] else { return [] }
        let expected = expected(by: live)
        let candidates = isStrict ? expected.prefix(1) : expected[...]
        for place in candidates where differences(message, place, live, limit: 1).isEmpty {
            return accept(place, on: socket, at: now)
        }
        let closest = expected.map { ($0, differences(message, $0, live, limit: 8)) }
            .min { $0.1.items.count < $1.1.items.count }
        let miss = WebSocketMiss(
            socket: socket, exchange: scripts[live.script].conversation.exchange,
            line: message.line, reason: expected.isEmpty ? .nothingLeft : .different,
            candidate: closest.map { place, differences in
                let recorded = scripts[live.script].conversation.messages[place]
                return .init(
                    message: recorded.id, line: content(of: recorded).line,
                    differences: ordered(differences, place, message, first: expected.first, live))
            })
        missed += 1
        if misses.count < Self.maxMisses { misses.append(miss) }
        guard isStrict else { return [.report(miss)] }
        isStopped = true
        return [.stop(miss)]
    }

    /// Places of what the recorded client sent next.
    private func expected(by live: Live) -> [Int] {
        let messages = scripts[live.script].conversation.messages
        var places: [Int] = []
        var place = live.next
        while place < messages.count, places.count < Self.lookahead {
            if messages[place].sender == .client { places.append(place) }
            place += 1
        }
        return places
    }

    private mutating func accept(
        _ place: Int, on socket: Int, at now: Instant
    ) -> [WebSocketReplayCommand] {
        guard let live = lives[socket] else { return [] }
        // A conversation may be played more than once, where a model allows it.
        if !scripts[live.script].isDone[place] {
            scripts[live.script].isDone[place] = true
            matched += 1
        }
        let before = skip(to: place, on: socket, at: now)
        lives[socket]?.next = place + 1
        let at = scripts[live.script].conversation.messages[place].at
        return before + goOn(socket, after: at, at: now)
    }

    /// Skips messages of the client; those of the server among them are sent, as it is unknown
    /// which of them are answers.
    private mutating func skip(
        to place: Int, on socket: Int, at now: Instant
    ) -> [WebSocketReplayCommand] {
        guard let live = lives[socket] else { return [] }
        let messages = scripts[live.script].conversation.messages
        let base = messages[place].at
        return messages[live.next..<place].filter { $0.sender == .server }
            .map { send($0, on: socket, after: base, at: now) }
    }

    /// Sends what the recorded server sent up to the next message of the client, and ends the socket
    /// where it did.
    private mutating func goOn(
        _ socket: Int, after base: Instant, at now: Instant
    ) -> [WebSocketReplayCommand] {
        guard let live = lives[socket] else { return [] }
        let conversation = scripts[live.script].conversation
        var next = live.next
        var output: [WebSocketReplayCommand] = []
        while next < conversation.messages.count, conversation.messages[next].sender == .server {
            output.append(send(conversation.messages[next], on: socket, after: base, at: now))
            next += 1
        }
        lives[socket]?.next = next
        guard next == conversation.messages.count, let end = conversation.end else {
            return output
        }
        let delay = end.at.nanoseconds - base.nanoseconds
        let due = max(pace.due(delay, after: now), lives[socket]?.due ?? now)
        lives[socket] = nil
        return output + [.close(socket: socket, code: end.code, due: due)]
    }

    private mutating func send(
        _ message: RecordedConversation.Message, on socket: Int, after base: Instant,
        at now: Instant
    ) -> WebSocketReplayCommand {
        let delay = message.at.nanoseconds - base.nanoseconds
        let due = max(pace.due(delay, after: now), lives[socket]?.due ?? now)
        lives[socket]?.due = due
        return .send(
            .init(socket: socket, message: content(of: message), recorded: message.id, due: due))
    }

    // MARK: Comparing

    private func content(of message: RecordedConversation.Message) -> SocketMessage {
        SocketMessage(isText: message.isText, payload: fetch(message.id) ?? [])
    }

    private func differences(
        _ message: SocketMessage, _ place: Int, _ live: Live, limit: Int
    ) -> Differences {
        content(of: scripts[live.script].conversation.messages[place])
            .differences(to: message, without: leftOut, limit: limit)
    }

    /// The differences to a message, with the order where it is not the next one.
    private func ordered(
        _ differences: Differences, _ place: Int, _ message: SocketMessage, first: Int?,
        _ live: Live
    ) -> Differences {
        guard let first, first != place else { return differences }
        let next = content(of: scripts[live.script].conversation.messages[first])
        var all = Differences(limit: 8)
        all.add(
            Difference(
                .order, "the messages of the client", recorded: "\(next.line) first",
                live: message.line))
        for one in differences.items { all.add(one) }
        return all
    }

    /// The first recorded messages of clients that did not come, each with its exchange, in order.
    func unused(limit: Int) -> [(exchange: ExchangeID, message: MessageID, line: String)] {
        var found: [(exchange: ExchangeID, message: MessageID, line: String)] = []
        for script in scripts {
            for (place, message) in script.conversation.messages.enumerated()
            where message.sender == .client && !script.isDone[place] {
                guard found.count < limit else { return found }
                found.append(
                    (script.conversation.exchange, message.id, content(of: message).line))
            }
        }
        return found
    }
}
