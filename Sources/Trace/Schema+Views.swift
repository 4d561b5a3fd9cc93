import Wire

/// Views that are easier to read than the tables, and full-text search.
extension Schema {
    /// Tables with the names and columns that others rely on.
    public static let views = """
        CREATE VIEW body AS SELECT  -- head and content of one side of an exchange
          b.id           AS id,            -- 2 * exchange_id + sender
          b.exchange_id  AS exchange_id,   -- the exchange
          b.sender       AS sender,        -- 0 client, 1 server
          coalesce(b.head, substr(k.bytes, b.head_offset + 1, b.head_size))
                         AS head,          -- start line and fields as received
          b.trailers     AS trailers,      -- trailer fields
          CASE WHEN b.content_parts IS NOT NULL THEN
                 CASE WHEN b.is_text THEN \(joinedContent)
                 ELSE CAST(\(joinedContent) AS BLOB) END
               WHEN b.content_offset IS NULL THEN b.content
               WHEN b.is_text THEN CAST(substr(k.bytes, b.content_offset + 1, b.size) AS TEXT)
               ELSE substr(k.bytes, b.content_offset + 1, b.size) END
                         AS content,       -- content after transfer and content coding: text if UTF-8, else blob; the first bytes of a large one
          b.size         AS size,          -- bytes of the whole content after transfer and content coding
          b.wire_size    AS wire_size,     -- bytes of the content on the wire, without transfer coding
          b.coding       AS coding,        -- content codings that were undone
          b.content_type AS content_type,  -- Content-Type as sent
          b.problem      AS problem        -- why the content could not be decoded, with the offset
          FROM http_body b LEFT JOIN chunk k ON k.id = b.chunk_id;
        \(headerView)
        \(exchangeView(.client))
        \(exchangeView(.server))
        \(rows(of: Tables.exchange.definition, as: "http_exchange", .client))
        \(rows(of: Tables.message.definition, as: "message", .client))
        \(rows(of: Tables.message.definition, as: "server_message", .server))
        \(rows(of: Tables.command.definition, as: "simperium_command", .client))
        \(commandView(.client))
        \(commandView(.server))
        \(rows(of: Tables.change.definition, as: "change", .client))
        \(rows(of: Tables.change.definition, as: "server_change", .server))
        \(faultView)
        CREATE VIEW finding AS SELECT  -- findings with their evidence
          f.id       AS id,        -- number of the finding
          f.rule     AS rule,      -- identifier of the rule
          f.severity AS severity,  -- error, warning or info
          f.at_ns    AS at_ns,     -- when
          \(exchangeAtPlace)
                     AS exchange_id,  -- the exchange that shows it
          \(commandAtPlace)
                     AS command_id,  -- the command that shows it
          f.message  AS message,   -- what is wrong
          f.expected AS expected,  -- what should have been sent
          f.session_id AS session_id,  -- the session
          \(wallClock("f.at_ns"))
                     AS time,      -- when on the wall clock, in UTC
          (SELECT x.device FROM any_exchange x WHERE x.request_chunk_id = f.chunk_id
             AND x.request_offset = f."offset" ORDER BY x.side = 'server' LIMIT 1)
                     AS device     -- device id of the request that shows it
          FROM finding_statement f LEFT JOIN session s ON s.id = f.session_id;
        CREATE VIEW undecided AS SELECT  -- what could not be decided, with what the wait began with
          f.id         AS id,         -- number of the row
          f.session_id AS session_id, -- the session
          f.rule       AS rule,       -- identifier of the rule that would have been broken
          f.at_ns      AS since_ns,   -- when the wait began
          f.waited_ns  AS waited_ns,  -- how long it had lasted when the recording ended
          \(exchangeAtPlace)
                       AS exchange_id,  -- the exchange that the wait began with
          \(commandAtPlace)
                       AS command_id,  -- the command that the wait began with
          f.message    AS message,    -- what the rule demands
          f.expected   AS expected    -- what was waited for
          FROM undecided_statement f;
        """

    /// The wall clock at `at`, nanoseconds since the start of the session `s`, as RFC 3339 writes it.
    ///
    /// Texts of this form are in the order of time.
    private static func wallClock(_ at: String) -> String {
        let clock = "(s.started_unix_ns + \(at))"
        return """
            strftime('%Y-%m-%dT%H:%M:%S.', \(clock) / 1000000000, 'unixepoch')
                || substr(printf('%09d', \(clock) % 1000000000), 1, 6) || 'Z'
            """
    }

    /// The content of the row `b` of `http_body` that stands in several chunks, as text whatever its
    /// bytes are.
    static let joinedContent = """
        (SELECT group_concat(substr(h.bytes, json_extract(p.value, '$[1]') + 1, json_extract(p.value, '$[2]')), '')
         FROM json_each(b.content_parts) p CROSS JOIN chunk h ON h.id = json_extract(p.value, '$[0]'))
        """

