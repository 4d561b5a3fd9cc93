import Fleet
import Foundation

/// How far traces are shipped, as text.
enum ShipText {
    /// The status of a trace, a few lines.
    static func status(_ status: ShippingStatus, unixNow: Int64) -> String {
        guard let recorder = status.recorder else {
            return "\(status.trace): never shipped, "
                + "\(Summary.count(status.waitingChunks, "chunk")) waiting\n"
        }
        var lines = [
            "\(status.trace): recorder \(recorder), to \(status.address ?? "no address yet"), "
                + (status.isRedacted ? "redacted" : "with secrets"),
            "  \(Summary.count(status.rows, "row")) shipped, \(ByteCount.text(status.bytes))",
        ]
        if status.openBatches > 0 {
            lines.append("  unanswered batches: \(status.openBatches)")
        }
        if status.waitingChunks > 0 {
            let age = status.oldestWaiting.map { max(0, unixNow - $0) / 1_000_000_000 } ?? 0
            lines.append(
                "  \(Summary.count(status.waitingChunks, "chunk")) waiting, the oldest recorded "
                    + "\(Summary.count(age, "second")) ago")
        } else {
            lines.append("  nothing waiting")
        }
        for table in status.tables { lines.append("  \(table.name) \(table.rows)") }
        return lines.joined(separator: "\n") + "\n"
    }
}
