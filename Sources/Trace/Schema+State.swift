/// The state of each side, as far as SQL can compute it from stored rows.
///
/// `tapedeck state` does more: it applies changes to objects, and follows each device from sync to
/// sync.
extension Schema {
    /// Views about the state of buckets, submissions, syncs and cases.
    public static let stateViews = """
        CREATE VIEW bucket_version AS SELECT  -- what servers sent about objects of buckets: each version of each object, as often as it was sent
          t.command_id    AS command_id,     -- the command that has it
          t.at_ns         AS at_ns,          -- when the last byte of its message arrived
          t.connection_id AS connection_id,  -- the connection
          t.app           AS app,            -- application of the socket
          t.bucket        AS bucket,         -- the bucket
          t.key           AS key,            -- key of the object
          t.version       AS version,        -- version of the object
          t.is_removed    AS is_removed,     -- 1 where the object is removed by that version
          t.data          AS data,           -- the whole object as JSON, where an index page or e has it; null for changes
          t.cv            AS cv              -- change version of a change
          FROM (
            SELECT s.id AS command_id, s.at_ns, s.connection_id, s.app, s.bucket, h.key,
              coalesce(h.ev, h.sv + 1, 0) AS version, h.o = '-' AS is_removed, NULL AS data, h.cv
            FROM change h JOIN simperium_command s ON s.id = h.command_id
            WHERE s.sender = 1 AND h.error IS NULL AND h.o IN ('M', '-')
            UNION ALL
            SELECT s.id, s.at_ns, s.connection_id, s.app, s.bucket,
              json_extract(\(indexEntry), '$.id'), json_extract(\(indexEntry), '$.v'), 0,
              json_extract(\(indexEntry), '$.d'), NULL
            FROM simperium_command s JOIN command c ON c.id = s.id
            JOIN json_each(CASE WHEN json_valid(c.payload) THEN c.payload ELSE '{}' END, '$.index') e
            WHERE s.sender = 1 AND s.name = 'i'
            UNION ALL
            SELECT s.id, s.at_ns, s.connection_id, s.app, s.bucket, s.key,
              CAST(substr(c.payload, length(s.key) + 2) AS INTEGER), 0,
              json_extract(\(entityText), '$.data'), NULL
            FROM simperium_command s JOIN command c ON c.id = s.id
            WHERE s.sender = 1 AND s.name = 'e' AND json_valid(\(entityText))
          ) t;
        CREATE VIEW bucket_object AS SELECT  -- the newest version that servers sent of each object that is not removed; of all users of an application together
          o.app        AS app,         -- application of the socket
          o.bucket     AS bucket,      -- the bucket
          o.key        AS key,         -- key of the object
          o.version    AS version,     -- the newest version
          o.data       AS data,        -- the whole object as JSON, where that version was sent whole; tapedeck state applies changes
          o.command_id AS command_id   -- the last command that has it
          FROM (
            SELECT *, row_number() OVER (PARTITION BY app, bucket, key
              ORDER BY version DESC, is_removed DESC, data IS NULL, command_id DESC) AS place
            FROM bucket_version
          ) o WHERE o.place = 1 AND NOT o.is_removed;
        CREATE VIEW unacknowledged_change AS SELECT  -- changes of clients that no server acknowledged on any connection; each ccid once
          u.change_id     AS change_id,      -- the change as it was sent first
          u.command_id    AS command_id,     -- its command
          u.connection_id AS connection_id,  -- the connection
          u.at_ns         AS at_ns,          -- when the last byte of its message arrived
          u.app           AS app,            -- application of the socket
          u.bucket        AS bucket,         -- the bucket
          u.key           AS key,            -- key of the object
          u.o             AS o,              -- operation: M modify, - remove, or as sent
          u.sv            AS sv,             -- source version
          u.ccid          AS ccid,           -- identifier of the change
          u.tries         AS tries,          -- how many times it was sent
          a.error         AS error           -- what a server refused it with; null where none answered
          FROM (
            SELECT min(h.id) AS change_id, s.id AS command_id, s.connection_id, s.at_ns, s.app,
              h.bucket, h.key, h.o, h.sv, h.ccid, count(*) AS tries
            FROM change h JOIN simperium_command s ON s.id = h.command_id
            WHERE s.sender = 0 AND h.ccid IS NOT NULL GROUP BY h.ccid
          ) u LEFT JOIN (
            SELECT j.value AS ccid, max(h.error) AS error,
              max(h.error IS NULL OR h.error IN (409, 412)) AS is_done
            FROM change h JOIN simperium_command s ON s.id = h.command_id
            JOIN json_each(CASE WHEN json_valid(\(ccids)) THEN \(ccids) ELSE '[]' END) j
            WHERE s.sender = 1 AND h.ccid IS NOT NULL GROUP BY j.value
          ) a ON a.ccid = u.ccid
          WHERE a.is_done IS NOT 1;
        CREATE VIEW commcare_form AS SELECT  -- forms that were submitted, as often as they were
          o.exchange_id AS exchange_id,  -- the exchange
          x.started_ns  AS at_ns,        -- first byte of the request
          \(project)
                        AS project,      -- host and path of the project
          x.user        AS user,         -- user of the request
          x.device      AS device,       -- device id of the client
          o.instance_id AS instance_id,  -- instanceID of the form
          o.cases       AS cases,        -- number of its case blocks
          x.status      AS status,       -- status of the response; null where there was none
          a.nature      AS nature,       -- nature of its message
          \(isAccepted)
                        AS is_accepted   -- 1 where the client received the answer that the server has it
          FROM openrosa o JOIN http_exchange x ON x.id = o.exchange_id
          LEFT JOIN openrosa a ON a.id = \(Tables.share) * (2 * o.exchange_id + 1)
          WHERE o.sender = 0 AND o.kind = 'form';
        CREATE VIEW commcare_sync AS SELECT  -- restores that were requested
          x.id          AS exchange_id,  -- the exchange
          x.started_ns  AS at_ns,        -- first byte of the request
          \(project)
                        AS project,      -- host and path of the project
          x.user        AS user,         -- user of the request
          x.device      AS device,       -- device id of the client
          \(parameter("since"))
                        AS since,        -- sync token that the client has, escaped as sent; null for a full restore
          \(parameter("state"))
                        AS state,        -- hash of the cases that it has, escaped as sent
          x.status      AS status,       -- status of the response; null where there was none
          a.nature      AS nature,       -- nature of its message
          a.restore_id  AS sync_token,   -- sync token that it issues
          a.cases       AS cases         -- number of its case blocks
          FROM http_exchange x LEFT JOIN openrosa a ON a.id = \(Tables.share) * (2 * x.id + 1)
          WHERE x.api = 'commcare.restore';
        \(caseViews)
        """

