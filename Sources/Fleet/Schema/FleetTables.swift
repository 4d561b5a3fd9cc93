internal import Trace

/// The tables of the fleet, and which rows of a trace go together.
enum FleetTables {
    private static let sessionOfRow = "LEFT JOIN session s ON s.id = t.session_id"
    private static let sessionOfConnection = """
        LEFT JOIN connection o ON o.id = t.connection_id LEFT JOIN session s ON s.id = o.session_id
        """
    private static let sessionOfChunk = """
        LEFT JOIN chunk c ON c.id = t.chunk_id LEFT JOIN connection o ON o.id = c.connection_id
        LEFT JOIN session s ON s.id = o.session_id
        """
    private static let sessionOfExchange = """
        LEFT JOIN any_exchange x ON x.id = t.exchange_id LEFT JOIN session s ON s.id = x.session_id
        """

    static let session = FleetTable(
        Tables.session.definition, from: "JOIN session s ON s.id = t.id", at: "0",
        session: "t.id", more: FleetTable.labels)
    static let connection = FleetTable(
        Tables.connection.definition, from: sessionOfRow, at: "t.at_ns")
    static let leg = FleetTable(
        Tables.leg.definition, from: sessionOfConnection, at: "t.at_ns", session: "o.session_id")
    static let chunk = FleetTable(
        Tables.chunk.definition, from: sessionOfConnection, at: "t.at_ns",
        session: "o.session_id")
    static let patch = FleetTable(
        Tables.patch.definition, from: sessionOfChunk, at: "c.at_ns", session: "o.session_id",
        range: share("?1", "?2"))
    static let delivery = FleetTable(
        Tables.delivery.definition, from: sessionOfChunk, at: "c.at_ns", session: "o.session_id",
        range: share("?1", "?2"))
    static let event = FleetTable(Tables.event.definition, from: sessionOfRow, at: "t.at_ns")
    static let gap = FleetTable(Tables.gap.definition, from: sessionOfRow, at: "t.at_ns")
    static let mark = FleetTable(Tables.mark.definition, from: sessionOfRow, at: "t.at_ns")
    static let note = FleetTable(Tables.note.definition, from: sessionOfRow, at: "t.at_ns")

    static let exchange = FleetTable(
        Tables.exchange.definition,
        from: """
            LEFT JOIN session s ON s.id = t.session_id
            LEFT JOIN http_body qb ON qb.id = 2 * t.id LEFT JOIN chunk qk ON qk.id = qb.chunk_id
            LEFT JOIN http_body ab ON ab.id = 2 * t.id + 1 LEFT JOIN chunk ak ON ak.id = ab.chunk_id
            """,
        at: "t.started_ns",
        more: FleetTable.labels + fields("request", "qb", "qk") + fields("response", "ab", "ak")
            + content("request", "qb", "qk") + content("response", "ab", "ak"))
    static let body = FleetTable(
        Tables.body.definition, from: sessionOfExchange, at: "x.started_ns",
        session: "x.session_id", range: "t.id BETWEEN 2 * ?1 AND 2 * ?2 + 1",
        dropping: ["head", "content"])
    static let part = FleetTable(
        Tables.part.definition, from: sessionOfExchange, at: "x.started_ns",
        session: "x.session_id", range: share("2 * ?1", "2 * ?2 + 1"))
    static let openRosa = FleetTable(
        Tables.document.definition, from: sessionOfExchange, at: "x.started_ns",
        session: "x.session_id", range: share("2 * ?1", "2 * ?2 + 1"))
    static let caseBlock = FleetTable(
        Tables.caseBlock.definition, from: sessionOfExchange, at: "x.started_ns",
        session: "x.session_id", range: share("2 * ?1", "2 * ?2 + 1"))

