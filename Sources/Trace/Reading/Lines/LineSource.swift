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
    private let query: LineQuery
    private let statement: Statement
    /// Where threads read ahead; nil where nothing does.
    private let path: String?
    private let isUnwanted: () -> Bool
    private var ahead: LinePagesAhead?
    private var page = LinePage()
    private var position = 0
    private let end: Int64
    private var size: PageSize
    private var pages = 0
    /// The place of its kind among lines of one time.
    private let rank: Int

    /// The lines of `subject` with numbers in `range` that fit `filter`, in the order of listings.
    ///
    /// With `openToo`, running exchanges count. Of messages there are those of `messages`. With a
    /// `path`, which is that of the trace, threads read ahead. It ends when `isUnwanted`, which is
    /// asked between pages. Nil where no line can fit.
    init?(
        _ db: Connection, _ subject: FilterSubject, of side: LineSide, _ filter: Filter?,
        _ range: ClosedRange<Int64>, _ detail: LineDetail = .whole,
        openToo: Bool = true, messages: ListedMessages = .none, ahead path: String? = nil,
        until isUnwanted: @escaping () -> Bool = { false }
    ) throws(StorageFault) {
        let condition = filter?.sql(forPagesOf: subject) ?? .always
        guard condition != .never else { return nil }
        self.subject = subject
        let table = subject.table
        var more = ""
        switch subject {
        case .exchange:
            rank = 0
            if !openToo { more = "AND x.outcome <> 'open'" }
        case .command: rank = 2
        case .message:
            rank = 1
            guard let sockets = try Self.sockets(db, of: messages) else { return nil }
            more = sockets
        }
        query = LineQuery(
            subject, detail, in: table, where: condition,
            "\(more) AND \(side.condition(subject.alias))")
        statement = try query.prepare(db)
        self.path = LinePagesAhead.isUseful ? path : nil
        self.isUnwanted = isUnwanted
        size = PageSize(for: subject, detail)
        page.last = range.lowerBound - 1
        end = min(range.upperBound, try db.integer("SELECT max(id) FROM \(table)"))
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

    /// Lines whose numbers differ by more do not change places: so many threads do not receive at
    /// the same moment.
    private static let window: Int64 = 256
    /// Pages that are read before threads are worth their start, and the numbers that have to be
    /// left.
    private static let alone = 2
    private static let worthwhile: Int64 = 8_000

    /// The place of the next line; nil behind the last.
    func peek() throws(StorageFault) -> (key: LineKey, rank: Int)? {
        while page.last < end {
            // One of the next page may precede the last of this one.
            if position < page.keys.count, page.keys[position].id <= page.last - Self.window {
                break
            }
            if isUnwanted() { return nil }
            page.advance(over: position, to: try next())
            position = 0
        }
        return position < page.keys.count ? (page.keys[position], rank) : nil
    }

    /// What the line is.
    let subject: FilterSubject

    /// The line at ``peek()``; not where places alone are read.
    var line: TraceLine { page.lines[position] }

    /// Goes on to the line after the next.
    func pop() { position += 1 }

    private func next() throws(StorageFault) -> LinePage {
        pages += 1
        if let ahead { return try ahead.next() }
        let first = page.last + 1
        if let path, pages > Self.alone, end - first > Self.worthwhile {
            let made = LinePagesAhead(path: path, query, first...end, size)
            ahead = made
            return try made.next()
        }
        let began = ContinuousClock.now
        let last = min(end, first.addingReportingOverflow(size.numbers - 1).partialValue)
        let next = try query.page(first...last, statement)
        size.learn(lines: next.keys.count, took: began.duration(to: .now))
        return next
    }
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

    /// All of every kind.
    static var all: LineRanges {
        LineRanges(exchanges: 1...Int64.max, commands: 1...Int64.max, messages: 1...Int64.max)
    }

    /// The ranges with what they are of.
    var bySubject: [(FilterSubject, ClosedRange<Int64>?)] {
        [(.exchange, exchanges), (.command, commands), (.message, messages)]
    }
}