    /// The fields of heads, split in SQL, so that any program can query them.
    private static let headerView = """
        CREATE VIEW header AS  -- header fields of exchanges, one in a row
          WITH RECURSIVE line(body_id, exchange_id, sender, number, text, rest) AS (
            SELECT b.id, b.exchange_id, b.sender, -1, '',
              replace(CAST(b.head AS TEXT), char(13), '') || char(10)
            FROM body b
            UNION ALL
            SELECT body_id, exchange_id, sender, number + 1, substr(rest, 1, instr(rest, char(10)) - 1),
              substr(rest, instr(rest, char(10)) + 1)
            FROM line WHERE rest <> '')
          SELECT
          l.body_id     AS body_id,      -- the body that it belongs to
          l.exchange_id AS exchange_id,  -- the exchange
          l.sender      AS sender,       -- 0 client, 1 server
          l.number      AS position,     -- place among the fields, from 1
          lower(rtrim(substr(l.text, 1, instr(l.text, ':') - 1)))
                        AS name,         -- name in lower case
          trim(substr(l.text, instr(l.text, ':') + 1), ' ' || char(9))
                        AS value         -- value as received, without blanks around it
          FROM line l WHERE l.number > 0 AND instr(l.text, ':') > 1;
        """

    /// The exchange that begins at the place of the statement `f`.
    private static let exchangeAtPlace = """
        (SELECT x.id FROM any_exchange x WHERE x.request_chunk_id = f.chunk_id
             AND x.request_offset = f."offset" ORDER BY x.side = 'server' LIMIT 1)
        """

    /// The first command of the message that begins at the place of the statement `f`.
    private static let commandAtPlace = """
        (SELECT c.id FROM any_message m JOIN any_command c ON c.message_id = m.id
             WHERE m.chunk_id = f.chunk_id AND m."offset" = f."offset"
             ORDER BY m.side = 'server', c.id LIMIT 1)
        """

    /// The rows of `table` that belong to the side of `peer`, with all their columns.
    private static func rows(
        of table: TableDefinition, as name: String, _ peer: Peer
    ) -> String {
        let width = (table.columns.map(\.quotedName.utf8.count).max() ?? 0) + 2
        let lines = table.columns.enumerated().map { index, column in
            let comma = index + 1 < table.columns.count ? "," : ""
            let gap = String(repeating: " ", count: width - column.quotedName.utf8.count)
            return
                "  r.\(column.quotedName) AS \(column.quotedName)\(comma)\(gap)-- \(column.comment)"
        }
        return """
            CREATE VIEW \(name) AS SELECT  -- rows of \(table.name) of the \(peer)'s side
            \(lines.joined(separator: "\n"))
              FROM \(table.name) r WHERE r.side <> '\(peer.other)';
            """
    }

    /// Exchanges of one side with their URL and bodies.
    private static func exchangeView(_ peer: Peer) -> String {
        """
        CREATE VIEW \(peer == .client ? "exchange" : "server_exchange") AS SELECT  -- exchanges of the \(peer)'s side with their URL and bodies
          x.id                AS id,             -- number of the exchange
          x.connection_id     AS connection_id,  -- the connection
          x.api               AS api,            -- what it is for
          x.method            AS method,         -- request method as sent
          x.scheme || '://' || x.host
            || CASE WHEN x.port = CASE x.scheme WHEN 'https' THEN 443 ELSE 80 END
               THEN '' ELSE ':' || x.port END
            || x.path || coalesce('?' || x.query, '')
                              AS url,            -- absolute URL
          x.status            AS status,         -- status of the final response
          x.started_ns        AS started_ns,     -- first byte of the request
          x.ended_ns          AS ended_ns,       -- last byte of the response
          q.content           AS request_body,   -- decoded request content
          a.content           AS response_body,  -- decoded response content
          (SELECT f.id FROM
             (SELECT g.id, g.connection_id, g.sender, g.chunk_id, g."offset" FROM fault_statement g
              WHERE g.connection_id = x.connection_id AND g.chunk_id >= x.request_chunk_id
                AND g.problem IS NULL AND g.purpose = 'fault'
              ORDER BY g.chunk_id, g.id LIMIT 8) f
             WHERE \(faultedExchange) IN (x.id, x.counterpart_id) ORDER BY f.chunk_id, f.id LIMIT 1)
                              AS fault_id,       -- the first fault applied to it
          x.side              AS side,           -- whose conversation it belongs to: both, client or server
          x.fate              AS fate,           -- what became of it on its way
          x.counterpart_id    AS counterpart_id,  -- the exchange of the other side that corresponds to it
          x.session_id        AS session_id,     -- the session
          \(wallClock("x.started_ns"))
                              AS time,           -- first byte of the request on the wall clock, in UTC
          x.host              AS host,           -- host without port
          x.path              AS path,           -- path without query
          x.device            AS device,         -- device id that the client sent
          x.ended_ns - x.started_ns
                              AS duration_ns,    -- from the first byte of the request to the last of the response
          x.request_size      AS request_size,   -- bytes of request content on the wire
          x.response_size     AS response_size   -- bytes of response content on the wire
          FROM any_exchange x
          LEFT JOIN session s ON s.id = x.session_id
          LEFT JOIN body q ON q.id = 2 * x.id
          LEFT JOIN body a ON a.id = 2 * x.id + 1
          WHERE x.side <> '\(peer.other)';
        """
    }

