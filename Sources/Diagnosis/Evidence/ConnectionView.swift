public import Dissection
import Simperium
public import Wire

/// The state of one connection.
public struct ConnectionView: Sendable {
    /// The row; nil where the connection was open before the capture.
    public var row: ConnectionRow? { kept?.row }
    /// When it was accepted, or first seen.
    public let openedAt: Instant
    /// When both sides had closed it, or one had and no more data can follow.
    public private(set) var endedAt: Instant?
    /// How much of it was captured.
    public private(set) var coverage: Coverage
    /// When a fault last affected it.
    public private(set) var lastFaultAt: Instant?
    /// Whether a fault cut it or stopped its bytes, so that its end is attributed to no peer.
    public private(set) var wasCut = false
    /// Whether a fault has held back its bytes, so that time does not show what a client received.
    private(set) var isHeldBack = false
    /// Nanoseconds from the answer that opened the WebSocket to the first `init`; nil where either was
    /// not seen.
    private(set) var openingNanoseconds: Int64?
    /// Device id that its requests name.
    public private(set) var device: String?
    /// Simperium client id, the first that was seen.
    public private(set) var clientID: String?
    /// The client library, which the first init names.
    private(set) var library: ClientLibrary?
    /// The exchange that opened a WebSocket on it, once that was answered with 101.
    public var upgrade: ExchangeRow? { opening?.row }
    /// The channels of a Simperium socket by number.
    public private(set) var channels: [Int: ChannelView] = [:]

    /// Large rows are kept apart, since views are copied often.
    private final class Kept<Row: Sendable>: Sendable {
        let row: Row

        init(_ row: Row) { self.row = row }
    }

    private let kept: Kept<ConnectionRow>?
    private var opening: Kept<ExchangeRow>?

    static let maxChannels = 4_096

    init(_ row: ConnectionRow) {
        kept = Kept(row)
        openedAt = row.at
        coverage = .whole
    }

    init(late at: Instant) {
        kept = nil
        openedAt = at
        coverage = .late
    }

    /// Whether its bytes were synthesized from an archive, which has none: their form is attributed
    /// to no peer.
    public var isSynthesized: Bool { row?.mode == .archive }

    /// The address the client connected from, without port.
    public var host: String {
        guard let client = row?.client, let colon = client.lastIndex(of: ":") else {
            return "client"
        }
        return String(client[..<colon])
    }

    mutating func lose(at: Instant) {
        if coverage == .whole { coverage = .broken(since: at) }
    }

    mutating func take(_ evidence: borrowing Evidence) {
        switch evidence {
        case .gap(let row): lose(at: row.at)
        case .event(let row) where row.kind == .joined: coverage = .late
        case .fault(let row):
            lastFaultAt = row.at
            if row.hasEffect([.ended, .stalled, .refused]) { wasCut = true }
            if row.hasEffect([.delayed, .stalled]) { isHeldBack = true }
        case .event(let row) where row.kind == .closed:
            if endedAt == nil { endedAt = row.at }
        case .asked(let exchange):
            if device == nil { device = exchange.row.device }
        case .answered(let exchange) where exchange.row.status == 101:
            opening = Kept(exchange.row)
        case .command(let command): take(command)
        default: break
        }
    }

    /// Whether a command changes the state of its connection.
    static func isAbout(_ command: CommandEvidence) -> Bool {
        command.origin == .altered || command.row.name == "init" || command.row.name == "auth"
    }

    private mutating func take(_ command: CommandEvidence) {
        guard let number = command.row.channel else { return }
        if command.row.sender == .client, let said = command.said?.command,
            case .initialize(let request) = said.body
        {
            guard channels.count < Self.maxChannels || channels[number] != nil else { return }
            channels[number] = ChannelView(number, request, at: command.row.at)
            if clientID == nil {
                clientID = request.clientID
                library = ClientLibrary(request)
            }
            if openingNanoseconds == nil, let opened = upgrade?.endedAt ?? upgrade?.respondedAt {
                openingNanoseconds = command.row.at.nanoseconds - opened.nanoseconds
            }
        } else if command.row.sender == .server, let heard = command.heard?.command,
            case .auth(let reply) = heard.body
        {
            channels[number]?.take(reply, at: command.row.at)
        }
    }
}
