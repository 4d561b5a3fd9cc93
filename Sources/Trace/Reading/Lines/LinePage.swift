internal import Dissection
internal import Filters
internal import Storage
internal import Wire

/// The place of a line among those of its kind.
struct LineKey: Comparable, Sendable {
    let session: Int64
    let at: Int64
    let id: Int64

    static func < (one: LineKey, other: LineKey) -> Bool {
        if one.session != other.session { return one.session < other.session }
        return one.at == other.at ? one.id < other.id : one.at < other.at
    }
}

/// Lines of one table whose numbers follow each other, in the order of listings.
struct LinePage: Sendable {
    /// The lines; none where places alone are read.
    private(set) var lines: [TraceLine] = []
    /// Their places, beside them: sorting moves these alone.
    private(set) var keys: [LineKey] = []
    /// The last number that was looked at.
    var last: Int64 = 0

    /// Adds a line behind the others, in its order of numbers.
    mutating func append(_ line: TraceLine) {
        keys.append(
            LineKey(session: line.session.rawValue, at: line.at.nanoseconds, id: line.id))
        lines.append(line)
    }

    /// Adds a place behind the others, in its order of numbers.
    mutating func append(_ key: LineKey) { keys.append(key) }

    /// Brings the lines into order: numbers follow arrival, which differs from time by what two
    /// threads differ.
    mutating func sort() {
        guard !zip(keys, keys.dropFirst()).allSatisfy({ $0 < $1 }) else { return }
        let keys = keys
        let order = keys.indices.sorted { keys[$0] < keys[$1] }
        self.keys = order.map { keys[$0] }
        if !lines.isEmpty { lines = order.map { lines[$0] } }
    }

    /// Leaves out the first `count` lines and adds those of the page behind.
    mutating func advance(over count: Int, to next: LinePage) {
        if count == keys.count {
            self = next
            return
        }
        if !lines.isEmpty { lines.removeFirst(count) }
        keys.removeFirst(count)
        lines += next.lines
        keys += next.keys
        last = next.last
        sort()
    }
}

/// How much of each row of a listing is read.
public enum LineDetail: Hashable, Sendable {
    /// All columns.
    case whole
    /// All columns, and the texts of commands where they are short.
    case texts
    /// Of exchanges those columns that a line of text shows, and the texts of commands where they
    /// are short.
    case shown
    /// Number, session and time alone.
    case place
}

/// The query for the lines of one table with numbers in a range.
struct LineQuery: Sendable {
    private let subject: FilterSubject
    private let detail: LineDetail
    private let sql: String
    private let arguments: [SQLValue]

    /// What a line of text shows of an exchange.
    static let shownExchange = Tables.exchange.select(
        "id session_id api method scheme host port path query status started_ns ended_ns "
            + "request_size response_size problem retry_after is_local side fate")

    /// The text of the command `c`, unless it is so long that many lines would take much memory.
    private static let shortText = """
        CASE WHEN c.payload_size <= 4096 THEN
          coalesce(c.text, (SELECT m.payload FROM any_message m WHERE m.id = c.message_id)) END
        """

    /// The rows of `table` that fit `condition`, and `more`.
    init(
        _ subject: FilterSubject, _ detail: LineDetail, in table: String,
        where condition: SQLCondition, _ more: String
    ) {
        self.subject = subject
        self.detail = detail
        let alias = subject.alias
        let columns =
            switch (detail, subject) {
            case (.place, _): subject.place
            case (.shown, .exchange): Self.shownExchange.sql("x.")
            case (.shown, .command), (.texts, .command): "c.*, \(Self.shortText)"
            case (.shown, _), (.texts, _), (.whole, _): "*"
            }
        sql =
            "SELECT \(columns) FROM \(table) \(alias) WHERE \(alias).id BETWEEN ?1 AND ?2 "
            + "AND \(condition.text) \(more) ORDER BY \(alias).id"
        arguments = condition.arguments
    }

    /// The query, ready for ``page(_:_:)``.
    func prepare(_ db: Connection) throws(StorageFault) -> Statement {
        let statement = try db.prepare(sql)
        for (index, argument) in zip(Int32(3)..., arguments) { statement.bind(index, argument) }
        return statement
    }

    /// The lines with numbers in `range`.
    func page(
        _ range: ClosedRange<Int64>, _ statement: Statement
    ) throws(StorageFault) -> LinePage {
        statement.bind(1, range.lowerBound)
        statement.bind(2, range.upperBound)
        var page = LinePage()
        while try statement.step() {
            if detail == .place {
                page.append(
                    LineKey(
                        session: statement.integer(1), at: statement.integer(2),
                        id: statement.integer(0)))
            } else {
                page.append(line(statement))
            }
        }
        page.last = range.upperBound
        page.sort()
        return page
    }

    /// The line that `statement` is at.
    func line(_ statement: Statement) -> TraceLine {
        let session = SessionID(statement.integer(1))
        return switch subject {
        case .exchange:
            .exchange(
                session,
                detail == .shown
                    ? Self.shownExchange.row(statement) : Tables.exchange.row(statement))
        case .command: .command(session, command(statement))
        case .message: .message(session, Tables.message.row(statement))
        }
    }

    private func command(_ statement: Statement) -> CommandRow {
        var row = Tables.command.row(statement)
        if detail.hasTexts, row.text == nil, !statement.isNull(Tables.command.width) {
            row.text = statement.bytes(Tables.command.width)
        }
        return row
    }
}

extension LineDetail {
    /// Whether commands have their texts.
    fileprivate var hasTexts: Bool { self == .texts || self == .shown }
}

extension FilterSubject {
    /// The name of its row in conditions.
    var alias: String {
        switch self {
        case .exchange: "x"
        case .command: "c"
        case .message: "m"
        }
    }

    /// Number, session and time of its row.
    fileprivate var place: String {
        switch self {
        case .exchange: "x.id, x.session_id, x.started_ns"
        case .command: "c.id, c.session_id, c.at_ns"
        case .message: "m.id, m.session_id, m.ended_ns"
        }
    }
}

/// How many numbers the next page has.
struct PageSize: Sendable {
    private(set) var numbers: Int64
    private let largest: Int64

    /// Above this a page is too large: a trace that is being written keeps its log meanwhile.
    private static let slow = Duration.milliseconds(200)
    /// More lines than that at a time take memory for nothing, unless finding them takes longer
    /// than reading them: a condition about other tables is looked up for each page anew.
    private static let many = 4_000
    private static let quick = Duration.microseconds(10)
    private static let most = 16_000
    /// The first lines are there soon: those of the first page but its last, which may change places.
    private static let first: Int64 = 320

    init(for subject: FilterSubject, _ detail: LineDetail) {
        // Messages come with their payloads.
        let isHeavy = subject == .message && detail != .place
        let hasTexts = subject == .command && detail.hasTexts
        (numbers, largest) = isHeavy ? (256, 256) : (Self.first, hasTexts ? 4_000 : 64_000)
    }

    /// Learns what a page with so many lines took.
    mutating func learn(lines: Int, took: Duration) {
        if took > Self.slow {
            numbers = max(numbers / 4, min(100, largest))
        } else if lines > Self.most || lines > Self.many && took < Self.quick * lines {
            numbers = max(numbers / 2, min(1_000, largest))
        } else if lines <= Self.many / 2 || took > Self.quick * lines {
            numbers = min(numbers * 4, largest)
        }
    }
}
