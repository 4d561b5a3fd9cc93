internal import Dissection
public import Filters
internal import Storage
internal import Wire

/// Whose exchanges and commands are listed.
public enum LineSide: String, Hashable, Sendable, CaseIterable {
    /// Those that the client had.
    case client
    /// Those that the server had.
    case server
    /// Those of both, what is the same once.
    case all

    /// SQL about the rows named `alias`.
    func condition(_ alias: String) -> String {
        switch self {
        case .client: "\(alias).side <> 'server'"
        case .server: "\(alias).side <> 'client'"
        case .all: "1"
        }
    }
}

/// Which WebSocket messages a listing has.
public enum ListedMessages: Hashable, Sendable {
    /// None.
    case none
    /// Those of sockets that carry something else than Simperium, which has commands instead.
    case ofOtherProtocols
    /// All, also pings and those with commands.
    case all

    /// What a listing with this filter has: all messages where it asks for what messages alone have.
    public init(for filter: Filter?) {
        let own: Set<Field> = [.kind, .opcode, .closeCode]
        self = filter.map { $0.fields.isDisjoint(with: own) } ?? true ? .ofOtherProtocols : .all
    }
}

/// Reads the lines of one table page by page, so that no read takes long.
final class LineSource {
    private let statement: Statement
    private let make: (Statement) -> TraceLine
    private var page: ArraySlice<TraceLine> = []
    private var last: Int64
    private let end: Int64
    private var size: Int64
    private let largest: Int64

    /// The lines of `subject` with numbers in `range` that fit `filter`, in the order of listings.
    ///
    /// With `openToo`, running exchanges count. Of messages there are those of `messages`. Nil where
    /// no line can fit.
    init?(
        _ db: Connection, _ subject: FilterSubject, of side: LineSide, _ filter: Filter?,
        _ range: ClosedRange<Int64>,
        openToo: Bool = true, messages: ListedMessages = .none
    ) throws(StorageFault) {
        let condition = filter?.sql(for: subject) ?? .always
        guard condition != .never else { return nil }
        let table: String
        let alias: String
        var more = ""
        switch subject {
        case .exchange:
            (table, alias) = ("any_exchange", "x")
            if !openToo { more = "AND x.outcome <> 'open'" }
        case .command: (table, alias) = ("any_command", "c")
        case .message:
            (table, alias) = ("any_message", "m")
            guard let sockets = try Self.sockets(db, of: messages) else { return nil }
            more = sockets
        }
        let id = "\(alias).id"
        statement = try db.prepare(
            "SELECT * FROM \(table) \(alias) WHERE \(condition.text) AND \(id) BETWEEN ? AND ? "
                + "\(more) AND \(side.condition(alias)) ORDER BY \(id)")
        let count = Int32(condition.arguments.count)
        for (index, argument) in zip(Int32(1)..., condition.arguments) {
            statement.bind(index, argument)
        }
        low = count + 1
        last = range.lowerBound - 1
        end = min(
            range.upperBound,
            try db.integer("SELECT max(id) FROM \(table)"))
        // Messages come with their payloads.
        (size, largest) = subject == .message ? (256, 256) : (1_000, 64_000)
        make =
            switch subject {
            case .exchange: { .exchange(SessionID($0.integer(1)), Tables.exchange.row($0)) }
            case .command: { .command(SessionID($0.integer(1)), Tables.command.row($0)) }
            case .message: { .message(SessionID($0.integer(1)), Tables.message.row($0)) }
            }
    }

    /// SQL that picks the messages of `messages` among those of all sockets; nil for none of them.
    private static func sockets(
        _ db: Connection, of messages: ListedMessages
    ) throws(StorageFault) -> String? {
        switch messages {
        case .none: return nil
        case .all: return ""
        case .ofOtherProtocols:
            let others = "SELECT id FROM any_exchange WHERE status = 101 AND api = 'websocket'"
            let found = try db.prepare("\(others) LIMIT \(maxSockets + 1)")
            var ids: [String] = []
            while try found.step() { ids.append(String(found.integer(0))) }
            guard !ids.isEmpty else { return nil }
            let list = ids.count > maxSockets ? others : ids.joined(separator: ",")
            return "AND m.exchange_id IN (\(list))"
        }
    }

    /// Above this the sockets are looked up for every page.
    private static let maxSockets = 1_000

    private let low: Int32
    /// Above this a page is too large: a trace that is being written keeps its log meanwhile.
    private static let slow = Duration.milliseconds(200)

    /// The next line, which stays.
    func peek() throws(StorageFault) -> TraceLine? {
        while page.isEmpty {
            guard last < end else { return nil }
            let began = ContinuousClock.now
            let upper = min(end, last.addingReportingOverflow(size).partialValue)
            statement.bind(low, last + 1)
            statement.bind(low + 1, upper)
            var lines: [TraceLine] = []
            while try statement.step() { lines.append(make(statement)) }
            // Numbers follow arrival, which differs from time by what two threads differ.
            lines.sort { $0.precedes($1) }
            page = lines[...]
            last = upper
            let isSlow = began.duration(to: .now) > Self.slow
            size = isSlow ? max(size / 4, min(100, largest)) : min(size * 4, largest)
        }
        return page.first
    }

    /// Goes on to the line after the next.
    func pop() { page = page.dropFirst() }
}

extension Statement {
    /// Binds the argument of a condition.
    func bind(_ index: Int32, _ value: SQLValue) {
        switch value {
        case .integer(let value): bind(index, value)
        case .text(let value): bind(index, value)
        case .blob(let value): bind(index, copying: value, asText: false)
        }
    }
}

/// The numbers of the rows that are listed; nil for none of a kind.
struct LineRanges {
    var exchanges: ClosedRange<Int64>?
    var commands: ClosedRange<Int64>?
    var messages: ClosedRange<Int64>?

    /// The ranges with what they are of.
    var bySubject: [(FilterSubject, ClosedRange<Int64>?)] {
        [(.exchange, exchanges), (.command, commands), (.message, messages)]
    }
}
