public import Dissection
public import Filters
public import Wire

/// Somebody outside of the rules who decides about messages that pass, as an add-on does.
///
/// Called on the event loops, which it must not block.
public protocol TrafficAsker: Sendable {
    /// Asks about a message.
    ///
    /// - Parameters:
    ///   - subject: What it is.
    ///   - held: The same as what waits, where the answer is that it waits.
    /// - Returns: What becomes of it.
    func ask(_ subject: AskedSubject, as held: HeldMessage) -> AskedAnswer

    /// Says that a client connected and sent its first bytes, before any message of it is asked about.
    func connected(_ connection: ConnectionRow)
}

/// What somebody is asked about.
public enum AskedSubject: Sendable {
    /// A request, or a response where there is one.
    case exchange(AskedExchange)
    /// A message of a WebSocket.
    case message(MessageSubject)
    /// A Simperium command.
    case command(CommandSubject)
}

/// An exchange that somebody is asked about.
public struct AskedExchange: Sendable {
    /// The session.
    public var session: SessionID
    /// Whose message it is: the request or the response.
    public var sender: Peer
    /// The exchange as far as it is known.
    public var row: ExchangeRow
    /// Head and body of the request and the response.
    public var bodies: [BodyRow]
    /// The OpenRosa documents in them.
    public var documents: [OpenRosaRow]
}

/// What is answered at once.
public enum AskedAnswer: Hashable, Sendable {
    /// It goes on unchanged.
    case pass
    /// It waits for a decision, which comes from outside.
    case wait
}

/// Which messages somebody is asked about.
public struct AskedFilter: Hashable, Sendable {
    /// The filter.
    public var filter: Filter
    /// When it is evaluated.
    public var phase: FilterPhase

    /// The messages for which a filter holds in a phase.
    public init(_ filter: Filter, phase: FilterPhase) {
        self.filter = filter
        self.phase = phase
    }
}

extension FaultRule {
    /// Beginning of the names of rules that ask.
    static let askingPrefix = "add-on "

    /// After how many nanoseconds a message goes on that nobody decides about: later than any
    /// deadline, so that this is for errors alone.
    private static let patienceNanoseconds: Int64 = 7_200_000_000_000

    /// The rule by which somebody is asked.
    init(asking name: String, number: Int, _ asked: AskedFilter) {
        self.init(
            name: "\(Self.askingPrefix)\(name) \(number)",
            condition: FaultCondition(asked.filter, text: "", phase: asked.phase),
            action: FaultAction(
                .hold, ["by": .text(name), "for": .duration(Self.patienceNanoseconds)]),
            schedule: FaultSchedule())
    }

    /// Whether somebody is asked by it.
    var isAsking: Bool {
        action.kind == .hold && action.text("by") != nil && name.hasPrefix(Self.askingPrefix)
    }
}

extension Firing {
    /// Whether somebody is asked.
    var isAsking: Bool {
        action.kind == .hold && action.text("by") != nil && rule.hasPrefix(FaultRule.askingPrefix)
    }
}

extension HeldMessage {
    /// Whether an add-on decides about it.
    public var isAsked: Bool { firing.isAsking }
}
