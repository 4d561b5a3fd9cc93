import Notation
import Replaying
import SyncClients
import Wire

/// What `replay client` prints.
struct ReplayClientText {
    let end: ReplayLoad.End
    let figures: ReplayTally.Figures
    let report: ReplayReport
    /// The duration.
    let seconds: Double
    let seed: UInt64
    /// Whether the client may have bridged differences.
    let allowsBridged: Bool

    static func nanoseconds(_ duration: Duration) -> Int64 {
        let (seconds, attoseconds) = duration.components
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }

    /// Whether steps that were not played are no failure: it was ended early.
    var allowsUnused: Bool { end == .timeOver || end == .stopped }

    /// As text.
    var text: String {
        var lines = [headline]
        if !figures.latencies.isEmpty { lines += table }
        switch end {
        case .played: break
        case .timeOver: lines.append("the time limit passed before everything was played")
        case .stopped: lines.append("stopped before everything was played")
        case .unreachable(let reason): lines.append("unreachable: \(ListLine.clean(reason))")
        }
        return report.text(allowsUnused: allowsUnused, allowsBridged: allowsBridged)
            + lines.map { $0 + "\n" }.joined()
    }

    private var headline: String {
        let clients = figures.clients == 1 ? "1 client" : "\(figures.clients) clients"
        return "\(clients), seed \(seed), \(Self.number(seconds)) s: "
            + "\(figures.played) exchanges (\(perSecond(figures.played))/s), "
            + "\(figures.sent + figures.came) commands "
            + "(\(perSecond(figures.sent + figures.came))/s)"
            + (messages > 0 ? ", \(messages) messages (\(perSecond(messages))/s)" : "")
    }

    private var messages: Int { figures.messagesSent + figures.messagesCame }

    private func perSecond(_ count: Int) -> String { Self.number(rate(count)) }

    private func rate(_ count: Int) -> Double { seconds > 0 ? Double(count) / seconds : 0 }

    /// With one decimal digit where it is small.
    private static func number(_ value: Double) -> String {
        if value >= 100 { return String(Int(min(value, 1e15).rounded())) }
        let tenths = Int((value * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }

    private static let shares: [(name: String, share: Double)] = [
        ("p50", 0.5), ("p90", 0.9), ("p95", 0.95), ("p99", 0.99),
    ]

    private var table: [String] {
        var rows = [["api", "count"] + Self.shares.map(\.name) + ["max"]]
        for (api, counts) in figures.latencies.sorted(by: { $0.key < $1.key }) {
            rows.append(
                [ListLine.clean(api), String(counts.count)]
                    + Self.shares.map { TimeSpan.text(counts.percentile($0.share) ?? 0) }
                    + [TimeSpan.text(counts.longest)])
        }
        let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            zip(row, widths).enumerated().map { column, cell in
                let space = String(repeating: " ", count: cell.1 - cell.0.count)
                return column == 0 ? cell.0 + space : space + cell.0
            }.joined(separator: "  ")
        }
    }

    /// One object.
    var json: JSONValue {
        guard
            case .object(var object) = report.json(
                allowsUnused: allowsUnused, allowsBridged: allowsBridged)
        else {
            return .null
        }
        func add(_ name: String, _ value: Int) {
            object.members.append(.init(name, .number(String(value))))
        }
        let name =
            switch end {
            case .played: "played"
            case .timeOver: "time over"
            case .stopped: "stopped"
            case .unreachable: "unreachable"
            }
        object.members.append(.init("end", .string(name)))
        if case .unreachable(let reason) = end {
            object.members.append(.init("reason", .string(reason)))
        }
        object.members.append(.init("seed", .number(String(seed))))
        add("clients", figures.clients)
        add("nanoseconds", Int(seconds * 1e9))
        add("requests", figures.requests)
        add("exchanges", figures.played)
        add("commandsSent", figures.sent)
        add("commandsReceived", figures.came)
        add("messagesSent", figures.messagesSent)
        add("messagesReceived", figures.messagesCame)
        var latencies: [JSONValue] = []
        for (api, counts) in figures.latencies.sorted(by: { $0.key < $1.key }) {
            var item = JSONObject([.init("api", .string(api))])
            item.members.append(.init("count", .number(String(counts.count))))
            for (name, share) in Self.shares {
                let value = counts.percentile(share) ?? 0
                item.members.append(.init("\(name)Nanoseconds", .number(String(value))))
            }
            item.members.append(.init("maxNanoseconds", .number(String(counts.longest))))
            latencies.append(.object(item))
        }
        object.members.append(.init("latencies", .array(latencies)))
        return .object(object)
    }

    /// The text beside the bar.
    static func line(
        _ figures: ReplayTally.Figures, of clients: Int, nanoseconds: Int64
    ) -> String {
        let seconds = max(Double(nanoseconds) / 1e9, 0.001)
        var parts: [String] = []
        if clients > 1 { parts.append("\(figures.finished) of \(clients) clients") }
        if figures.exchanges > 0 {
            parts.append(
                "\(Summary.count(Int64(figures.played), "exchange")), \(number(Double(figures.played) / seconds))/s"
            )
        }
        if figures.commands > 0 {
            let count = figures.sent + figures.came
            parts.append(
                "\(Summary.count(Int64(count), "command")), \(number(Double(count) / seconds))/s")
        }
        if figures.messages > 0 {
            let count = figures.messagesSent + figures.messagesCame
            parts.append(
                "\(Summary.count(Int64(count), "message")), \(number(Double(count) / seconds))/s")
        }
        if figures.differing > 0 { parts.append("\(figures.differing) differ") }
        return parts.joined(separator: "; ")
    }
}
