import Trace
import Wire

/// One connection as text: its legs, and what happened to them.
enum ConnectionPage {
    /// The page.
    static func text(_ detail: ConnectionDetail, _ times: PageTimes) -> String {
        func time(_ at: Instant) -> String { times.short(at, in: detail.session) }
        let row = detail.row
        var lines = [
            "connection k\(row.id): \(row.client) to \(row.listener) (\(row.mode.rawValue))",
            "  \(times.phrase(row.at, in: detail.session))",
        ]
        for leg in detail.legs {
            lines.append(
                "  leg \(leg.id): \(leg.peer) \(ListLine.clean(leg.host)):\(leg.port)"
                    + " at \(time(leg.at))")
        }
        for event in detail.events {
            lines.append(
                "  \(time(event.at))  "
                    + (event.leg.map { "leg \($0) " } ?? "") + event.kind.rawValue
                    + (event.detail.isEmpty ? "" : ": \(ListLine.clean(event.detail))"))
        }
        for gap in detail.gaps {
            lines.append(
                "  \(time(gap.at))  \(ByteCount.text(gap.count)) missing"
                    + " (\(gap.reason.rawValue))")
        }
        lines += FaultText.lines(detail.faults)
        return lines.joined(separator: "\n") + "\n"
    }
}
