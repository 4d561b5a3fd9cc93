internal import Filters
internal import Notation
internal import Serving
internal import Trace
internal import Wire

/// Keeps the map of the timeline of a trace, or of those of its rows that a filter selects, and answers
/// what a page shows of it.
actor TimelineKeeper {
    /// What a lane stands for.
    enum Grouping: String {
        case connection, client, bucket
    }

    /// The most lanes of an answer.
    static let mostLanes = 200
    /// The most rows that an answer shows one by one.
    static let mostEntries = 5_000
    /// The most marks of each kind.
    static let mostMarks = 2_000
    /// The shortest time without a row that is a mark, in nanoseconds.
    static let silence: Int64 = 30_000_000_000

    private let filter: Filter?
    private let desk: TraceDesk
    private let isOver = Flagged()
    private var map = TimelineMap()
    private var clients: [Int64: String] = [:]
    /// What follows the rows of the filter; nil before these were read, and without one.
    private var follower: PlaceFollower?
    private var reading: Task<Void, any Error>?

    init(_ desk: TraceDesk, filter: Filter? = nil) {
        self.desk = desk
        self.filter = filter
    }

    /// Ends readings that are going on.
    nonisolated func stop() { isOver.set() }

    /// The lanes of a stretch, as JSON.
    ///
    /// - Parameters:
    ///   - from: Its start since the first session began; nil for that.
    ///   - to: Its end; nil for the end of the trace.
    ///   - width: How many pixels it is shown on.
    ///   - grouping: What a lane stands for.
    ///   - findings: What was found, as marks.
    /// - Returns: The object of `openapi.json`.
    /// - Throws: ``ServedProblem`` where the trace cannot be read.
    func answer(
        from: Int64?, to: Int64?, width: Int, by grouping: Grouping, findings: [Mark]
    ) async throws(ServedProblem) -> String {
        try await advance()
        let start = max(0, from ?? 0)
        // The last row begins at the end.
        let end = max(start + 1_000, to ?? map.end + 1)
        let clients = clients
        func lane(_ part: TimelineMap.Part) -> (id: String, label: String) {
            switch grouping {
            case .connection: ("k\(part.connection)", "connection \(part.connection)")
            case .client:
                clients[part.connection].map { ($0, $0) } ?? ("?", "unknown client")
            case .bucket:
                part.subject.isEmpty ? ("", "other") : (part.subject, part.subject)
            }
        }
        func about(_ part: TimelineMap.Part) -> [String] {
            switch grouping {
            case .connection: [part.subject, clients[part.connection] ?? ""]
            case .client: [part.subject]
            case .bucket: ["k\(part.connection)"]
            }
        }
        var lanes = Lanes()
        let isFew = map.count(from: start, to: end) <= Self.mostEntries
        if isFew {
            for entry in try await entries(from: start, to: end) {
                lanes.add(entry, lane(entry.part))
                lanes.note(about(entry.part), of: lane(entry.part).id)
            }
        } else {
            let pixel = max(map.width, (end - start) / Int64(max(1, width)))
            for (part, cells) in map.parts {
                let lane = lane(part)
                defer { lanes.note(about(part), of: lane.id) }
                for cell in cells {
                    let at = Int64(cell.index) * map.width
                    guard at + map.width > start, at < end else { continue }
                    lanes.add(cell, at: start + max(0, at - start) / pixel * pixel, lane)
                }
            }
            lanes.pixel = pixel
        }
        var object = JSONObjectText()
        object.add("from_ns", start)
        object.add("to_ns", end)
        object.add("end_ns", map.end)
        object.add("lanes", raw: lanes.json(limit: Self.mostLanes))
        object.add("lanes_left_out", Int64(max(0, lanes.count - Self.mostLanes)))
        let marks = try await marks() + findings + silences
        let shown = marks.filter { $0.at >= start && $0.at <= end }.sorted { $0.at < $1.at }
        object.add("marks", raw: "[\(shown.map(\.json).joined(separator: ","))]")
        return object.text
    }

    private var silences: [Mark] {
        map.silences(ofNanoseconds: Self.silence).prefix(Self.mostMarks).map { stretch in
            let seconds = (stretch.upperBound - stretch.lowerBound) / 1_000_000_000
            return Mark(
                at: stretch.lowerBound, kind: "silence", text: "no row for \(seconds) s")
        }
    }

    /// Brings the map up to the present end of the trace.
    private func advance() async throws(ServedProblem) {
        // One reading at a time: an actor goes on with other calls while it waits.
        if let reading {
            _ = await reading.result
            return
        }
        let (map, known, follower, filter) = (map, clients, follower, filter)
        let task = Task { [desk, isOver] in
            let news = try await desk.read { reader throws(TraceError) in
                var news = News(map: map, follower: follower)
                let clock = TraceClock(try reader.sessions())
                if let filter {
                    try news.read(filter, reader, clock, until: isOver)
                } else {
                    try news.read(reader, clock, until: isOver)
                }
                let last = known.keys.max() ?? 0
                news.clients = try reader.clients(after: ConnectionID(last))
                return news
            }
            take(news)
        }
        reading = task
        let result = await task.result
        reading = nil
        if case .failure(let error) = result {
            throw error as? ServedProblem
                ?? ServedProblem(500, "unreadable", "\(error)", hint: "reload the page")
        }
    }

    private func take(_ news: News) {
        map = news.map
        follower = news.follower
        for (connection, client) in news.clients {
            // The port differs with every connection of a client.
            clients[connection.rawValue] =
                client.lastIndex(of: ":").map { String(client[..<$0]) } ?? client
        }
    }

    private func entries(
        from start: Int64, to end: Int64
    ) async throws(ServedProblem) -> [TimelineEntry] {
        let numbers = map.numbers(from: start, to: end)
        let (longOnes, filter) = (map.longOnes, filter)
        return try await desk.read { reader throws(TraceError) in
            let clock = TraceClock(try reader.sessions())
            var found: [TimelineEntry] = []
            var names: Set<LinePlace> = []
            func add(_ entry: TimelineEntry) {
                guard entry.at < end, entry.endedAt ?? max(entry.at, start) >= start,
                    names.insert(entry.place).inserted
                else { return }
                found.append(entry)
            }
            func take(_ event: TimelineEvent) -> Bool {
                let entry = TimelineEntry(event, clock)
                if entry.endedAt != nil || entry.at >= start || entry.isExchange { add(entry) }
                return found.count < 4 * Self.mostEntries
            }
            if let filter {
                try reader.timeline(filter, after: numbers.after, upTo: numbers.upTo, take)
            } else {
                _ = try reader.timeline(
                    after: numbers.after, upTo: numbers.upTo, labelled: true, take)
            }
            // Those that began before have no label.
            for entry in longOnes { add(entry) }
            return found
        }
    }

    private func marks() async throws(ServedProblem) -> [Mark] {
        try await desk.read { reader throws(TraceError) in
            let clock = TraceClock(try reader.sessions())
            return try reader.timelineMarks(limit: Self.mostMarks).map { mark in
                Mark(
                    at: clock.nanoseconds(mark.at, in: mark.session), kind: mark.kind,
                    text: mark.text, connection: mark.connection?.rawValue)
            }
        }
    }
}

