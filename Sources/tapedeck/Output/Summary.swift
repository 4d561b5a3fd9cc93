import Trace

/// The summary of a recording.
enum Summary {
    /// Prints the counts of one session.
    static func print(_ totals: TraceTotals, trace: String) {
        var lines = [line(totals)]
        if totals.missingBytes > 0 {
            lines.append(
                "missing because nothing could be written: \(ByteCount.text(totals.missingBytes))")
        }
        if totals.evictedChunks > 0 {
            lines.append(
                "evicted to keep the trace within its bounds: \(ByteCount.text(totals.evictedBytes)) in \(totals.evictedChunks) chunks"
            )
        }
        lines.append("trace: \(trace)")
        StandardOutput.write(lines.joined(separator: "\n") + "\n")
    }

    /// The counts on one line.
    static func line(_ totals: TraceTotals) -> String {
        [
            count(totals.connections, "connection"), count(totals.exchanges, "exchange"),
            count(totals.messages, "message"), count(totals.commands, "command"),
            ByteCount.text(totals.bytes), count(totals.faults, "fault"),
            count(totals.gaps, "gap"),
        ].joined(separator: ", ")
    }

    /// `1 exchange`, `2 exchanges`.
    static func count(_ number: Int64, _ noun: String) -> String {
        guard number != 1 else { return "1 \(noun)" }
        let isEntry = noun.hasSuffix("ry") || noun.hasSuffix("ty")
        return "\(number) \(isEntry ? noun.dropLast() + "ies" : noun + "s")"
    }
}
