import Dissection
import Trace
import Wire

/// One WebSocket message as text.
enum MessagePage {
    /// The page.
    static func text(_ detail: MessageDetail, _ times: PageTimes) -> String {
        let row = detail.row
        var lines = [
            "message m\(row.id) from the \(row.sender), \(opcode(row.opcode)), "
                + "\(ByteCount.text(row.size))"
                + (row.isCompressed ? " (\(ByteCount.text(row.wireSize)) deflated)" : ""),
            "  \(times.phrase(row.at, in: detail.session)), "
                + "connection k\(row.connection), socket of exchange #\(row.exchange)",
        ]
        lines += FateText.lines(row.side, row.fate, row.counterpart.map { "m\($0)" })
        if let code = row.closeCode { lines.append("  close code \(code)") }
        if let problem = row.problem { lines.append("  ! \(ListLine.clean(problem))") }
        for frame in detail.frames {
            lines.append(
                "  frame \(frame.position): \(opcode(frame.opcode))"
                    + (frame.fin ? ", fin" : "") + (frame.rsv == 0 ? "" : ", rsv \(frame.rsv)")
                    + (frame.mask.map { ", mask \(String($0, radix: 16))" } ?? ", not masked")
                    + ", \(frame.payloadSize) byte\(frame.payloadSize == 1 ? "" : "s"), chunk \(frame.place.chunk) at \(frame.place.offset)"
            )
        }
        for command in detail.commands { lines.append("  command c\(command.id)") }
        for note in detail.notes {
            lines.append("  note \(note.code): \(ListLine.clean(note.detail))")
        }
        lines += FaultText.lines(detail.faults)
        lines += FindingText.lines(detail.findings)
        lines += FindingText.lines(detail.undecided)
        let payload = BodyText.text(row.payload, isText: row.isText)
        if !payload.isEmpty { lines += ["", payload] }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Name of an opcode (RFC 6455, 11.8).
    static func opcode(_ number: Int) -> String {
        switch number {
        case 0: "continuation"
        case 1: "text"
        case 2: "binary"
        case 8: "close"
        case 9: "ping"
        case 10: "pong"
        default: "opcode \(number)"
        }
    }
}
