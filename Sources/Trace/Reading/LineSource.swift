internal import Dissection
internal import Filters
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

/// Reads the lines of one table page by page, so that no read takes long.
final class LineSource {
    private let statement: Statement
    private let make: (Statement) -> TraceLine
    private var page: ArraySlice<TraceLine> = []
    private var last: Int64
    private let end: Int64
    private var size: Int64 = 1_000

    /// The lines of `subject` with numbers in `range` that fit `filter`, in the order of listings.
    ///
    /// With `openToo`, running exchanges count. Nil where no line can fit.
    init?(
        _ db: Connection, _ subject: FilterSubject, of side: LineSide, _ filter: Filter?,
        _ range: ClosedRange<Int64>,
        openToo: Bool = true
    ) throws(StorageFault) {
        let condition = filter?.sql(for: subject) ?? .always
        guard condition != .never else { return nil }
        let table = subject == .exchange ? "any_exchange x" : "any_command c"
        let alias = subject == .exchange ? "x" : "c"
        let id = "\(alias).id"
        let finished = subject == .exchange && !openToo ? "AND x.outcome <> 'open'" : ""
        statement = try db.prepare(
            "SELECT * FROM \(table) WHERE \(condition.text) AND \(id) BETWEEN ? AND ? \(finished) "
                + "AND \(side.condition(alias)) ORDER BY \(id)")
        let count = Int32(condition.arguments.count)
        for (index, argument) in zip(Int32(1)..., condition.arguments) {
            statement.bind(index, argument)
        }
        low = count + 1
        last = range.lowerBound - 1
        end = min(
            range.upperBound,
            try db.integer(
                "SELECT max(id) FROM \(subject == .exchange ? "any_exchange" : "any_command")")
        )
        make =
            subject == .exchange
            ? { .exchange(SessionID($0.integer(1)), Tables.exchange.row($0)) }
            : { .command(SessionID($0.integer(1)), Tables.command.row($0)) }
    }

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
            size = isSlow ? max(size / 4, 100) : min(size * 4, 64_000)
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