extension TimelineKeeper {
    /// A mark; its time since the first session began.
    struct Mark: Hashable, Sendable {
        var at: Int64
        var kind: String
        var text: String
        var connection: Int64?
        /// The row that it is about.
        var row: String?

        fileprivate var json: String {
            var object = JSONObjectText()
            object.add("at_ns", at)
            object.add("kind", kind)
            object.add("text", text)
            object.add("connection_id", connection)
            object.add("row", row)
            return object.text
        }
    }

    /// What a reading adds.
    private struct News: Sendable {
        var map: TimelineMap
        var follower: PlaceFollower?
        var clients: [(connection: ConnectionID, client: String)] = []

        /// Reads all rows that have come.
        mutating func read(
            _ reader: TraceReader, _ clock: TraceClock, until isOver: Flagged
        ) throws(TraceError) {
            let upTo = try reader.timeline(after: map.upTo) { event in
                map.add(TimelineEntry(event, clock))
                return !isOver.isSet
            }
            map.advance(to: upTo)
        }

        /// Reads what has come of the rows of a filter.
        mutating func read(
            _ filter: Filter, _ reader: TraceReader, _ clock: TraceClock, until isOver: Flagged
        ) throws(TraceError) {
            guard var follower else {
                var first = try PlaceFollower(reader, filter: filter, of: .client)
                try first.existingLines(reader) { line in
                    map.add(TimelineEntry(TimelineEvent(line), clock))
                    return !isOver.isSet
                }
                follower = first
                return
            }
            for line in try reader.lines(at: try follower.poll(reader).added) {
                map.add(TimelineEntry(TimelineEvent(line), clock))
            }
            self.follower = follower
        }
    }
}

