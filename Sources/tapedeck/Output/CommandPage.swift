import Dissection
import Filters
import Notation
import Simperium
import Trace
import Wire

/// One Simperium command as text: its payload laid out, and what its changes do.
struct CommandPage {
    let reader: TraceReader
    let times: PageTimes
    /// The objects before commands, where these are shown in their order.
    var objects: FollowedObjects?

    /// The page.
    func text(_ detail: CommandDetail) throws(Failure) -> String {
        let row = detail.row
        var lines = [
            "command c\(row.id) \(ListLine.clean(row.name)) from the \(row.sender)"
                + (row.bucket.map { ", bucket \(ListLine.clean($0))" } ?? "")
                + (row.channel.map { ", channel \($0)" } ?? ""),
            "  \(times.phrase(row.at, in: detail.session)), "
                + "message m\(row.message), connection k\(row.connection)",
        ]
        lines += FateText.lines(row.side, row.fate, row.counterpart.map { "c\($0)" })
        if let problem = row.problem { lines.append("  ! \(ListLine.clean(problem))") }
        for note in detail.notes {
            lines.append("  note \(note.code): \(ListLine.clean(note.detail))")
        }
        lines += FaultText.lines(detail.faults)
        lines += FindingText.lines(detail.findings)
        lines += FindingText.lines(detail.undecided)
        for (change, effects) in zip(detail.changes, try effects(detail)) {
            lines.append("  \(Self.heading(change))")
            lines += effects.map { "    \(ListLine.clean($0))" }
        }
        lines += ["", layout(detail.payload)]
        return lines.joined(separator: "\n") + "\n"
    }

    private static func heading(_ change: ChangeRow) -> String {
        var facts = ["change of \(ListLine.clean(change.key ?? "?"))"]
        if let operation = change.operation { facts.append(operation) }
        switch (change.sv, change.ev) {
        case (let sv?, let ev?): facts.append("version \(sv) → \(ev)")
        case (let sv?, nil): facts.append("on version \(sv)")
        case (nil, let ev?): facts.append("new, version \(ev)")
        case (nil, nil): break
        }
        if let cv = change.cv { facts.append("cv \(ListLine.clean(cv))") }
        if let ccid = change.ccid { facts.append("ccid \(ListLine.clean(ccid))") }
        return facts.joined(separator: ", ")
    }

    /// The payload: JSON with a line for each member, after a first line that is not JSON.
    private func layout(_ payload: ArraySlice<UInt8>) -> String {
        if let split = payload.firstIndex(of: 0x0A) {
            return BodyText.clean(String(decoding: payload[..<split], as: UTF8.self)) + "\n"
                + BodyText.text(Array(payload[(split + 1)...]), isText: true)
        }
        return BodyText.text(Array(payload), isText: true)
    }

    // MARK: Effects

    /// The effect of each change, as text, on the earlier object in the trace.
    func effects(_ detail: CommandDetail) throws(Failure) -> [[String]] {
        let command = SimperiumCommand.parse(detail.text, from: detail.row.sender)
        guard case .changes(let changes) = command.body, let bucket = detail.row.bucket else {
            return []
        }
        var results: [[String]] = []
        for change in changes {
            var base: JSONValue?
            if let key = change.key {
                base =
                    if let objects {
                        try objects.object(change, key, bucket, before: detail.row.id)
                    } else {
                        try ChangeBase(reader: reader).object(
                            change, key, bucket, before: detail.row.id)
                    }
            }
            results.append(ChangeDescription.describe(change, in: detail.text, base: base))
        }
        return results
    }
}
