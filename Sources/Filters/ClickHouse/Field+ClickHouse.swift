extension Field {
    /// Where the rows of `subject` in a fleet have this field; `name` follows that of a family.
    func clickHouse(for subject: FilterSubject, name: String?) -> ClickHouseSource {
        guard details.subjects.contains(subject) else { return .absent }
        switch self {
        case .kind: return .column(ClickHouseText.literal(subject.rawValue))
        case .id: return .column("id")
        case .session: return .column("session_id")
        case .connection: return .column("connection_id")
        case .problem: return .optional("problem")
        case .fate: return .column("fate")
        case .note: return subject.notes
        case .recorder: return .column("recorder")
        case .label:
            return .named(name ?? "", names: "label.name", values: "label.value")
        case .fault: return subject.faults("rule", "purpose = 'fault'")
        case .intervention: return subject.faults("rule", "1")
        case .verdict:
            return subject.faults(
                "purpose = 'fault'",
                verdicts: .listed(
                    key: "(recorder, id)", select: "recorder, fault_id",
                    from: "fault_verdict WHERE 1", .column("verdict")))
        case .finding:
            return .several(
                ["rule", "severity"].map { subject.statements("finding_statement", $0) })
        case .undecided: return subject.statements("undecided_statement", "rule")
        default: break
        }
        return switch subject {
        case .exchange: exchangeColumn(name)
        case .command: commandColumn
        case .message: messageColumn
        }
    }

    private func exchangeColumn(_ name: String?) -> ClickHouseSource {
        switch self {
        case .at: .column("started_ns")
        case .size: .column("(request_size + response_size)")
        case .text:
            .several([
                .present("isNotNull(request_content)", .words("request_words")),
                .present("isNotNull(response_content)", .words("response_words")),
            ])
        case .api: .column("api")
        case .method: .column("method")
        case .scheme: .column("scheme")
        case .host: .column("host")
        case .port: .column("port")
        case .path: .column("path")
        case .query: .optional("query")
        case .url: .column(Self.fleetURL)
        case .version: .column("version")
        case .status: .optional("status")
        case .reason: .optional("reason")
        case .outcome: .column("outcome")
        case .duration: .optional("(ended_ns - started_ns)")
        case .device: .optional("device")
        case .local: .column("is_local")
        case .requestSize: .column("request_size")
        case .responseSize: .column("response_size")
        case .retryAfter: .optional("retry_after")
        case .header: .several([Self.header(name, "request"), Self.header(name, "response")])
        case .requestHeader: Self.header(name, "request")
        case .responseHeader: Self.header(name, "response")
        case .body: .several([Self.content("request"), Self.content("response")])
        case .requestBody: Self.content("request")
        case .responseBody: Self.content("response")
        case .document: Self.document(.column("kind"))
        case .nature: Self.document(.optional("nature"))
        case .xmlns: Self.document(.optional("namespace"))
        case .instance: Self.document(.optional("instance_id"))
        case .syncToken: Self.document(.optional("restore_id"))
        default: .absent
        }
    }

    private var commandColumn: ClickHouseSource {
        switch self {
        case .at: .column("at_ns")
        case .size: .column("payload_size")
        case .text:
            .listed(
                key: "(recorder, message_id)", select: "recorder, id",
                from: "any_message WHERE size > 0", .words("words"))
        case .sender: .column(Self.fleetSender)
        case .body, .payload: .optional("payload")
        case .command: .several([.column("name"), .optional("request")])
        case .channel: .optional("channel")
        case .bucket: .optional("bucket")
        case .app: .optional("app")
        case .key: .several([.optional("key"), Self.change(.optional("key"))])
        case .cv: .several([.optional("cv"), Self.change(.optional("cv"))])
        case .error: .several([.optional("error"), Self.change(.optional("error"))])
        case .ccid: Self.change(.optional("ccid"))
        case .clientid: Self.change(.optional("clientid"))
        case .operation: Self.change(.optional("o"))
        case .sv: Self.change(.optional("sv"))
        case .ev: Self.change(.optional("ev"))
        default: .absent
        }
    }

    private var messageColumn: ClickHouseSource {
        switch self {
        case .at: .column("at_ns")
        case .size: .column("size")
        case .duration: .column("(ended_ns - at_ns)")
        case .text: .present("size > 0", .words("words"))
        case .sender: .column(Self.fleetSender)
        case .body, .payload: .present("size > 0", .bytes("payload", isText: "is_text"))
        case .opcode: .column("opcode")
        case .closeCode: .optional("close_code")
        default: .absent
        }
    }

    /// Who sent a command or message, in rows of a fleet.
    package static let fleetSender = "if(sender = 0, 'client', 'server')"

    /// The URL of an exchange, in rows of a fleet.
    package static let fleetURL = """
        concat(scheme, '://', if(position(host, ':') = 0, host, concat('[', host, ']')), \
        if(port = if(scheme = 'https', 443, 80), '', \
        concat(':', toString(port))), path, if(isNull(query), '', concat('?', ifNull(query, ''))))
        """

    private static func header(_ name: String?, _ side: String) -> ClickHouseSource {
        .named(name ?? "", names: "\(side)_header.name", values: "\(side)_header.value")
    }

    private static func content(_ side: String) -> ClickHouseSource {
        .bytes("\(side)_content", isText: "\(side)_is_text")
    }

    private static func document(_ value: ClickHouseSource) -> ClickHouseSource {
        .listed(
            key: "(recorder, id)", select: "recorder, exchange_id", from: "openrosa WHERE 1", value)
    }

    private static func change(_ value: ClickHouseSource) -> ClickHouseSource {
        .listed(
            key: "(recorder, id)", select: "recorder, command_id", from: "any_change WHERE 1", value
        )
    }
}

extension FilterSubject {
    /// Number of the row that faults and places are of: a command has those of its message.
    private var owner: String { self == .command ? "message_id" : "id" }

    /// Notes on the row.
    fileprivate var notes: ClickHouseSource {
        let column = self == .exchange ? "exchange_id" : "message_id"
        return .listed(
            key: "(recorder, \(owner))", select: "recorder, assumeNotNull(\(column))",
            from: "note WHERE isNotNull(\(column))", .column("code"))
    }

    /// Faults that were done to the row or to what corresponds to it on the other side.
    fileprivate func faults(_ column: String, _ condition: String) -> ClickHouseSource {
        faults(condition, verdicts: .column(column))
    }

    fileprivate func faults(
        _ condition: String, verdicts inner: ClickHouseSource
    ) -> ClickHouseSource {
        let row = self == .exchange ? "exchange" : "message"
        return .several(
            ["\(row)_id", "\(row)_counterpart_id"].map { column in
                .listed(
                    key: "(recorder, \(owner))", select: "recorder, assumeNotNull(\(column))",
                    from: "fault_statement WHERE isNotNull(\(column)) AND isNull(problem) "
                        + "AND \(condition)", inner)
            })
    }

    /// Statements about where the row begins.
    fileprivate func statements(_ table: String, _ column: String) -> ClickHouseSource {
        let place =
            switch self {
            case .exchange: "request_chunk_id, request_offset"
            case .command: "assumeNotNull(message_chunk_id), assumeNotNull(message_offset)"
            case .message: "chunk_id, `offset`"
            }
        return .listed(
            key: "(recorder, \(place))", select: "recorder, assumeNotNull(chunk_id), `offset`",
            from: "\(table) WHERE isNotNull(chunk_id)", .column(column))
    }
}