    static let message = FleetTable(
        Tables.message.definition, from: sessionOfRow, at: "t.at_ns",
        more: FleetTable.labels + [
            FleetColumn(
                "is_text", .number, "1 where the payload is UTF-8",
                .value("typeof(t.payload) = 'text'")),
            FleetColumn(
                "words", .text, wordsComment,
                .words("CASE WHEN typeof(t.payload) = 'text' THEN t.payload END")),
        ])
    static let frame = FleetTable(
        Tables.frame.definition,
        from: """
            LEFT JOIN any_message m ON m.id = t.message_id LEFT JOIN session s ON s.id = m.session_id
            """,
        at: "t.at_ns", session: "m.session_id", range: share("?1", "?2"))
    static let command = FleetTable(
        Tables.command.definition,
        from: """
            LEFT JOIN session s ON s.id = t.session_id
            LEFT JOIN any_message m ON m.id = t.message_id
            """,
        at: "t.at_ns", range: "t.message_id BETWEEN ?1 AND ?2",
        more: FleetTable.labels + [
            FleetColumn(
                "message_chunk_id", .optionalNumber,
                "chunk with the first byte of its message", .value("m.chunk_id")),
            FleetColumn(
                "message_offset", .optionalNumber, "its offset in that chunk",
                .value("m.\"offset\"")),
            FleetColumn(
                "payload", .optionalText,
                "what follows the name and its colon; null where there is nothing",
                .value(
                    """
                    CASE WHEN t.payload_size > 0 THEN substr(CAST(coalesce(t.text, m.payload) AS BLOB), \
                    t.payload_offset + 1, t.payload_size) END
                    """)),
        ])
    static let change = FleetTable(
        Tables.change.definition,
        from: """
            ON t.id >= \(Tables.share) * c.id AND t.id < \(Tables.share) * (c.id + 1)
            LEFT JOIN session s ON s.id = c.session_id
            """,
        at: "c.at_ns", session: "c.session_id", range: "c.message_id BETWEEN ?1 AND ?2",
        owner: "any_command c")

    static let fault = FleetTable(
        Tables.fault.definition, from: sessionOfRow, at: "t.at_ns",
        more: [
            resolved("exchange_id", "the exchange it was applied to"),
            resolved("message_id", "the message it was applied to"),
            resolved("command_id", "the command it was applied to"),
            FleetColumn(
                "exchange_counterpart_id", .optionalNumber,
                "what corresponds to that exchange on the other side",
                .value(
                    "(SELECT z.counterpart_id FROM intervention i JOIN any_exchange z ON z.id = i.exchange_id WHERE i.id = t.id)"
                )),
            FleetColumn(
                "message_counterpart_id", .optionalNumber,
                "what corresponds to that message on the other side",
                .value(
                    "(SELECT z.counterpart_id FROM intervention i JOIN any_message z ON z.id = i.message_id WHERE i.id = t.id)"
                )),
        ])
    static let verdict = FleetTable(
        Tables.verdict.definition,
        from: """
            LEFT JOIN fault_statement f ON f.id = t.fault_id LEFT JOIN session s ON s.id = f.session_id
            """,
        at: "f.at_ns", session: "f.session_id", range: "t.fault_id BETWEEN ?1 AND ?2")
    static let finding = FleetTable(
        Tables.finding.definition, from: exchangeOfStatement, at: "t.at_ns", more: shown)
    static let undecided = FleetTable(
        Tables.undecided.definition, from: exchangeOfStatement, at: "t.at_ns", more: shown)

    /// All of them, in the order in which rows are sent.
    static let all = [
        session, connection, leg, chunk, patch, delivery, event, gap, mark, note, exchange, body,
        part, openRosa, caseBlock, message, frame, command, change, fault, verdict, finding,
        undecided,
    ]

    /// The table `name`; nil where there is none.
    static func named(_ name: String) -> FleetTable? { all.first { $0.name == name } }

    // MARK: Expressions

    private static let wordsComment = """
        its words in lower case without diacritics, a blank before the first and after each; empty where \
        it is not text
        """

    private static let exchangeAtPlace = """
        (SELECT x.id FROM any_exchange x WHERE x.request_chunk_id = t.chunk_id
           AND x.request_offset = t."offset" ORDER BY x.side = 'server' LIMIT 1)
        """