    /// Names of ``stateViews``, dependent ones first.
    static let stateViewNames = [
        "bucket_object", "bucket_version", "unacknowledged_change", "commcare_form",
        "commcare_sync",
        "commcare_case", "commcare_device_case",
    ]

    private static let indexEntry = "CASE e.type WHEN 'object' THEN e.value ELSE '{}' END"
    private static let entityText = "substr(c.payload, instr(c.payload, char(10)) + 1)"
    private static let ccids = "'[\"' || replace(h.ccid, ' ', '\",\"') || '\"]'"
    /// Host and path of the project of the exchange `x`.
    static let project = """
        CASE WHEN x.path LIKE '/a/_%'
            THEN x.host || '/' || substr(x.path, 2, instr(substr(x.path, 4) || '/', '/') + 1)
            ELSE x.host END
        """

    /// Whether the answer to a form, of the exchange `x` with the document `a`, means that the
    /// server has it: a success that is an OpenRosaResponse or has no body; the page of a captive
    /// portal is neither.
    static let isAccepted = """
        CASE WHEN a.nature = 'post_processing_failure' THEN 1
            ELSE coalesce(x.status BETWEEN 200 AND 299, 0)
              AND (a.kind IN ('response', 'restore') OR x.response_size = 0)
              AND coalesce(a.nature, '') NOT IN ('submit_error', 'processing_failure') END
        """

    /// The value of a parameter of the query of `x`, as sent.
    static func parameter(_ name: String) -> String {
        let place = "instr('&' || x.query, '&\(name)=')"
        let rest = "substr('&' || x.query, \(place) + \(name.utf8.count + 2))"
        return "CASE WHEN \(place) > 0 THEN substr(\(rest), 1, instr(\(rest) || '&', '&') - 1) END"
    }
}
