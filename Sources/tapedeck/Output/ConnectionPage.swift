import Trace
import Wire

/// One connection as text: its legs, and what happened to them.
enum ConnectionPage {
    /// The page.
    static func text(_ detail: ConnectionDetail) -> String {
        let row = detail.row
        var lines = [
            "connection k\(row.id): \(row.client) to \(row.listener) (\(row.mode.rawValue))",
            "  \(TimeSpan.clock(row.at.nanoseconds)) s into session \(detail.session)",
        ]
        for leg in detail.legs {
            lines.append(
                "  leg \(leg.id): \(leg.peer) \(ListLine.clean(leg.host)):\(leg.port)"
                    + " at \(TimeSpan.clock(leg.at.nanoseconds)) s")
        }
        for event in detail.events {
            lines.append(
                "  \(TimeSpan.clock(event.at.nanoseconds)) s  "
                    + (event.leg.map { "leg \($0) " } ?? "") + event.kind.rawValue
                    + (event.detail.isEmpty ? "" : ": \(ListLine.clean(event.detail))"))
        }
        for gap in detail.gaps {
            lines.append(
                "  \(TimeSpan.clock(gap.at.nanoseconds)) s  \(ByteCount.text(gap.count)) missing"
                    + " (\(gap.reason.rawValue))")
        }
        lines += FaultText.lines(detail.faults)
        return lines.joined(separator: "\n") + "\n"
    }
}
