import Capturing
import Formats
import Notation

/// The packet statistics of a capture, as text and as JSON; the numbers add up.
struct CaptureSummary {
    private let totals: CaptureTotals

    init(_ totals: CaptureTotals) { self.totals = totals }

    /// Lines of text.
    var lines: [String] {
        let (packets, streams, tls) = (totals.packets, totals.streams, totals.tls)
        var lines = [
            "\(packets.seen) packets: \(packets.used) used, \(packets.ignoredInAll) ignored"
        ]
        for (reason, count) in packets.ignored.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            lines.append("  \(count) \(reason.phrase)")
        }
        lines.append(
            "\(streams.connections) TCP connections (\(streams.withoutHandshake) began before), "
                + "\(streams.seen) bytes: \(streams.delivered) delivered, "
                + "\(streams.duplicate + streams.conflicting) repeated, "
                + "\(streams.discardedInAll) discarded; \(streams.missing) missing")
        for (reason, count) in streams.discarded.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            lines.append("  \(count) bytes that \(reason.detail)")
        }
        if streams.conflicting > 0 {
            lines.append("  \(streams.conflicting) repeated bytes differ from the first time")
        }
        if tls.connections > 0 {
            lines.append(
                "\(tls.connections) with TLS: \(tls.decrypted) decrypted, \(tls.encrypted) not"
                    + (tls.encrypted > 0 ? "; --keylog FILE gives keys" : ""))
        }
        for mistake in totals.keyMistakes { lines.append("key log: \(mistake)") }
        return lines
    }

    /// Adds the numbers to a JSON object.
    func add(to object: inout JSONObjectText) {
        let (packets, streams, tls) = (totals.packets, totals.streams, totals.tls)
        var part = JSONObjectText()
        part.add("seen", Int64(packets.seen))
        part.add("used", Int64(packets.used))
        part.add("ignored", Int64(packets.ignoredInAll))
        var reasons = JSONObjectText()
        for (reason, count) in packets.ignored.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            reasons.add(reason.rawValue, Int64(count))
        }
        part.add("reasons", raw: reasons.text)
        object.add("packets", raw: part.text)
        part = JSONObjectText()
        part.add("connections", Int64(streams.connections))
        part.add("without_handshake", Int64(streams.withoutHandshake))
        part.add("bytes", streams.seen)
        part.add("delivered", streams.delivered)
        part.add("repeated", streams.duplicate)
        part.add("conflicting", streams.conflicting)
        part.add("discarded", streams.discardedInAll)
        part.add("missing", streams.missing)
        object.add("streams", raw: part.text)
        part = JSONObjectText()
        part.add("connections", Int64(tls.connections))
        part.add("decrypted", Int64(tls.decrypted))
        part.add("encrypted", Int64(tls.encrypted))
        object.add("tls", raw: part.text)
    }
}
