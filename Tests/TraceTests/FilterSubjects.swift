import Dissection
import Filters
import Wire

/// An exchange as live traffic shows it to a filter.
struct ExchangeSubject: FilterSubjectValues {
    var session: SessionID
    var row: ExchangeRow
    var bodies: [BodyRow] = []
    var documents: [OpenRosaRow] = []
    var notes: [NoteRow] = []

    var subject: FilterSubject { .exchange }

    func value(of field: Field, name: String?) -> FilterValue? {
        switch field {
        case .id: .integer(row.id.rawValue)
        case .session: .integer(session.rawValue)
        case .connection: .integer(row.connection.rawValue)
        case .at: .integer(row.startedAt.nanoseconds)
        case .size: .integer(row.requestSize + row.responseSize)
        case .body, .text: .several(bodies.compactMap(content))
        case .note: .several(notes.map { .text($0.code) })
        case .problem: row.problem.map(FilterValue.text)
        case .api: .text(row.api)
        case .method: .text(row.method)
        case .scheme: .text(row.scheme)
        case .host: .text(row.host)
        case .port: .integer(Int64(row.port))
        case .path: .text(row.path)
        case .query: row.query.map(FilterValue.text)
        case .url: .text(url)
        case .version: .text(row.version)
        case .status: row.status.map { .integer(Int64($0)) }
        case .reason: row.reason.map(FilterValue.text)
        case .outcome: .text(row.outcome.rawValue)
        case .duration:
            row.endedAt.map { .integer($0.nanoseconds - row.startedAt.nanoseconds) }
        case .device: row.device.map(FilterValue.text)
        case .local: .integer(row.isLocal ? 1 : 0)
        case .requestSize: .integer(row.requestSize)
        case .responseSize: .integer(row.responseSize)
        case .retryAfter: row.retryAfter.map(FilterValue.text)
        case .header: .several(bodies.compactMap { header(name, $0) })
        case .requestHeader: .several(of(.client).compactMap { header(name, $0) })
        case .responseHeader: .several(of(.server).compactMap { header(name, $0) })
        case .requestBody: .several(of(.client).compactMap(content))
        case .responseBody: .several(of(.server).compactMap(content))
        case .document: .several(documents.map { .text($0.kind) })
        case .nature: .several(documents.compactMap { $0.nature.map(FilterValue.text) })
        case .xmlns: .several(documents.compactMap { $0.namespace.map(FilterValue.text) })
        case .instance: .several(documents.compactMap { $0.instanceID.map(FilterValue.text) })
        case .syncToken: .several(documents.compactMap { $0.restoreID.map(FilterValue.text) })
        default: nil
        }
    }

    private func of(_ sender: Peer) -> [BodyRow] { bodies.filter { $0.sender == sender } }

    private func content(_ body: BodyRow) -> FilterValue? {
        guard body.size > 0 else { return nil }
        return body.isText ? .utf8(body.content) : .bytes(body.content)
    }

    private func header(_ name: String?, _ body: BodyRow) -> FilterValue? {
        body.head.withUnsafeBytes { HeadFields.value(of: name ?? "", in: $0) }
            .map(FilterValue.text)
    }

    private var url: String {
        let port = row.port == (row.scheme == "https" ? 443 : 80) ? "" : ":\(row.port)"
        return "\(row.scheme)://\(row.host)\(port)\(row.path)" + (row.query.map { "?\($0)" } ?? "")
    }
}

/// A message as live traffic shows it to a filter.
struct MessageSubject: FilterSubjectValues {
    var session: SessionID
    var row: MessageRow
    var notes: [NoteRow] = []

    var subject: FilterSubject { .message }

    var payload: FilterValue? {
        guard row.size > 0 else { return nil }
        return row.isText ? .utf8(row.payload) : .bytes(row.payload)
    }

    func value(of field: Field, name: String?) -> FilterValue? {
        switch field {
        case .id: .integer(row.id.rawValue)
        case .session: .integer(session.rawValue)
        case .connection: .integer(row.connection.rawValue)
        case .at: .integer(row.at.nanoseconds)
        case .size: .integer(row.size)
        case .duration: .integer(row.endedAt.nanoseconds - row.at.nanoseconds)
        case .body, .payload, .text: payload
        case .note: .several(notes.map { .text($0.code) })
        case .problem: row.problem.map(FilterValue.text)
        case .sender: .text(row.sender.description)
        case .opcode: .integer(Int64(row.opcode))
        case .closeCode: row.closeCode.map { .integer(Int64($0)) }
        default: nil
        }
    }
}

/// A command as live traffic shows it to a filter.
struct CommandSubject: FilterSubjectValues {
    var message: MessageSubject
    var row: CommandRow
    var changes: [ChangeRow] = []

    var subject: FilterSubject { .command }

    func value(of field: Field, name: String?) -> FilterValue? {
        switch field {
        case .id: .integer(row.id.rawValue)
        case .session: .integer(message.session.rawValue)
        case .connection: .integer(row.connection.rawValue)
        case .at: .integer(row.at.nanoseconds)
        case .size: .integer(Int64(row.payloadSize))
        case .text: message.payload
        case .body, .payload: payload
        case .note: message.value(of: .note, name: nil)
        case .problem: row.problem.map(FilterValue.text)
        case .sender: .text(row.sender.description)
        case .command: .text(row.name)
        case .channel: row.channel.map { .integer(Int64($0)) }
        case .bucket: row.bucket.map(FilterValue.text)
        case .app: row.app.map(FilterValue.text)
        case .key: texts([row.key] + changes.map(\.key))
        case .cv: texts([row.cv] + changes.map(\.cv))
        case .error:
            .several(
                ([row.error] + changes.map(\.error)).compactMap { $0 }
                    .map { .integer(Int64($0)) })
        case .ccid: texts(changes.map(\.ccid))
        case .clientid: texts(changes.map(\.clientID))
        case .operation: texts(changes.map(\.operation))
        case .sv: .several(changes.compactMap { $0.sv.map(FilterValue.integer) })
        case .ev: .several(changes.compactMap { $0.ev.map(FilterValue.integer) })
        default: nil
        }
    }

    private var payload: FilterValue? {
        guard row.payloadSize > 0 else { return nil }
        let whole = row.text ?? message.row.payload
        let start = min(row.payloadOffset, whole.count)
        let bytes = Array(whole[start..<min(whole.count, start + row.payloadSize)])
        return String(validating: bytes, as: UTF8.self) == nil ? .bytes(bytes) : .utf8(bytes)
    }

    private func texts(_ values: [String?]) -> FilterValue {
        .several(values.compactMap { $0.map(FilterValue.text) })
    }
}
