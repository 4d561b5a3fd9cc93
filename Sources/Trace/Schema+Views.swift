/// What is read more easily than the tables, and full-text search.
extension Schema {
    /// Tables with the names and columns that others rely on.
    public static let views = """
        CREATE VIEW body AS SELECT  -- head and content of one side of an exchange
          b.id           AS id,            -- 2 * exchange_id + sender
          b.exchange_id  AS exchange_id,   -- the exchange
          b.sender       AS sender,        -- 0 client, 1 server
          coalesce(b.head, substr(k.bytes, b.head_offset + 1, b.head_size))
                         AS head,          -- start line and fields as the receiver got them
          b.trailers     AS trailers,      -- trailer fields
          CASE WHEN b.content_offset IS NULL THEN b.content
               WHEN b.is_text THEN CAST(substr(k.bytes, b.content_offset + 1, b.size) AS TEXT)
               ELSE substr(k.bytes, b.content_offset + 1, b.size) END
                         AS content,       -- content after transfer and content coding: text if UTF-8, else blob; the first bytes of a large one
          b.size         AS size,          -- bytes of the whole content after transfer and content coding
          b.wire_size    AS wire_size,     -- bytes of the content on the wire, without transfer coding
          b.coding       AS coding,        -- content codings that were undone
          b.content_type AS content_type,  -- Content-Type as sent
          b.problem      AS problem        -- why the content could not be decoded, with the offset
          FROM http_body b LEFT JOIN chunk k ON k.id = b.chunk_id;
        CREATE VIEW exchange AS SELECT  -- exchanges with their URL and bodies
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
          (SELECT f.id FROM fault_statement f WHERE f.chunk_id = x.request_chunk_id
             AND f."offset" = x.request_offset LIMIT 1)
                              AS fault_id        -- fault done to the request
          FROM http_exchange x
          LEFT JOIN body q ON q.id = 2 * x.id
          LEFT JOIN body a ON a.id = 2 * x.id + 1;
        CREATE VIEW command AS SELECT  -- Simperium commands with their payload
          c.id         AS id,          -- number of the command
          c.message_id AS message_id,  -- the message it came in
          c.sender     AS sender,      -- 0 client, 1 server
          c.at_ns      AS at_ns,       -- when the last byte of its message arrived
          c.channel    AS channel,     -- channel; null for commands of the connection
          c.name       AS name,        -- init, auth, i, e, cv, c, o, h, index, log, ?, or as sent
          c.bucket     AS bucket,      -- bucket of the channel
          CAST(substr(CAST(coalesce(c.text, m.payload) AS BLOB), c.payload_offset + 1, c.payload_size)
            AS TEXT)   AS payload      -- what follows the name and its colon
          FROM simperium_command c JOIN message m ON m.id = c.message_id;
        CREATE VIEW fault AS SELECT  -- faults with what they were done to
          f.id     AS id,      -- number of the fault
          f.at_ns  AS at_ns,   -- when
          f.rule   AS rule,    -- name of the rule that asked for it
          f.action AS action,  -- what was done
          (SELECT x.id FROM http_exchange x WHERE x.request_chunk_id = f.chunk_id
             AND x.request_offset = f."offset") AS exchange_id,  -- the exchange it was done to
          (SELECT m.id FROM message m WHERE m.chunk_id = f.chunk_id
             AND m."offset" = f."offset") AS message_id          -- the message it was done to
          FROM fault_statement f;
        CREATE VIEW finding AS SELECT  -- findings with what shows them
          f.id       AS id,        -- number of the finding
          f.rule     AS rule,      -- identifier of the rule
          f.severity AS severity,  -- error, warning or info
          f.at_ns    AS at_ns,     -- when
          (SELECT x.id FROM http_exchange x WHERE x.request_chunk_id = f.chunk_id
             AND x.request_offset = f."offset") AS exchange_id,  -- the exchange that shows it
          (SELECT c.id FROM message m JOIN simperium_command c ON c.message_id = m.id
             WHERE m.chunk_id = f.chunk_id AND m."offset" = f."offset" LIMIT 1)
                     AS command_id,  -- the command that shows it
          f.says     AS says,      -- what is wrong
          f.expected AS expected   -- what should have been sent
          FROM finding_statement f;
        """

    /// Full-text search, built behind the commits as far as `progress` says.
    ///
    /// `rowid` is 2 * `body.id` for bodies and 2 * `message.id` + 1 for messages. Contentless: the
    /// words are here, the text is in `body` and `message`.
    public static let search = """
        CREATE VIRTUAL TABLE search USING fts5(  -- words of bodies and messages; see progress
          text,  -- the words; cannot be read back
          content='', tokenize='unicode61');
        """
}
