public import Wire

/// When each exchange, socket, command and message of a recorded client has its turn.
///
/// Something begins when everything that had ended before it began in the recording has ended now:
/// an answer came, a command or message of the server came; a socket also waits for others to end. Several recorded clients are in
/// one schedule, as one may have waited for what another one did. Commands in flight at once on one
/// bucket keep the order in which the server answered them. Reads no clock.
public struct ReplaySchedule: Sendable {
    /// Something that is played, or that ends.
    public enum Step: Hashable, Sendable {
        /// A request and its answer.
        case exchange(ExchangeID)
        /// A WebSocket with Simperium on it, from opening to closing.
        case socket(ConnectionID)
        /// A Simperium command: one of the client begins, one of the server ends.
        case command(CommandID)
        /// A WebSocket that carries something else, from opening to closing, by the exchange that
        /// opened it; that exchange ends when it is open.
        case conversation(ExchangeID)
        /// A message of such a WebSocket: one of the client begins, one of the server ends.
        case message(MessageID)

        /// Whether it is a WebSocket.
        var isSocket: Bool {
            switch self {
            case .socket, .conversation: true
            case .exchange, .command, .message: false
            }
        }
    }

    /// Something whose turn has come.
    public struct Start: Hashable, Sendable {
        /// What.
        public var step: Step
        /// Recorded nanoseconds since what it waited for, or since the beginning; at least 0.
        public var pause: Int64

        /// A turn with these values.
        public init(_ step: Step, pause: Int64 = 0) {
            self.step = step
            self.pause = pause
        }
    }

    /// A ``Start`` and the ends that it waits for.
    struct Waiting {
        var start: Start
        /// Number of ends, in the order of the recording, that must all have come.
        var need: Int32
        /// Number of later ends that must have come as well; in ``dependents``.
        var more: Int32 = 0
        /// Number of sockets, in the order in which they ended, that must all have ended; only a
        /// socket waits for sockets.
        var closed: Int32 = 0
    }

    /// In the order of the recording, and so of ``Waiting/need``.
    var starts: [Waiting] = []
    /// What ends, in the order of the recording.
    var ends: [Step] = []
    /// Sockets, in the order in which they ended.
    var closes: [Step] = []
    /// Places in ``ends``.
    var places: [Step: Int32] = [:]
    /// Places in ``starts`` that wait for an end beyond their ``Waiting/need``, by its place.
    var dependents: [Int32: [Int32]] = [:]
    /// Places in ``ends`` of what the server sent over a socket.
    var served: [Step: [Int32]] = [:]
    /// The client commands that an end is the answer to, by its place.
    var answers: [Int32: [CommandID]] = [:]

    private var hasEnded: [Bool] = []
    /// Ends before this place have all come.
    private var frontier = 0
    private var nextStart = 0
    private var hasClosed: Set<Step> = []
    private var closeFrontier = 0
    /// Places of sockets in ``starts`` that wait for others to end, in order.
    private var sockets: [Int] = []
    private var given = 0

    /// The schedule of a recorded session.
    ///
    /// - Parameters:
    ///   - exchanges: In the order of the recording, with those that opened sockets.
    ///   - upgrades: The sockets that exchanges opened; these are played as sockets.
    ///   - commands: Of all sockets, in the order of the recording.
    ///   - sockets: How servers ended sockets.
    ///   - conversations: The WebSockets that carry something else.
    ///   - lost: Client commands that the recorded server never got: they have no turn.
    ///   - fetch: Gives the text of a recorded command.
    public init(
        exchanges: [RecordedExchange], upgrades: [ExchangeID: ConnectionID] = [:],
        commands: [RecordedCommand] = [], sockets: [RecordedSocket] = [],
        conversations: [RecordedConversation] = [], lost: Set<CommandID> = [],
        fetch: (CommandID) -> [UInt8]? = { _ in nil }
    ) {
        let commands = Self.inTime(commands)
        var planner = SchedulePlanner(
            exchanges, upgrades, commands, sockets, conversations, lost: lost)
        planner.plan(into: &self)
        var order = AnswerOrder(commands, lost: lost)
        order.read(&self, fetch)
        order.keep(turns: planner.turns, in: &self)
        hasEnded = Array(repeating: false, count: ends.count)
    }

    /// The commands in the order of their times.
    static func inTime(_ commands: [RecordedCommand]) -> [RecordedCommand] {
        let order = TimeOrder(
            count: commands.count, socket: { commands[$0].socket }, at: { commands[$0].at })
        return commands.indices.map { index in
            var command = commands[order.place(index)]
            command.at = order.at(index) ?? command.at
            return command
        }
    }

    /// Turns that are left, of exchanges, sockets and commands.
    public var left: Int { starts.count - given }

    /// The client commands to which this server command is the answer.
    public func commands(answeredBy command: CommandID) -> [CommandID] {
        guard let place = places[.command(command)] else { return [] }
        return answers[place] ?? []
    }

    /// What waits for nothing; once, before anything else.
    public mutating func begin() -> [Start] {
        var ready: [Start] = []
        advance(&ready)
        return ready
    }

    /// An exchange was answered, a socket closed, or a command or message of the server came.
    ///
    /// The end of a socket ends everything that the recorded server sent over it. Unknown or ended
    /// ones change nothing.
    ///
    /// - Returns: Whose turn comes with it, in the order of the recording.
    public mutating func end(_ step: Step) -> [Start] {
        var ready: [Start] = []
        if let place = places[step] { end(place, &ready) }
        if step.isSocket {
            hasClosed.insert(step)
            for place in served.removeValue(forKey: step) ?? [] { end(place, &ready) }
        }
        advance(&ready)
        return ready
    }

    /// Resumes what waits, where nothing is received any more: the first missing end counts as
    /// ended.
    ///
    /// - Returns: Whose turn comes with it; none where nothing is missing.
    public mutating func giveUp() -> [Start] {
        // The order of answers is the weaker guarantee.
        var ready: [Start] = []
        for place in 0..<nextStart where starts[place].more > 0 {
            starts[place].more = 0
            give(place, &ready)
        }
        if ready.isEmpty, let first = sockets.first {
            sockets.removeFirst()
            starts[first].closed = 0
            give(first, &ready)
        }
        if ready.isEmpty, frontier < ends.count {
            end(Int32(truncatingIfNeeded: frontier), &ready)
            advance(&ready)
        }
        return ready
    }

    private mutating func end(_ place: Int32, _ ready: inout [Start]) {
        guard !hasEnded[Int(place)] else { return }
        hasEnded[Int(place)] = true
        for start in dependents.removeValue(forKey: place) ?? [] where starts[Int(start)].more > 0 {
            starts[Int(start)].more -= 1
            if starts[Int(start)].more == 0, start < nextStart { give(Int(start), &ready) }
        }
    }

    private mutating func advance(_ ready: inout [Start]) {
        while frontier < ends.count, hasEnded[frontier] { frontier += 1 }
        while closeFrontier < closes.count, hasClosed.contains(closes[closeFrontier]) {
            closeFrontier += 1
        }
        while let first = sockets.first, starts[first].closed <= closeFrontier {
            sockets.removeFirst()
            give(first, &ready)
        }
        while nextStart < starts.count, starts[nextStart].need <= frontier {
            nextStart += 1
            let start = starts[nextStart - 1]
            if start.closed > closeFrontier {
                sockets.append(nextStart - 1)
            } else if start.more == 0 {
                give(nextStart - 1, &ready)
            }
        }
    }

    private mutating func give(_ place: Int, _ ready: inout [Start]) {
        given += 1
        ready.append(starts[place].start)
    }
}
