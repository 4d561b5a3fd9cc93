extension Field {
    /// Where the rows of `subject` have this field; `name` is that of the header for a family.
    func source(for subject: FilterSubject, name: String?) -> SQLSource {
        guard details.subjects.contains(subject) else { return .absent }
        return switch subject {
        case .exchange: exchangeSource(name)
        case .command: commandSource
        case .message: messageSource
        }
    }

    private func exchangeSource(_ name: String?) -> SQLSource {
        switch self {
        case .kind: .column("'exchange'")
        case .id: .column("x.id")
        case .session: .column("x.session_id")
        case .connection: .column("x.connection_id")
        case .at: .column("x.started_ns")
        case .size: .column("(x.request_size + x.response_size)")
        case .note: Self.notes("x.id", "exchange_id")
        case .problem: .column("x.problem")
        case .fault: Self.fault("x.id", "exchange_id", "rule")
        case .verdict: Self.fault("x.id", "exchange_id", "verdict")
        case .intervention: Self.fault("x.id", "exchange_id", "rule", of: "intervention")
        case .fate: .column("x.fate")
        case .finding:
            Self.finding("x.id", "any_exchange g", "g.request_chunk_id", "g.request_offset")
        case .undecided:
            Self.undecided("x.id", "any_exchange g", "g.request_chunk_id", "g.request_offset")
        case .text:
            .words(
                SQLWords(
                    key: "x.id", rowNumber: "rowid / 4", parity: 0,
                    table: "body b", id: "b.id", owner: "b.exchange_id", text: "b.content",
                    hasText: "b.size > 0", progress: "body"))
        case .api: .column("x.api")
        case .method: .column("x.method")
        case .scheme: .column("x.scheme")
        case .host: .column("x.host")
        case .port: .column("x.port")
        case .path: .column("x.path")
        case .query: .column("x.query")
        case .url: .column(Self.urlExpression)
        case .version: .column("x.version")
        case .status: .column("x.status")
        case .reason: .column("x.reason")
        case .outcome: .column("x.outcome")
        case .duration: .column("(x.ended_ns - x.started_ns)")
        case .device: .column("x.device")
        case .local: .column("x.is_local")
        case .requestSize: .column("x.request_size")
        case .responseSize: .column("x.response_size")
        case .retryAfter: .column("x.retry_after")
        case .header: Self.header(name, Self.bothBodies)
        case .requestHeader: Self.header(name, Self.requestBodies)
        case .responseHeader: Self.header(name, Self.responseBodies)
        case .body: Self.content(Self.bothBodies)
        case .requestBody: Self.content(Self.requestBodies)
        case .responseBody: Self.content(Self.responseBodies)
        case .document: Self.document("kind")
        case .nature: Self.document("nature")
        case .xmlns: Self.document("namespace")
        case .instance: Self.document("instance_id")
        case .syncToken: Self.document("restore_id")
        case .sender, .payload, .command, .channel, .bucket, .app, .key, .cv, .error, .ccid,
            .clientid, .operation, .sv, .ev, .opcode, .closeCode, .recorder, .label:
            .absent
        }
    }

    private var commandSource: SQLSource {
        switch self {
        case .kind: .column("'command'")
        case .id: .column("c.id")
        case .session: .column("c.session_id")
        case .connection: .column("c.connection_id")
        case .at: .column("c.at_ns")
        case .size: .column("c.payload_size")
        case .note: Self.notes("c.message_id", "message_id")
        case .problem: .column("c.problem")
        case .fault: Self.fault("c.message_id", "message_id", "rule")
        case .verdict: Self.fault("c.message_id", "message_id", "verdict")
        case .intervention: Self.fault("c.message_id", "message_id", "rule", of: "intervention")
        case .fate: .column("c.fate")
        case .finding: Self.finding("c.message_id", "any_message g", "g.chunk_id", "g.\"offset\"")
        case .undecided:
            Self.undecided("c.message_id", "any_message g", "g.chunk_id", "g.\"offset\"")
        case .text: Self.messageWords("c.message_id")
        case .sender: .column(Self.sender("c.sender"))
        case .body, .payload:
            .looked(Self.commandMessage, page: nil, .column(Self.commandPayload))
        case .command: .several([.column("c.name"), .column("c.request")])
        case .channel: .column("c.channel")
        case .bucket: .column("c.bucket")
        case .app: .column("c.app")
        case .key: .several([.column("c.key"), Self.changeKey])
        case .cv: .several([.column("c.cv"), Self.change("cv")])
        case .error: .several([.column("c.error"), Self.change("error")])
        case .ccid: Self.change("ccid")
        case .clientid: Self.change("clientid")
        case .operation: Self.change("o")
        case .sv: Self.change("sv")
        case .ev: Self.change("ev")
        default: .absent
        }
    }

    private var messageSource: SQLSource {
        switch self {
        case .kind: .column("'message'")
        case .id: .column("m.id")
        case .session: .column("m.session_id")
        case .connection: .column("m.connection_id")
        case .at: .column("m.at_ns")
        case .size: .column("m.size")
        case .duration: .column("(m.ended_ns - m.at_ns)")
        case .note: Self.notes("m.id", "message_id")
        case .problem: .column("m.problem")
        case .fault: Self.fault("m.id", "message_id", "rule")
        case .verdict: Self.fault("m.id", "message_id", "verdict")
        case .intervention: Self.fault("m.id", "message_id", "rule", of: "intervention")
        case .fate: .column("m.fate")
        case .finding: Self.finding("m.id", "any_message g", "g.chunk_id", "g.\"offset\"")
        case .undecided: Self.undecided("m.id", "any_message g", "g.chunk_id", "g.\"offset\"")
        case .text: Self.messageWords("m.id")
        case .sender: .column(Self.sender("m.sender"))
        case .body, .payload: .column("CASE WHEN m.size > 0 THEN m.payload END")
        case .opcode: .column("m.opcode")
        case .closeCode: .column("m.close_code")
        default: .absent
        }
    }

    private static let urlExpression = """
        (x.scheme || '://' || CASE WHEN instr(x.host, ':') THEN '[' || x.host || ']' ELSE x.host END \
        || CASE WHEN x.port = CASE x.scheme WHEN 'https' THEN 443 \
        ELSE 80 END THEN '' ELSE ':' || x.port END || x.path || coalesce('?' || x.query, ''))
        """

    private static func sender(_ column: String) -> String {
        "CASE \(column) WHEN 0 THEN 'client' ELSE 'server' END"
    }

    /// The fields of heads and bodies.
    static let ofBodies: Set<Field> = [
        .header, .requestHeader, .responseHeader, .body, .requestBody, .responseBody,
    ]

    /// Heads and bodies: those of an exchange, and those of a page of them.
    private typealias Bodies = (one: String, page: String)

    private static let bothBodies = bodies("BETWEEN 2 * x.id AND 2 * x.id + 1", "")
    private static let requestBodies = bodies("= 2 * x.id", " AND b.sender = 0")
    private static let responseBodies = bodies("= 2 * x.id + 1", " AND b.sender = 1")

    private static func bodies(_ numbers: String, _ sender: String) -> Bodies {
        ("b.id \(numbers)", "b.id BETWEEN 2 * ?1 AND 2 * ?2 + 1\(sender)")
    }

    private static func content(_ bodies: Bodies) -> SQLSource {
        let more = " AND b.size > 0"
        return .looked(
            "body b WHERE \(bodies.one)\(more)",
            page: { test in
                guard case .contains = test else {
                    return SQLPage(
                        key: "x.id",
                        select: "b.exchange_id FROM body b WHERE \(bodies.page)\(more)",
                        value: .column("b.content"))
                }
                // Where they are in a chunk they are not copied out of it.
                let elsewhere = "b.content_offset IS NULL OR b.content_parts IS NOT NULL"
                return SQLPage(
                    key: "x.id",
                    select: inChunks(unless: elsewhere) + " \(bodies.page)\(more)",
                    value: .column(
                        """
                        CASE WHEN \(elsewhere) THEN \
                        (SELECT o.content FROM body o WHERE o.id = b.id) END, \
                        k.bytes, b.content_offset, b.size
                        """))
            }, .column("b.content"))
    }

    private static func header(_ name: String?, _ bodies: Bodies) -> SQLSource {
        let name = SQLValue.text(name ?? "")
        return .looked(
            "body b WHERE \(bodies.one)",
            page: { _ in
                SQLPage(
                    key: "x.id", select: inChunks(unless: "b.head IS NOT NULL") + " \(bodies.page)",
                    value: .function(
                        "tape_header(b.head, k.bytes, b.head_offset, b.head_size, ?)", name))
            }, .function("tape_header(b.head, ?)", name))
    }

    /// Bodies with their chunks, which are looked up only where what is searched is in them.
    private static func inChunks(unless elsewhere: String) -> String {
        """
        b.exchange_id FROM http_body b LEFT JOIN chunk k \
        ON k.id = CASE WHEN \(elsewhere) THEN NULL ELSE b.chunk_id END WHERE
        """
    }

    private static func document(_ column: String) -> SQLSource {
        .listed(
            key: "x.id", select: "o.exchange_id", from: "openrosa o", .column("o.\(column)"))
    }

    private static func change(_ column: String) -> SQLSource {
        // As their numbers are made of those of commands, what a page needs of them is one stretch.
        let rows = "any_change h WHERE h.id BETWEEN"
        return .looked(
            "\(rows) c.id * 16777216 AND c.id * 16777216 + 16777215",
            page: { _ in
                SQLPage(
                    key: "c.id",
                    select: "h.command_id FROM \(rows) ?1 * 16777216 AND ?2 * 16777216 + 16777215",
                    value: .column("h.\(column)"))
            }, .column("h.\(column)"))
    }

    /// Changes by key: those of which an index has been built, and those that are newer.
    private static var changeKey: SQLSource {
        .several([
            .listed(
                key: "c.id", select: "h.id / 16777216", from: "change_key h", .column("h.key")),
            .listed(
                key: "c.id", select: "h.command_id",
                from: "any_change h WHERE h.id > "
                    + "coalesce((SELECT upto FROM progress WHERE name = 'change'), 0)",
                .column("h.key")),
        ])
    }

    private static func notes(_ key: String, _ column: String) -> SQLSource {
        .listed(
            key: key, select: "n.\(column)", from: "note n WHERE n.\(column) IS NOT NULL",
            .column("n.code"))
    }

    private static func fault(
        _ key: String, _ column: String, _ value: String, of view: String = "fault"
    ) -> SQLSource {
        let table = column == "exchange_id" ? "any_exchange" : "any_message"
        return .several([
            .listed(
                key: key, select: "f.\(column)",
                from: "\(view) f WHERE f.\(column) IS NOT NULL AND f.problem IS NULL",
                .column("f.\(value)")),
            // A fault names the row of the peer whose bytes it was done to.
            .listed(
                key: key, select: "z.counterpart_id",
                from: "\(view) f CROSS JOIN \(table) z ON z.id = f.\(column) "
                    + "WHERE z.counterpart_id IS NOT NULL AND f.problem IS NULL",
                .column("f.\(value)")),
        ])
    }

    /// Findings that begin where the row does, by rule and severity.
    private static func finding(
        _ key: String, _ table: String, _ chunk: String, _ offset: String
    ) -> SQLSource {
        .several(
            ["rule", "severity"].map { column in
                statement("finding_statement", column, key, table, chunk, offset)
            })
    }

    /// What could not be decided since the row, by rule.
    private static func undecided(
        _ key: String, _ table: String, _ chunk: String, _ offset: String
    ) -> SQLSource {
        statement("undecided_statement", "rule", key, table, chunk, offset)
    }

    /// A column of the statements about where the row begins.
    private static func statement(
        _ statements: String, _ column: String, _ key: String, _ table: String,
        _ chunk: String, _ offset: String
    ) -> SQLSource {
        .listed(
            key: key, select: "g.id",
            from: "\(statements) f CROSS JOIN \(table) ON \(chunk) = f.chunk_id "
                + "AND \(offset) = f.\"offset\"", .column("f.\(column)"))
    }

    private static let commandMessage =
        "any_message g WHERE g.id = c.message_id AND c.payload_size > 0"
    private static let commandPayload = """
        CAST(substr(CAST(coalesce(c.text, g.payload) AS BLOB), c.payload_offset + 1, \
        c.payload_size) AS TEXT)
        """

    private static func messageWords(_ key: String) -> SQLSource {
        .words(
            SQLWords(
                key: key, rowNumber: "rowid / 2", parity: 1, table: "any_message g",
                id: "g.id", owner: "g.id", text: "g.payload", hasText: "g.size > 0",
                progress: "message"))
    }
}

extension Field {
    /// An expression over a row of `subject` for values that are worth counting: NULL where it has none.
    ///
    /// - Parameter subject: What the rows are, under the aliases of ``Filter/sql(for:)``.
    /// - Returns: The expression; nil where the field is a family, is long text, or is in other tables.
    public func countable(for subject: FilterSubject) -> String? {
        guard !isFamily, details.kind == .text || details.kind == .integer else { return nil }
        switch source(for: subject, name: nil) {
        case .column(let expression): return expression
        case .several(let sources):
            guard case .column(let expression)? = sources.first else { return nil }
            return expression
        case .absent, .function, .listed, .looked, .words: return nil
        }
    }
}