    /// Simperium commands of one side with their payload.
    private static func commandView(_ peer: Peer) -> String {
        """
        CREATE VIEW \(peer == .client ? "command" : "server_command") AS SELECT  -- Simperium commands of the \(peer)'s side with their payload
          c.id         AS id,          -- number of the command
          c.message_id AS message_id,  -- its message
          c.sender     AS sender,      -- 0 client, 1 server
          c.at_ns      AS at_ns,       -- when the last byte of its message arrived
          c.channel    AS channel,     -- channel; null for commands of the connection
          c.name       AS name,        -- init, auth, i, e, cv, c, o, h, index, log, ?, or as sent
          c.bucket     AS bucket,      -- bucket of the channel
          CAST(substr(CAST(coalesce(c.text, m.payload) AS BLOB), c.payload_offset + 1, c.payload_size)
            AS TEXT)   AS payload,     -- what follows the name and its colon
          c.side       AS side,        -- whose conversation it belongs to: both, client or server
          c.fate       AS fate,        -- what became of it on its way
          c.counterpart_id
                       AS counterpart_id,  -- the command of the other side that corresponds to it
          c.session_id AS session_id,  -- the session
          \(wallClock("c.at_ns"))
                       AS time,        -- the same as at_ns on the wall clock, in UTC
          c.connection_id
                       AS connection_id,  -- the connection
          c.key        AS key,         -- key of the object
          c.error      AS error        -- error code
          FROM any_command c JOIN any_message m ON m.id = c.message_id
          LEFT JOIN session s ON s.id = c.session_id
          WHERE c.side <> '\(peer.other)';
        """
    }

    /// The exchange that the fault `f` was applied to, if any, on the side of the peer whose bytes it
    /// was done to.
    ///
    /// The last one that had begun on its connection; for a fault on an answer the last one that
    /// was being answered, since more requests may have been sent by then. Faults after an upgrade
    /// belong to a message.
    private static let faultedExchange = """
        (SELECT CASE WHEN y.status IS NOT 101 OR y.response_chunk_id IS NULL
                       OR f.chunk_id <= y.response_chunk_id THEN y.id END
         FROM any_exchange y WHERE y.id = CASE f.sender WHEN 1
           THEN coalesce(\(answeredExchange), \(firstExchange)) ELSE
             coalesce(\(askedExchange("r.side <> 'server'")), \(askedExchange("1"))) END)
        """

    /// The last exchange that had begun, of those for which `condition` holds.
    private static func askedExchange(_ condition: String) -> String {
        """
        (SELECT r.id FROM any_exchange r
          WHERE r.connection_id = f.connection_id AND r.request_chunk_id <= f.chunk_id
            AND (r.request_chunk_id < f.chunk_id OR r.request_offset <= f."offset")
            AND \(condition)
          ORDER BY r.request_chunk_id DESC, r.request_offset DESC LIMIT 1)
        """
    }

    /// The last exchange that the answer of the server had begun of.
    private static let answeredExchange = """
        (SELECT a.id FROM any_exchange a
         WHERE a.connection_id = f.connection_id AND a.request_chunk_id <= f.chunk_id
           AND (a.response_chunk_id < f.chunk_id
                OR a.response_chunk_id = f.chunk_id AND a.response_offset <= f."offset")
         ORDER BY a.request_chunk_id DESC, a.request_offset DESC, a.side = 'client' LIMIT 1)
        """

    /// The first exchange of the connection of the fault `f`, where it had begun.
    private static let firstExchange = """
        (SELECT b.id FROM any_exchange b
         WHERE b.connection_id = f.connection_id AND b.request_chunk_id <= f.chunk_id
         ORDER BY b.request_chunk_id, b.request_offset, b.side = 'client' LIMIT 1)
        """

