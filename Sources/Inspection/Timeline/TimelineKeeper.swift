internal import Notation
internal import Serving
internal import Trace
internal import Wire

/// Keeps the map of a trace's timeline, and answers what a page shows of it.
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

    private let desk: TraceDesk
    private let isOver = Flagged()
    private var map = TimelineMap()
    private var clients: [Int64: String] = [:]
    private var reading: Task<Void, any Error>?

    init(_ desk: TraceDesk) { self.desk = desk }

    /// Ends readings that are going on.
    nonisolated func stop() { isOver.set() }

    /// The lanes of a stretch, as JSON.
    ///
    /// - Parameters:
    ///   - from: Its start since the first session began; nil for that.
    ///   - to: Its end; nil for the end of the trace.
    ///   - width: How many pixels it is shown on.
    ///   - grouping: What a lane stands for.
    /// - Returns: The object of `openapi.json`.
    /// - Throws: ``ServedProblem`` where the trace cannot be read.
    func answer(
        from: Int64?, to: Int64?, width: Int, by grouping: Grouping
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
        var lanes = Lanes()
        let isFew = map.count(from: start, to: end) <= Self.mostEntries
        if isFew {
            for entry in try await entries(from: start, to: end) {
                lanes.add(entry, lane(entry.part))
            }
        } else {
            let pixel = max(map.width, (end - start) / Int64(max(1, width)))
            for (part, cells) in map.parts {
                let lane = lane(part)
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
        object.add("marks", raw: try await marks(from: start, to: end))
        return object.text
    }

    /// Brings the map up to the present end of the trace.
    private func advance() async throws(ServedProblem) {
        // One reading at a time: an actor goes on with other calls while it waits.
        if let reading {
            _ = await reading.result
            return
        }
        let (map, known) = (map, clients)
        let task = Task { [desk, isOver] in
            let (next, more) = try await desk.read { reader throws(TraceError) in
                var map = map
                let clock = TraceClock(try reader.sessions())
                let upTo = try reader.timeline(after: map.upTo) { event in
                    map.add(TimelineEntry(event, clock))
                    return !isOver.isSet
                }
                map.advance(to: upTo)
                let last = known.keys.max() ?? 0
                return (map, try reader.clients(after: ConnectionID(last)))
            }
            take(next, more)
        }
        reading = task
        let result = await task.result
        reading = nil
        if case .failure(let error) = result {
            throw error as? ServedProblem
                ?? ServedProblem(500, "unreadable", "\(error)", hint: "reload the page")
        }
    }

    private func take(
        _ map: TimelineMap, _ more: [(connection: ConnectionID, client: String)]
    ) {
        self.map = map
        for (connection, client) in more {
            // The port differs with every connection of a client.
            clients[connection.rawValue] =
                client.lastIndex(of: ":").map { String(client[..<$0]) } ?? client
        }
    }

    private func entries(
        from start: Int64, to end: Int64
    ) async throws(ServedProblem) -> [TimelineEntry] {
        let numbers = map.numbers(from: start, to: end)
        let longOnes = map.longOnes
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
            for entry in longOnes { add(entry) }
            _ = try reader.timeline(after: numbers.after, upTo: numbers.upTo) { event in
                let entry = TimelineEntry(event, clock)
                if entry.endedAt != nil || entry.at >= start || entry.isExchange { add(entry) }
                return found.count < 4 * Self.mostEntries
            }
            return found
        }
    }

    private func marks(from start: Int64, to end: Int64) async throws(ServedProblem) -> String {
        try await desk.read { reader throws(TraceError) in
            let clock = TraceClock(try reader.sessions())
            let items = try reader.timelineMarks(limit: Self.mostMarks).compactMap { mark in
                let at = clock.nanoseconds(mark.at, in: mark.session)
                guard at >= start, at <= end else { return nil as String? }
                var object = JSONObjectText()
                object.add("at_ns", at)
                object.add("kind", mark.kind)
                object.add("text", mark.text)
                object.add("connection_id", mark.connection?.rawValue)
                return object.text
            }
            return "[\(items.joined(separator: ","))]"
        }
    }
}

/// Lanes as they are collected.
private struct Lanes {
    private struct Lane {
        var label: String
        var first: Int64 = .max
        var entries: [TimelineEntry] = []
        var sums: [Int64: (count: Int64, bad: Int64)] = [:]
    }

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

    /// The lanes in order of their first row.
    func json(limit: Int) -> String {
        let sorted = lanes.sorted { ($0.value.first, $0.key) < ($1.value.first, $1.key) }
        let items = sorted.prefix(limit).map { id, lane in
            var spans = lane.entries.map { entry in
                let ended = entry.endedAt.map(String.init) ?? "null"
                return "[\(entry.at),\(ended),\(JSONString.quoted(entry.place.name)),"
                    + "\(entry.level.rawValue)]"
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
            object.add("spans", raw: "[\(spans.joined(separator: ","))]")
            return object.text
        }
        return "[\(items.joined(separator: ","))]"
    }
}
