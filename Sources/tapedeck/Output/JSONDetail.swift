import Dissection
import Formats
import Notation
import Trace
import Wire

/// What `show --json` prints: one object with everything.
enum JSONDetail {
    /// An exchange with heads, bodies, parts, documents and notes.
    static func exchange(_ detail: ExchangeDetail) -> String {
        var object = JSONObjectText()
        object.add("exchange", raw: JSONLine.exchange(detail.row, detail.session).json)
        object.add("request", raw: detail.request.map(body) ?? "null")
        object.add("response", raw: detail.response.map(body) ?? "null")
        object.add("parts", raw: list(detail.parts.map { item(partColumns, $0) }))
        object.add("openrosa", raw: list(detail.documents.map { document($0, of: detail) }))
        object.add("notes", raw: list(detail.notes.map { item(noteColumns, $0) }))
        object.add("faults", raw: list(detail.faults.map { JSONLine.fault($0) }))
        object.add("findings", raw: list(detail.findings.map(FindingJSON.stored)))
        object.add("undecided", raw: list(detail.undecided.map(FindingJSON.stored)))
        return object.text
    }

    /// A message with frames and notes.
    static func message(_ detail: MessageDetail) -> String {
        let row = detail.row
        var object = JSONObjectText()
        object.add(messageColumns, of: row)
        content(row.payload, row.isText, "payload", &object)
        object.add("problem", row.problem)
        object.add("frames", raw: list(detail.frames.map { item(frameColumns, $0) }))
        object.add("notes", raw: list(detail.notes.map { item(noteColumns, $0) }))
        object.add("faults", raw: list(detail.faults.map { JSONLine.fault($0) }))
        object.add("findings", raw: list(detail.findings.map(FindingJSON.stored)))
        object.add("undecided", raw: list(detail.undecided.map(FindingJSON.stored)))
        return object.text
    }

    /// A command with its changes and what they do.
    static func command(_ detail: CommandDetail, effects: [[String]]) -> String {
        var object = JSONObjectText()
        object.add("command", raw: JSONLine.command(detail.row, detail.session, detail.text).json)
        var changes: [String] = []
        for (index, change) in detail.changes.enumerated() {
            var item = JSONObjectText()
            item.add(changeColumns, of: change)
            let own = index < effects.count ? effects[index] : []
            item.add("effects", raw: list(own.map(JSONString.quoted)))
            changes.append(item.text)
        }
        object.add("changes", raw: list(changes))
        object.add("notes", raw: list(detail.notes.map { item(noteColumns, $0) }))
        object.add("faults", raw: list(detail.faults.map { JSONLine.fault($0) }))
        object.add("findings", raw: list(detail.findings.map(FindingJSON.stored)))
        object.add("undecided", raw: list(detail.undecided.map(FindingJSON.stored)))
        return object.text
    }

    /// A connection with its legs, events and gaps.
    static func connection(_ detail: ConnectionDetail) -> String {
        var object = JSONObjectText()
        object.add(connectionColumns, of: detail.row, session: detail.session)
        object.add("legs", raw: list(detail.legs.map { item(legColumns, $0) }))
        object.add("events", raw: list(detail.events.map { item(eventColumns, $0) }))
        object.add("gaps", raw: list(detail.gaps.map { item(gapColumns, $0) }))
        object.add("faults", raw: list(detail.faults.map { JSONLine.fault($0) }))
        return object.text
    }

    // The columns that are shown of each table

    private static let messageColumns = Tables.message.select(
        "id connection_id exchange_id sender at_ns opcode size wire_size compressed close_code")
    private static let changeColumns = Tables.change.select(
        "key o sv ev cv ccid clientid error")
    private static let connectionColumns = Tables.connection.select(
        "id session_id at_ns listener client mode")
    private static let legColumns = Tables.leg.select("id peer at_ns host port")
    private static let eventColumns = Tables.event.select("kind leg_id at_ns detail")
    private static let gapColumns = Tables.gap.select("leg_id at_ns bytes reason")
    private static let partColumns = Tables.part.select(
        "sender position name filename content_type size")
    private static let documentColumns = Tables.document.select(
        "sender part kind root namespace nature message key items done total restore_id "
            + "instance_id cases fixtures ledgers")
    private static let frameColumns = Tables.frame.select(
        "position fin rsv opcode mask header_size payload_size")
    private static let noteColumns = Tables.note.select("code sender message")

    private static func item<Row>(_ columns: ColumnSelection<Row>, _ row: Row) -> String {
        var object = JSONObjectText()
        object.add(columns, of: row)
        return object.text
    }

    static func list(_ items: [String]) -> String { "[\(items.joined(separator: ","))]" }

    static func content(
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

    private static func document(_ row: OpenRosaRow, of detail: ExchangeDetail) -> String {
        var object = JSONObjectText()
        object.add(documentColumns, of: row)
        let body = row.sender == .client ? detail.request : detail.response
        let parts = detail.parts.filter { $0.sender == row.sender }
        let content = body.flatMap { DocumentContent(row, in: $0, parts: parts)?.json }
        object.add("counts", raw: content ?? "null")
        object.add("problem", row.problem)
        return object.text
    }
}

extension JSONObjectText {
    /// Adds columns of a row; bytes that are not text in hexadecimal.
    fileprivate mutating func add<Row>(
        _ columns: ColumnSelection<Row>, of row: Row, session: SessionID = SessionID(0)
    ) {
        columns.forEach(row, RowContext(session: session.rawValue)) { name, value in
            switch value {
            case .null: add(name, raw: "null")
            case .number(let number): add(name, number)
            case .text(let text): add(name, text)
            case .bytes(let bytes): add("\(name)_hex", Hexadecimal.text(bytes))
            }
        }
    }
}
