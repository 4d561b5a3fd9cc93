import Dissection
import Trace
import Wire

/// What a WebSocket carried, as a part of the page of the exchange that opened it.
struct SocketPage {
    let reader: TraceReader
    let times: PageTimes
    /// How the lines of messages look.
    var style = ListStyle.standard

    /// Messages that are listed.
    static let limit = 200

    /// The lines; none without messages.
    func lines(_ row: ExchangeRow, _ session: SessionID) throws(Failure) -> [String] {
        let (messages, count) = try reader.reading { reader throws(TraceError) in
            try reader.messages(of: row, limit: Self.limit)
        }
        guard count > 0 else { return [] }
        let size = try reader.reading { reader throws(TraceError) in
            try reader.socketSizes(of: row.side == .server ? .server : .client)[row.id]
        }
        var title = "── \(Summary.count(count, "message"))"
        if let size {
            title +=
                ", \(ByteCount.text(size.clientBytes)) from the client, "
                + "\(ByteCount.text(size.serverBytes)) from the server"
        }
        var faulted = FaultedRows()
        try reader.reading { reader throws(TraceError) in try reader.extend(&faulted) }
        var column = times.lines
        var style = style
        style.timeWidth = column.width
        var lines = ["", title]
        for message in messages {
            lines.append(
                ListLine.message(
                    message, time: column.next(message.endedAt, in: session), style,
                    rules: faulted.rules(of: message.id)))
        }
        if count > messages.count {
            lines.append("… \(count - Int64(messages.count)) more: tapedeck ls with kind:message")
        }
        return lines
    }
}