    /// The message that begins where the fault `f` was applied, on the side of the peer whose bytes
    /// it was done to; one that no peer sent on the other side.
    ///
    /// Where none begins, the one in the middle of which it was applied, looked for among the 64 that
    /// began last before.
    private static let faultedMessage = """
        coalesce(
          (SELECT m.id FROM any_message m
           WHERE m.chunk_id = f.chunk_id AND m."offset" >= f."offset"
             AND m.side <> CASE f.sender WHEN 1 THEN 'client' ELSE 'server' END
           ORDER BY m."offset" LIMIT 1),
          (SELECT m.id FROM any_message m
           WHERE m.chunk_id = f.chunk_id AND m."offset" >= f."offset" ORDER BY m."offset" LIMIT 1),
          (SELECT few.id FROM
             (SELECT * FROM any_message n WHERE n.chunk_id <= f.chunk_id
              ORDER BY n.chunk_id DESC, n."offset" DESC LIMIT 64) few
           WHERE few.connection_id = f.connection_id AND few.sender = f.sender
             AND few.at_ns <= f.at_ns AND few.ended_ns >= f.at_ns
             AND few.side <> CASE f.sender WHEN 1 THEN 'client' ELSE 'server' END LIMIT 1))
        """

    /// What was done to the traffic, with the current numbers of derived rows.
    private static let faultView = """
        CREATE VIEW intervention AS SELECT  -- what was done to the traffic, with its targets
          f.id            AS id,             -- number
          f.at_ns         AS at_ns,          -- when
          f.purpose       AS purpose,        -- fault: to break something; edit: to have it otherwise
          f.rule          AS rule,           -- name of the rule that caused it
          f.action        AS action,         -- the action, in the notation of plans
          f.effect        AS effect,         -- what that did: altered, lost, delayed, repeated, answered, injected, ended, stalled, refused; none where it could not be done; null where unknown
          f.problem       AS problem,        -- why it could not be done; null where it was done
          f.detail        AS detail,         -- what about the message no longer fits afterwards; null where nothing is known to
          \(faultedExchange)
                          AS exchange_id,    -- the exchange it was applied to, on the side of the peer whose bytes these were
          \(faultedMessage)
                          AS message_id,     -- the message it was applied to
          (SELECT c.id FROM any_command c
             WHERE c.message_id = \(faultedMessage) AND c.position = f.position)
                          AS command_id,     -- the command it was applied to
          f.connection_id AS connection_id,  -- the connection it was applied to
          f.sender        AS sender,         -- sender of the affected bytes: 0 client, 1 server; null where there are none
          f.scope         AS scope,          -- scope by which the rule counts; empty for all events together
          f.occurrence    AS occurrence,     -- ordinal of the event in that scope, from 1
          f.draw          AS draw,           -- random number that decided it, in 0...2^64-1
          v.verdict       AS verdict,        -- recovered, not-recovered or undecided; null where not judged
          v.how           AS how,            -- the evidence, as text
          f.session_id    AS session_id      -- the session
          FROM fault_statement f LEFT JOIN fault_verdict v ON v.fault_id = f.id;

        CREATE VIEW fault AS SELECT  -- interventions made to break something, with their verdicts
          f.id            AS id,             -- number of the fault
          f.at_ns         AS at_ns,          -- when
          f.rule          AS rule,           -- name of the rule that caused it
          f.action        AS action,         -- the action, in the notation of plans
          f.effect        AS effect,         -- what that did: altered, lost, delayed, repeated, answered, injected, ended, stalled, refused; none where it could not be done; null where unknown
          f.problem       AS problem,        -- why it could not be done; null where it was done
          f.exchange_id   AS exchange_id,    -- the exchange it was applied to, on the side of the peer whose bytes these were
          f.message_id    AS message_id,     -- the message it was applied to
          f.command_id    AS command_id,     -- the command it was applied to
          f.connection_id AS connection_id,  -- the connection it was applied to
          f.sender        AS sender,         -- sender of the affected bytes: 0 client, 1 server; null where there are none
          f.scope         AS scope,          -- scope by which the rule counts; empty for all events together
          f.occurrence    AS occurrence,     -- ordinal of the event in that scope, from 1
          f.draw          AS draw,           -- random number that decided it, in 0...2^64-1
          f.verdict       AS verdict,        -- recovered, not-recovered or undecided; null where not judged
          f.how           AS how,            -- the evidence, as text
          f.session_id    AS session_id      -- the session
          FROM intervention f WHERE f.purpose = 'fault';
        """

    /// Full-text search, built after the commits, up to `progress`.
    ///
    /// `rowid` is 2 * `body.id` for bodies and 2 * `message.id` + 1 for messages. Contentless: the
    /// words are here, the text is in `body` and `message`.
    public static let search = """
        CREATE VIRTUAL TABLE search USING fts5(  -- words of bodies and messages; see progress
          text,  -- the words; cannot be read back
          content='', tokenize='unicode61');
        """
}
