import Dissection
import Notation
import Trace
import Wire

/// What `show --json` prints: one object with everything.
enum JSONDetail {
    /// An exchange with heads, bodies, parts, documents and notes.
    static func exchange(_ detail: ExchangeDetail) -> String {
        var object = JSONObjectText()
        object.add("exchange", raw: JSONLine.exchange(detail.row, detail.session))
        object.add("request", raw: detail.request.map(body) ?? "null")
        object.add("response", raw: detail.response.map(body) ?? "null")
        object.add("parts", raw: list(detail.parts.map(part)))
        object.add("openrosa", raw: list(detail.documents.map { document($0, of: detail) }))
        object.add("notes", raw: list(detail.notes.map(note)))
        object.add("faults", raw: list(detail.faults.map { JSONLine.fault($0) }))
        object.add("findings", raw: list(detail.findings.map(FindingJSON.stored)))
        return object.text
    }

    /// A message with frames and notes.
    static func message(_ detail: MessageDetail) -> String {
        let row = detail.row
        var object = JSONObjectText()
        object.add("id", row.id.rawValue)
        object.add("connection_id", row.connection.rawValue)
        object.add("exchange_id", row.exchange.rawValue)
        object.add("sender", row.sender.description)
        object.add("at_ns", row.at.nanoseconds)
        object.add("opcode", Int64(row.opcode))
        object.add("size", row.size)
        object.add("wire_size", row.wireSize)
        object.add("compressed", row.isCompressed ? 1 : 0)
        object.add("close_code", row.closeCode.map(Int64.init))
        content(row.payload, row.isText, "payload", &object)
        object.add("problem", row.problem)
        object.add("frames", raw: list(detail.frames.map(frame)))
        object.add("notes", raw: list(detail.notes.map(note)))
        object.add("faults", raw: list(detail.faults.map { JSONLine.fault($0) }))
        object.add("findings", raw: list(detail.findings.map(FindingJSON.stored)))
        return object.text
    }

    /// A command with its changes and what they do.
    static func command(_ detail: CommandDetail, effects: [[String]]) -> String {
        var object = JSONObjectText()
        object.add("command", raw: JSONLine.command(detail.row, detail.session, detail.text))
        var changes: [String] = []
        for (index, change) in detail.changes.enumerated() {
            var item = JSONObjectText()
            item.add("key", change.key)
            item.add("o", change.operation)
            item.add("sv", change.sv)
            item.add("ev", change.ev)
            item.add("cv", change.cv)
            item.add("ccid", change.ccid)
            item.add("clientid", change.clientID)
            item.add("error", change.error.map(Int64.init))
            let says = index < effects.count ? effects[index] : []
            item.add("says", raw: list(says.map(JSONString.quoted)))
            changes.append(item.text)
        }
        object.add("changes", raw: list(changes))
        object.add("notes", raw: list(detail.notes.map(note)))
        object.add("faults", raw: list(detail.faults.map { JSONLine.fault($0) }))
        object.add("findings", raw: list(detail.findings.map(FindingJSON.stored)))
        return object.text
    }

    /// A connection with its legs, events and gaps.
    static func connection(_ detail: ConnectionDetail) -> String {
        var object = JSONObjectText()
        object.add("id", detail.row.id.rawValue)
        object.add("session_id", detail.session.rawValue)
        object.add("at_ns", detail.row.at.nanoseconds)
        object.add("listener", detail.row.listener)
        object.add("client", detail.row.client)
        object.add("mode", detail.row.mode.rawValue)
        object.add(
            "legs",
            raw: list(
                detail.legs.map { leg in
                    var item = JSONObjectText()
                    item.add("id", leg.id.rawValue)
                    item.add("peer", leg.peer.description)
                    item.add("at_ns", leg.at.nanoseconds)
                    item.add("host", leg.host)
                    item.add("port", Int64(leg.port))
                    return item.text
                }))
        object.add(
            "events",
            raw: list(
                detail.events.map { event in
                    var item = JSONObjectText()
                    item.add("kind", event.kind.rawValue)
                    item.add("leg_id", event.leg?.rawValue)
                    item.add("at_ns", event.at.nanoseconds)
                    item.add("says", event.says)
                    return item.text
                }))
        object.add(
            "gaps",
            raw: list(
                detail.gaps.map { gap in
                    var item = JSONObjectText()
                    item.add("leg_id", gap.leg?.rawValue)
                    item.add("at_ns", gap.at.nanoseconds)
                    item.add("bytes", gap.count)
                    item.add("reason", gap.reason.rawValue)
                    return item.text
                }))
        object.add("faults", raw: list(detail.faults.map { JSONLine.fault($0) }))
        return object.text
    }

    private static func list(_ items: [String]) -> String { "[\(items.joined(separator: ","))]" }

    private static func content(
        _ bytes: [UInt8], _ isText: Bool, _ name: String, _ object: inout JSONObjectText
    ) {
        if isText {
            object.add(name, String(decoding: bytes, as: UTF8.self))
        } else {
            object.add("\(name)_hex", Hexadecimal.text(bytes))
        }
    }

    private static func body(_ row: BodyRow) -> String {
        var object = JSONObjectText()
        object.add("head", String(decoding: row.head, as: UTF8.self))
        content(row.content, row.isText, "content", &object)
        object.add("size", row.size)
        object.add("wire_size", row.wireSize)
        object.add("coding", row.coding)
        object.add("content_type", row.contentType)
        object.add("trailers", String(decoding: row.trailers, as: UTF8.self))
        object.add("problem", row.problem)
        return object.text
    }

    private static func part(_ row: PartRow) -> String {
        var object = JSONObjectText()
        object.add("sender", row.sender.description)
        object.add("position", Int64(row.position))
        object.add("name", row.name)
        object.add("filename", row.filename)
        object.add("content_type", row.contentType)
        object.add("size", row.size)
        return object.text
    }

    private static func document(_ row: OpenRosaRow, of detail: ExchangeDetail) -> String {
        var object = JSONObjectText()
        object.add("sender", row.sender.description)
        object.add("part", row.part.map(Int64.init))
        object.add("kind", row.kind)
        object.add("root", row.root)
        object.add("namespace", row.namespace)
        object.add("nature", row.nature)
        object.add("says", row.says)
        object.add("key", row.key)
        object.add("items", row.items)
        object.add("done", row.done)
        object.add("total", row.total)
        object.add("restore_id", row.restoreID)
        object.add("instance_id", row.instanceID)
        object.add("cases", Int64(row.cases))
        object.add("fixtures", Int64(row.fixtures))
        object.add("ledgers", Int64(row.ledgers))
        let body = row.sender == .client ? detail.request : detail.response
        let parts = detail.parts.filter { $0.sender == row.sender }
        let content = body.flatMap { DocumentContent(row, in: $0, parts: parts)?.json }
        object.add("counts", raw: content ?? "null")
        object.add("problem", row.problem)
        return object.text
    }

    private static func frame(_ row: FrameRow) -> String {
        var object = JSONObjectText()
        object.add("position", Int64(row.position))
        object.add("fin", row.fin ? 1 : 0)
        object.add("rsv", Int64(row.rsv))
        object.add("opcode", Int64(row.opcode))
        object.add("mask", row.mask.map(Int64.init))
        object.add("header_size", Int64(row.headerSize))
        object.add("payload_size", row.payloadSize)
        return object.text
    }

    private static func note(_ row: NoteRow) -> String {
        var object = JSONObjectText()
        object.add("code", row.code)
        object.add("sender", row.sender.description)
        object.add("says", row.says)
        return object.text
    }
}
