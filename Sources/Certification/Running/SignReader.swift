internal import Dissection
internal import Filters
public import Trace
public import Wire

/// Looks for signs in a trace, also while it is written.
public final class SignReader {
    private let reader: TraceReader

    /// Opens the trace at `path`.
    public init(path: String) throws(TraceError) { reader = try TraceReader(path: path) }

    /// What is seen of a sign up to now.
    ///
    /// - Parameters:
    ///   - sign: The sign.
    ///   - now: How far the session has come.
    /// - Returns: What is seen; nothing where a filter of the sign is none.
    /// - Throws: ``TraceError`` where the trace cannot be read.
    public func seen(_ sign: Sign, now: Instant) throws(TraceError) -> Played.Seen {
        var start = Instant.zero
        if let after = sign.after {
            guard let line = try first(after) else { return nothing(sign) }
            start = line.at
        }
        if let name = sign.afterFault {
            guard let fault = try reader.faults().first(where: { $0.row.rule == name }) else {
                return nothing(sign)
            }
            start = max(start, fault.row.at)
        }
        switch sign.kind {
        case .either(let signs):
            for one in signs {
                let seen = try seen(one, now: now)
                if seen.isThere { return seen }
            }
            return nothing(sign)
        case .lines(let filter):
            var count = 0
            var row: String?
            guard let filter = try? Filter.parse(filter) else { return nothing(sign) }
            try reader.lines(filter) { line in
                // What happens at the moment itself is what came with it.
                guard line.at > start || start == .zero else { return true }
                count += 1
                if row == nil { row = Self.row(line) }
                return count < max(sign.count, 1_000)
            }
            return Played.Seen(sign: sign, count: count, row: row, isThere: count >= sign.count)
        case .devices(let filter):
            guard let filter = try? Filter.parse(filter) else { return nothing(sign) }
            var devices: Set<String> = []
            var last: String?
            try reader.lines(filter) { line in
                guard case .exchange(_, let row) = line, let device = row.device,
                    devices.insert(device).inserted
                else { return true }
                last = Self.row(line)
                return devices.count < sign.count
            }
            return Played.Seen(
                sign: sign, count: devices.count, row: last,
                isThere: devices.count >= sign.count)
        case .fault(let name):
            let faults = try reader.faults().filter { $0.row.rule == name }
            return Played.Seen(
                sign: sign, count: faults.count, row: faults.first.map { "fault \($0.id)" },
                isThere: faults.count >= sign.count)
        case .lasting(let filter, let seconds):
            guard let line = try first(filter) else { return nothing(sign) }
            let lasted = Double(now.nanoseconds - line.at.nanoseconds) / 1e9
            return Played.Seen(
                sign: sign, count: Int(lasted), row: Self.row(line), isThere: lasted >= seconds)
        }
    }

    /// What is seen of all signs of a scenario, by situation.
    public func seen(
        in scenario: Scenario, now: Instant
    ) throws(TraceError) -> [String: [Played.Seen]] {
        var all: [String: [Played.Seen]] = [:]
        for situation in scenario.situations {
            var seen: [Played.Seen] = []
            for sign in situation.signs { seen.append(try self.seen(sign, now: now)) }
            all[situation.id] = seen
        }
        return all
    }

    private func nothing(_ sign: Sign) -> Played.Seen {
        Played.Seen(sign: sign, count: 0, row: nil, isThere: false)
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
        }
    }
}
