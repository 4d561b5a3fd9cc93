public import Dissection
public import Filters
public import Wire

/// An exchange as live traffic shows it to a filter.
///
/// Its values are those that the rows of a trace would have; bodies are read when a filter first
/// uses them.
public struct ExchangeSubject: FilterSubjectValues {
    /// The session.
    public var session: SessionID
    /// The exchange as known so far.
    public var row: ExchangeRow
    private let contents: ExchangeContents

    /// An exchange with these rows.
    public init(
        session: SessionID, row: ExchangeRow, bodies: [BodyRow] = [],
        documents: [OpenRosaRow] = [], notes: [NoteRow] = []
    ) {
        self.session = session
        self.row = row
        contents = ExchangeContents(
            ExchangeContents.Rows(
                bodies: bodies, documents: documents, notes: notes.map(\.code)))
    }

    /// An exchange that is in progress.
    init(session: SessionID, row: ExchangeRow, contents: ExchangeContents) {
        self.session = session
        self.row = row
        self.contents = contents
    }

    /// Exchanges are judged as such.
    public var subject: FilterSubject { .exchange }

    /// The value of `field`, nil where it has none.
    public func value(of field: Field, name: String?) -> FilterValue? {
        switch field {
        case .id: .integer(row.id.rawValue)
        case .session: .integer(session.rawValue)
        case .connection: .integer(row.connection.rawValue)
        case .at: .integer(row.startedAt.nanoseconds)
        case .size: .integer(row.requestSize + row.responseSize)
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
        default: contentValue(of: field, name)
        }
    }

    /// The value of a field of heads, bodies and documents.
    private func contentValue(of field: Field, _ name: String?) -> FilterValue? {
        switch field {
        case .header: headers(name, Peer.allCases)
        case .requestHeader: headers(name, [.client])
        case .responseHeader: headers(name, [.server])
        case .body, .text: bodies(Peer.allCases)
        case .requestBody: bodies([.client])
        case .responseBody: bodies([.server])
        case .note: .several(contents.rows(row).notes.map(FilterValue.text))
        case .document: texts { $0.kind }
        case .nature: texts(\.nature)
        case .xmlns: texts(\.namespace)
        case .instance: texts(\.instanceID)
        case .syncToken: texts(\.restoreID)
        default: nil
        }
    }

    private func texts(_ text: (OpenRosaRow) -> String?) -> FilterValue {
        .several(contents.rows(row).documents.compactMap { text($0).map(FilterValue.text) })
    }

    private func bodies(_ senders: [Peer]) -> FilterValue {
        .several(
            contents.rows(row).bodies.compactMap { body in
                guard body.size > 0, senders.contains(body.sender) else { return nil }
                return body.isText ? .utf8(body.content) : .bytes(body.content)
            })
    }

    private func headers(_ name: String?, _ senders: [Peer]) -> FilterValue {
        .several(
            contents.heads.compactMap { sender, head in
                guard senders.contains(sender) else { return nil }
                return head.withUnsafeBytes { HeadFields.value(of: name ?? "", in: $0) }
                    .map(FilterValue.text)
            })
    }

    private var url: String {
        let port = row.port == (row.scheme == "https" ? 443 : 80) ? "" : ":\(row.port)"
        let name = row.host.contains(":") ? "[\(row.host)]" : row.host
        return "\(row.scheme)://\(name)\(port)\(row.path)" + (row.query.map { "?\($0)" } ?? "")
    }
}
