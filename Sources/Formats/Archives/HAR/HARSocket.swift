internal import Notation
internal import Wire

/// Reads the WebSocket messages of an entry.
///
/// Chrome writes `_webSocketMessages` with `type` (`send`, `receive`, or `error` with opcode -1),
/// `time` in seconds since 1970, `opcode`, and `data`, which is text for opcode 1 and base64 for
/// others; mitmproxy and HTTP Toolkit do as Chrome. HTTP Toolkit adds `_webSocketClose`, which does
/// not contain who closed, so that no message is made of it.
enum HARSocket {
    /// Times below this, in seconds, are not times since 1970 but since some other start.
    private static let leastSeconds: Int64 = 100_000_000

    /// Adds the messages of `entry` to `exchange`.
    static func read(
        _ entry: JSONDocument.Node, in document: HARDocument,
        into exchange: inout ArchivedExchange
    ) {
        readClose(entry["_webSocketClose"], &exchange)
        guard let list = entry["_webSocketMessages"], list.kind == .array else { return }
        var shift: Int64?
        var last = exchange.respondedUnixNanoseconds
        var wentBack = false
        for element in list.elements {
            guard let sender = sender(element["type"]?.string) else {
                if exchange.error.isEmpty { exchange.error = element["data"]?.string ?? "" }
                continue
            }
            var at = moment(element["time"]) ?? last
            if at < leastSeconds * 1_000_000_000 {
                // Seconds since the browser started: the first message counts as sent at once.
                let by = shift ?? exchange.respondedUnixNanoseconds - at
                shift = by
                at += by
            }
            if at < last { wentBack = last - at > 1_000_000 || wentBack }
            last = max(last, at)
            let opcode = HARNumber.count(element["opcode"]) ?? 1
            exchange.messages.append(
                ArchivedExchange.SocketMessage(
                    sender: sender, atUnixNanoseconds: last,
                    opcode: (0...15).contains(opcode) ? Int(opcode) : 1,
                    payload: payload(
                        document.content(element["data"]) ?? [], opcode: opcode,
                        &exchange.oddities)))
        }
        exchange.endedUnixNanoseconds = max(exchange.endedUnixNanoseconds, last)
        if wentBack {
            exchange.oddities.append(
                "the times of the archived messages decrease; their order is used")
        }
    }

    private static func sender(_ type: String?) -> Peer? {
        switch type {
        case "send", "request": .client
        case "receive", "response": .server
        default: nil
        }
    }

    /// Seconds, or by their size milliseconds or microseconds, in nanoseconds.
    private static func moment(_ node: JSONDocument.Node?) -> Int64? {
        let whole = HARNumber.count(node) ?? 0
        let places = whole < 100_000_000_000 ? 9 : whole < 100_000_000_000_000 ? 6 : 3
        return HARNumber.nanoseconds(node, places: places).map { min($0, .max / 8 * 7) }
    }

    private static func payload(
        _ text: [UInt8], opcode: Int64, _ oddities: inout [String]
    ) -> [UInt8] {
        guard opcode != 1, opcode != 0 else { return text }
        if let bytes = Base64.decode(text, .whitespace) { return bytes }
        oddities.append("a message of opcode \(opcode) is not base64; its text was used")
        // A control message has at most 125 bytes (RFC 6455, 5.5).
        return Array(text.prefix(opcode >= 8 ? 125 : .max))
    }

    private static func readClose(
        _ close: JSONDocument.Node?, _ exchange: inout ArchivedExchange
    ) {
        guard let close else { return }
        if close.spells("aborted") {
            exchange.error = "aborted"
        } else if let code = HARNumber.count(close["code"]) {
            let reason = close["reason"]?.string ?? ""
            exchange.error = "closed with \(code)" + (reason.isEmpty ? "" : ": \(reason)")
        }
        if let at = moment(close["timestamp"]) {
            exchange.endedUnixNanoseconds = max(exchange.endedUnixNanoseconds, at)
        }
    }
}
