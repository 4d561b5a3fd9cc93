internal import Dissection
internal import Filters
public import Trace
public import Wire

/// Looks for expected events in a trace, also while it is written.
public final class ExpectedEventReader {
    private let reader: TraceReader

    /// Opens the trace at `path`.
    public init(path: String) throws(TraceError) { reader = try TraceReader(path: path) }

    /// The observation of an expected event up to now.
    ///
    /// - Parameters:
    ///   - expectation: The expected event.
    ///   - now: The time since the session started.
    /// - Returns: The observation; nothing where a filter of the event is invalid.
    /// - Throws: ``TraceError`` where the trace cannot be read.
    public func seen(_ expectation: ExpectedEvent, now: Instant) throws(TraceError) -> Played.Seen {
        var start = Instant.zero
        if let after = expectation.after {
            guard let line = try first(after) else { return nothing(expectation) }
            start = line.at
        }
        if let name = expectation.afterFault {
            guard let fault = try faults(of: name).first else { return nothing(expectation) }
            start = max(start, fault.row.at)
        }
        switch expectation.kind {
        case .either(let expectations):
            for one in expectations {
                let seen = try seen(one, now: now)
                if seen.isThere { return seen }
            }
            return nothing(expectation)
        case .lines(let filter):
            var count = 0
            var row: String?
            guard let filter = try? Filter.parse(filter) else { return nothing(expectation) }
            try reader.lines(filter) { line in
                // Rows at that very instant belong to the fault itself.
                guard line.at > start || start == .zero else { return true }
                count += 1
                if row == nil { row = Self.row(line) }
                return count < max(expectation.count, 1_000)
            }
            return Played.Seen(
                expectation: expectation, count: count, row: row,
                isThere: count >= expectation.count)
        case .devices(let filter):
            guard let filter = try? Filter.parse(filter) else { return nothing(expectation) }
            var devices: Set<String> = []
            var last: String?
            try reader.lines(filter) { line in
                guard case .exchange(_, let row) = line, let device = row.device,
                    devices.insert(device).inserted
                else { return true }
                last = Self.row(line)
                return devices.count < expectation.count
            }
            return Played.Seen(
                expectation: expectation, count: devices.count, row: last,
                isThere: devices.count >= expectation.count)
        case .changes(let key):
            var changes: Set<String> = []
            var last: String?
            for session in try reader.sessions() {
                try reader.history(of: session.id) { entry in
                    guard case .command(let row, let made, _) = entry, row.sender == .client else {
                        return
                    }
                    for change in made where change.key == key {
                        guard let ccid = change.ccid, changes.insert(ccid).inserted else {
                            continue
                        }
                        last = "command c\(row.id.rawValue)"
                    }
                }
            }
            return Played.Seen(
                expectation: expectation, count: changes.count, row: last,
                isThere: changes.count >= expectation.count)
        case .fault(let name):
            let faults = try faults(of: name)
            return Played.Seen(
                expectation: expectation, count: faults.count,
                row: faults.first.map { "fault \($0.id)" },
                isThere: faults.count >= expectation.count)
        case .lasting(let filter, let seconds):
            guard let line = try first(filter) else { return nothing(expectation) }
            let lasted = Double(now.nanoseconds - line.at.nanoseconds) / 1e9
            return Played.Seen(
                expectation: expectation, count: Int(lasted), row: Self.row(line),
                isThere: lasted >= seconds)
        }
    }

    /// What a rule did; what it could not do does not count.
    private func faults(of rule: String) throws(TraceError) -> [FaultDetail] {
        try reader.faults().filter { $0.row.rule == rule && $0.row.isDone }
    }

    /// The observations of all expected events of a scenario, by situation.
    public func seen(
        in scenario: Scenario, now: Instant
    ) throws(TraceError) -> [String: [Played.Seen]] {
        var all: [String: [Played.Seen]] = [:]
        for situation in scenario.situations {
            var seen: [Played.Seen] = []
            for expectation in situation.expectations {
                seen.append(try self.seen(expectation, now: now))
            }
            all[situation.id] = seen
        }
        return all
    }

    private func nothing(_ expectation: ExpectedEvent) -> Played.Seen {
        Played.Seen(expectation: expectation, count: 0, row: nil, isThere: false)
    }

    private func first(_ filter: String) throws(TraceError) -> TraceLine? {
        guard let filter = try? Filter.parse(filter) else { return nil }
        var found: TraceLine?
        try reader.lines(filter, limit: 1) {
            found = $0
            return false
        }
        return found
    }

    private static func row(_ line: TraceLine) -> String {
        switch line {
        case .exchange(_, let row): "exchange \(row.id.rawValue)"
        case .command(_, let row): "command c\(row.id.rawValue)"
        case .message(_, let row): "message m\(row.id.rawValue)"
        }
    }
}
