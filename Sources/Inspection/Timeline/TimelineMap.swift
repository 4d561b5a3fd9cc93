internal import Filters
internal import Trace
internal import Wire

/// How many rows each stretch of a recording has, lane by lane, at a resolution that becomes coarser as the
/// recording becomes longer.
///
/// A lane has at most ``cells`` cells however long it is. Coarser levels are sums of cells; finer ones are
/// read from the trace again, which ``numbers(from:to:)`` bounds.
struct TimelineMap: Sendable {
    /// What a lane is made of: the lanes that are shown are sums of these.
    struct Part: Hashable, Sendable {
        var connection: Int64
        /// The bucket of a command, the API of an exchange; empty for none.
        var subject: String
    }

    /// A stretch of a lane.
    struct Cell: Hashable, Sendable {
        var index: Int32
        var count: UInt32
        var bad: UInt32
    }

    /// The most cells of a lane.
    static let cells: Int64 = 1 << 16
    /// The most exchanges that are remembered since they take long.
    private static let mostLong = 20_000
    /// An exchange that takes more cells is long: it is looked for by itself.
    private static let long: Int64 = 64

    /// Nanoseconds of a cell.
    private(set) var width: Int64 = 1 << 10
    private(set) var parts: [Part: [Cell]] = [:]
    /// Up to which rows it is made.
    private(set) var upTo = TraceReader.Numbers()
    /// When the last row began or ended.
    private(set) var end: Int64 = 0
    /// Exchanges that took long: they begin before what is looked at.
    private(set) var longOnes: [TimelineEntry] = []
    /// The last numbers of rows that began up to the end of each cell of ``steps``.
    private var steps: [Int32: TraceReader.Numbers] = [:]

    /// Adds a row; rows of a kind come in order of their numbers.
    mutating func add(_ entry: TimelineEntry) {
        end = max(end, entry.at, entry.endedAt ?? 0)
        while entry.at / width >= Self.cells { coarsen() }
        let index = Int32(truncatingIfNeeded: max(0, entry.at) / width)
        Self.count(entry, in: &parts[entry.part, default: []], at: index)
        note(entry.place, at: index)
        if isLong(entry), longOnes.count < Self.mostLong { longOnes.append(entry) }
    }

    /// Notes up to which rows it is made.
    mutating func advance(to numbers: TraceReader.Numbers) { upTo = numbers }

    // Of the type: a method of the value would keep a second reference to the lanes, and each row would
    // copy them.
    private static func count(
        _ entry: TimelineEntry, in cells: inout [Cell], at index: Int32
    ) {
        let bad: UInt32 = entry.level == .bad ? 1 : 0
        // Rows come nearly in order of time.
        var place = cells.endIndex
        while place > 0, cells[place - 1].index > index { place -= 1 }
        if place > 0, cells[place - 1].index == index {
            cells[place - 1].count &+= 1
            cells[place - 1].bad &+= bad
        } else {
            cells.insert(Cell(index: index, count: 1, bad: bad), at: place)
        }
    }

    private mutating func note(_ place: LinePlace, at index: Int32) {
        var numbers = steps[index] ?? .init()
        switch place.subject {
        case .exchange: numbers.exchange = max(numbers.exchange, place.id)
        case .command: numbers.command = max(numbers.command, place.id)
        case .message: numbers.message = max(numbers.message, place.id)
        }
        steps[index] = numbers
    }

    /// Makes cells twice as wide.
    private mutating func coarsen() {
        width *= 2
        for part in parts.keys {
            var merged: [Cell] = []
            for cell in parts[part] ?? [] {
                let index = cell.index >> 1
                if let last = merged.last, last.index == index {
                    merged[merged.endIndex - 1].count &+= cell.count
                    merged[merged.endIndex - 1].bad &+= cell.bad
                } else {
                    merged.append(Cell(index: index, count: cell.count, bad: cell.bad))
                }
            }
            parts[part] = merged
        }
        var numbers: [Int32: TraceReader.Numbers] = [:]
        for (index, step) in steps {
            numbers[index >> 1] = numbers[index >> 1].map { $0.later(step) } ?? step
        }
        steps = numbers
        longOnes = longOnes.filter(isLong)
    }

    /// Whether a row takes so many cells that it is looked for by itself; what is running may.
    private func isLong(_ entry: TimelineEntry) -> Bool {
        guard let endedAt = entry.endedAt else { return entry.isExchange }
        return (endedAt - entry.at) / width > Self.long
    }

    /// The rows that may have begun in a stretch: after the first numbers, up to the last.
    func numbers(
        from start: Int64, to end: Int64
    ) -> (after: TraceReader.Numbers, upTo: TraceReader.Numbers) {
        // What takes less than a long exchange began so many cells before at most.
        let first = Int32(truncatingIfNeeded: max(0, start / width - Self.long - 1))
        let last = Int32(truncatingIfNeeded: min(Self.cells, max(0, end / width) + 1))
        var after = TraceReader.Numbers()
        var upTo = TraceReader.Numbers()
        for (index, step) in steps {
            if index < first { after = after.later(step) }
            if index <= last { upTo = upTo.later(step) }
        }
        return (after, upTo)
    }

    /// Stretches of at least this length in which no row begins, in order of time.
    func silences(ofNanoseconds least: Int64) -> [ClosedRange<Int64>] {
        let indexes = steps.keys.sorted()
        return zip(indexes, indexes.dropFirst()).compactMap { before, after in
            let start = (Int64(before) + 1) * width
            let end = Int64(after) * width
            return end - start >= max(least, width) ? start...end : nil
        }
    }

    /// The number of rows in a stretch.
    func count(from start: Int64, to end: Int64) -> Int {
        let range = start / width...max(start, end) / width
        return parts.values.reduce(0) { sum, cells in
            cells.reduce(sum) { range.contains(Int64($1.index)) ? $0 + Int($1.count) : $0 }
        }
    }
}

/// A row on a timeline; its times since the first session began.
struct TimelineEntry: Hashable, Sendable {
    /// How it went.
    enum Level: Int, Sendable {
        case good, warning, bad, fromClient, fromServer
    }

    var place: LinePlace
    var part: TimelineMap.Part
    var at: Int64
    var endedAt: Int64?
    var level: Level
    /// What it is, in a few words; nil where that was not read.
    var label: String?
    /// Whether it takes time, as exchanges do.
    var isExchange: Bool { place.subject == .exchange }

    init(_ event: TimelineEvent, _ clock: TraceClock) {
        place = event.place
        part = TimelineMap.Part(
            connection: event.connection.rawValue, subject: event.subject ?? "")
        at = clock.nanoseconds(event.at, in: event.session)
        label = event.label
        endedAt = event.endedAt.map { clock.nanoseconds($0, in: event.session) }
        switch (event.sender, event.status) {
        case _ where !event.isGood: level = .bad
        case (.client, _): level = .fromClient
        case (.server, _): level = .fromServer
        case (nil, let status?) where status >= 500: level = .bad
        case (nil, let status?) where status >= 400: level = .warning
        case (nil, _): level = .good
        }
    }
}

extension TraceReader.Numbers {
    /// The later of each kind.
    fileprivate func later(_ other: Self) -> Self {
        Self(
            exchange: max(exchange, other.exchange), command: max(command, other.command),
            message: max(message, other.message))
    }
}