    /// The exchange that a statement is about, or that opened the WebSocket of the message.
    private static let exchangeOfStatement = """
        LEFT JOIN session s ON s.id = t.session_id
        LEFT JOIN any_exchange e ON e.id = coalesce(\(exchangeAtPlace),
          (SELECT m.exchange_id FROM any_message m WHERE m.chunk_id = t.chunk_id
             AND m."offset" = t."offset" ORDER BY m.side = 'server' LIMIT 1))
        """

    /// Who a statement is about.
    private static let shown =
        FleetTable.labels + [
            FleetColumn(
                "exchange_id", .optionalNumber, "the exchange that shows it",
                .value(exchangeAtPlace)),
            FleetColumn(
                "command_id", .optionalNumber, "the command that shows it",
                .value(
                    """
                    (SELECT c.id FROM any_message m JOIN any_command c ON c.message_id = m.id
                       WHERE m.chunk_id = t.chunk_id AND m."offset" = t."offset"
                       ORDER BY m.side = 'server', c.id LIMIT 1)
                    """)),
            FleetColumn(
                "device", .optionalText,
                "device of that exchange, or of the one that opened the WebSocket",
                .value("e.device")),
            FleetColumn("host", .optionalText, "its host", .value("e.host")),
            FleetColumn(
                "user_agent", .optionalText, "its User-Agent",
                .field(
                    name: "user-agent", "(SELECT b.head FROM body b WHERE b.id = 2 * e.id)")),
        ]

    /// Rows whose numbers begin with ``Tables/share`` times `low` to `high`.
    private static func share(_ low: String, _ high: String) -> String {
        "t.id >= \(Tables.share) * (\(low)) AND t.id < \(Tables.share) * (\(high) + 1)"
    }

    /// A number that the view `intervention` finds.
    private static func resolved(_ name: String, _ comment: String) -> FleetColumn {
        FleetColumn(
            name, .optionalNumber, comment + ", on the side of the peer whose bytes these were",
            .value("(SELECT i.\(name) FROM intervention i WHERE i.id = t.id)"))
    }

    /// The fields of a head, which stands in the row `body` or in the chunk `chunk`.
    private static func fields(
        _ side: String, _ body: String, _ chunk: String
    ) -> [FleetColumn] {
        let head = """
            coalesce(\(body).head, substr(\(chunk).bytes, \(body).head_offset + 1, \(body).head_size))
            """
        return [
            FleetColumn(
                "\(side)_header.name", .texts,
                "names of the fields of the \(side) in lower case, in order", .fieldNames(head)),
            FleetColumn(
                "\(side)_header.value", .texts, "their values, without blanks around them",
                .fieldValues(head)),
        ]
    }

    /// The decoded content of one side, as the view `body` has it.
    private static func content(
        _ side: String, _ body: String, _ chunk: String
    ) -> [FleetColumn] {
        let joined = """
            (SELECT group_concat(substr(h.bytes, json_extract(p.value, '$[1]') + 1, \
            json_extract(p.value, '$[2]')), '') FROM json_each(\(body).content_parts) p \
            CROSS JOIN chunk h ON h.id = json_extract(p.value, '$[0]'))
            """
        return [
            FleetColumn(
                "\(side)_content", .optionalText,
                "content of the \(side) after transfer and content coding, the first bytes of a large one; null where there is none",
                .value(
                    """
                    CASE WHEN coalesce(\(body).size, 0) = 0 THEN NULL \
                    WHEN \(body).content_parts IS NOT NULL THEN \(joined) \
                    WHEN \(body).content_offset IS NULL THEN \(body).content \
                    ELSE substr(\(chunk).bytes, \(body).content_offset + 1, \(body).size) END
                    """)),
            FleetColumn(
                "\(side)_is_text", .number, "1 where that is UTF-8",
                .value("coalesce(\(body).is_text, 0)")),
            FleetColumn("\(side)_words", .text, wordsComment, .words(nil)),
        ]
    }
}
