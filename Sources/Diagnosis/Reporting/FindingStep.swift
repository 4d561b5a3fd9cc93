public import Dissection
internal import Simperium
public import Wire

/// One piece of evidence that a rule was broken, or that led to it.
public struct FindingStep: Hashable, Sendable {
    /// When.
    public var at: Instant
    /// A short description.
    public var detail: String
    /// The quoted bytes, as printable text; empty where there are none.
    public var quote: String
    /// The exchange, if it is one.
    public var exchange: ExchangeID?
    /// The command, if it is one.
    public var command: CommandID?
    /// The message, if it is one.
    public var message: MessageID?
    /// Where it begins in the trace; nil without a position.
    public var place: Place?

    /// A step about no row.
    public init(at: Instant, _ detail: String, quote: String = "", place: Place? = nil) {
        self.at = at
        self.detail = detail
        self.quote = quote
        self.place = place
    }

    /// A command.
    ///
    /// - Parameters:
    ///   - command: The command.
    ///   - detail: A short description.
    ///   - range: The quoted part, in bytes of the sent text (default: all).
    public init(_ command: CommandEvidence, _ detail: String, _ range: Range<Int>? = nil) {
        at = command.row.at
        self.detail = detail
        quote = Quote.of(Self.quotable(command), around: range)
        self.command = command.row.id
        message = command.row.message
        place = command.place
    }

    /// The text of a command without the token of an `init`, which is a secret.
    private static func quotable(_ command: CommandEvidence) -> [UInt8] {
        guard let version = command.version else { return [] }
        guard case .initialize(let request) = version.command.body, let token = request.tokenRange,
            token.upperBound <= version.text.count
        else { return version.text }
        return version.text[..<token.lowerBound] + Array("\"…\"".utf8)
            + version.text[token.upperBound...]
    }

    /// A request, quoted by its first line unless something else is given.
    public init(request exchange: ExchangeEvidence, _ detail: String, quote: String? = nil) {
        let row = exchange.row
        at = row.startedAt
        self.detail = detail
        self.quote = quote ?? row.method + " " + row.path + (row.query.map { "?" + $0 } ?? "")
        self.exchange = row.id
        place = row.requestPlace
    }

    /// A response, quoted by its first line unless something else is given.
    public init(response exchange: ExchangeEvidence, _ detail: String, quote: String? = nil) {
        let row = exchange.row
        at = row.respondedAt ?? row.endedAt ?? row.startedAt
        self.detail = detail
        self.quote =
            quote ?? row.status.map { "HTTP \($0)" + (row.reason.map { " " + $0 } ?? "") } ?? ""
        self.exchange = row.id
        // The view of findings finds an exchange by its request.
        place = row.requestPlace
    }

    /// A WebSocket message other than commands.
    public init(_ message: MessageEvidence, _ detail: String) {
        at = message.row.endedAt
        self.detail = detail
        quote = message.row.opcode == 1 ? Quote.of(message.row.payload) : ""
        self.message = message.row.id
        place = message.row.place
    }
}