/// Lanes as they are collected.
private struct Lanes {
    private struct Lane {
        var label: String
        var about: Set<String> = []
        var first: Int64 = .max
        var entries: [TimelineEntry] = []
        var sums: [Int64: (count: Int64, bad: Int64)] = [:]
    }

    /// What is said of a lane beside its label.
    private static let mostWords = 3
    /// Letters of a label.
    private static let mostLetters = 80
    /// Nanoseconds of a sum.
    var pixel: Int64 = 1
    private var lanes: [String: Lane] = [:]

    var count: Int { lanes.count }

    mutating func add(_ entry: TimelineEntry, _ lane: (id: String, label: String)) {
        lanes[lane.id, default: Lane(label: lane.label)].entries.append(entry)
        note(entry.at, lane.id)
    }

    mutating func add(_ cell: TimelineMap.Cell, at: Int64, _ lane: (id: String, label: String)) {
        var sum = lanes[lane.id]?.sums[at] ?? (0, 0)
        sum.count += Int64(cell.count)
        sum.bad += Int64(cell.bad)
        lanes[lane.id, default: Lane(label: lane.label)].sums[at] = sum
        note(at, lane.id)
    }

    private mutating func note(_ at: Int64, _ id: String) {
        let first = min(at, lanes[id]?.first ?? at)
        lanes[id]?.first = first
    }

    /// Notes what else is said of a lane that has rows.
    mutating func note(_ words: [String], of id: String) {
        guard lanes[id] != nil else { return }
        for word in words where !word.isEmpty { lanes[id]?.about.insert(word) }
    }

    /// The lanes in order of their first row.
    func json(limit: Int) -> String {
        let sorted = lanes.sorted { ($0.value.first, $0.key) < ($1.value.first, $1.key) }
        let items = sorted.prefix(limit).map { id, lane in
            var spans = lane.entries.map { entry in
                let ended = entry.endedAt.map(String.init) ?? "null"
                let label = (entry.label?.prefix(Self.mostLetters)).map(String.init)
                return "[\(entry.at),\(ended),\(JSONString.quoted(entry.place.name)),"
                    + "\(entry.level.rawValue),\(label.map(JSONString.quoted) ?? "null")]"
            }
            for (at, sum) in lane.sums.sorted(by: { $0.key < $1.key }) {
                var object = JSONObjectText()
                object.add("at_ns", at)
                object.add("to_ns", at + pixel)
                object.add("count", sum.count)
                object.add("errors", sum.bad)
                spans.append(object.text)
            }
            var object = JSONObjectText()
            object.add("id", id)
            object.add("label", lane.label)
            let words = lane.about.sorted()
            object.add(
                "about",
                words.prefix(Self.mostWords).joined(separator: ", ")
                    + (words.count > Self.mostWords ? ", …" : ""))
            object.add("spans", raw: "[\(spans.joined(separator: ","))]")
            return object.text
        }
        return "[\(items.joined(separator: ","))]"
    }
}
