internal import Dissection

/// Cases of CommCare: the blocks that restores and forms have, and what they make of cases.
extension Schema {
    static let caseBlockTable = """
        CREATE TABLE case_block(         -- what a restore or a form says about one case; the first \(DissectionLimits().caseBlocks) of a body
          id            INTEGER PRIMARY KEY,  -- 16777216 * (2 * exchange_id + sender) + position
          openrosa_id   INTEGER NOT NULL,     -- the document it is in, whose row comes when it ends
          exchange_id   INTEGER NOT NULL,     -- the exchange
          sender        INTEGER NOT NULL,     -- 0 client, 1 server
          position      INTEGER NOT NULL,     -- place among the case blocks of the body, from 0
          case_id       TEXT,                 -- identifier of the case
          action        TEXT NOT NULL,        -- what it does, joined by spaces in this order: create, update, close, index, attachment; a restore brings a case with create
          case_type     TEXT,                 -- type that it gives the case, if any
          case_name     TEXT,                 -- name that it gives the case, if any
          owner_id      TEXT,                 -- owner that it gives the case, if any; the user where create names none
          user_id       TEXT,                 -- user who changed the case
          date_modified TEXT,                 -- when the case was changed, as sent
          indices       TEXT                  -- references to other cases that it sets, a JSON object by name: case_type, relationship, target; null for one that it removes
        ) STRICT;
        CREATE INDEX case_block_case ON case_block(case_id);
        """

    /// Views about cases of CommCare.
    static let caseViews = """
        CREATE VIEW commcare_case AS  -- cases that the server has, as restores that it gave and forms that it accepted tell, without their properties
          \(held(by: ["project"], at: "d.place", where: "d.is_given AND d.server_turn = 1"))
          SELECT
          t.project    AS project,        -- host and path of the project
          t.case_id    AS case_id,        -- identifier of the case
          \(newest("case_type"))
                       AS case_type,      -- type
          \(newest("case_name"))
                       AS case_name,      -- name
          \(newest("owner_id"))
                       AS owner_id,       -- user or group that it belongs to
          \(newest("date_modified"))
                       AS date_modified,  -- when it was changed last, as sent
          \(isClosed)
                       AS is_closed,      -- 1 where it was closed
          coalesce(r.indices, '{}')
                       AS indices,        -- references to other cases, a JSON object by name: case_type, relationship, target
          \(newestExchange)
                       AS exchange_id     -- the last exchange that said something about it
          FROM told t LEFT JOIN reference r ON r.project = t.project AND r.case_id = t.case_id
          WHERE t.place >= t.opened GROUP BY t.project, t.case_id;
        CREATE VIEW commcare_device_case AS  -- cases that a device has: its last full restore and all after it, with its forms that it has not seen accepted; not purged
          \(held(by: ["project", "device"], at: devicePlace, where: onDevice))
          SELECT
          t.project    AS project,        -- host and path of the project
          t.device     AS device,         -- device id the client gave
          t.case_id    AS case_id,        -- identifier of the case
          \(newest("case_type"))
                       AS case_type,      -- type
          \(newest("case_name"))
                       AS case_name,      -- name
          \(newest("owner_id"))
                       AS owner_id,       -- user or group that it belongs to
          \(newest("date_modified"))
                       AS date_modified,  -- when it was changed last, as sent
          \(isClosed)
                       AS is_closed,      -- 1 where it was closed
          coalesce(r.indices, '{}')
                       AS indices,        -- references to other cases, a JSON object by name: case_type, relationship, target
          \(newestExchange)
                       AS exchange_id,    -- the last exchange that said something about it
          count(DISTINCT CASE WHEN t.is_held THEN NULL ELSE t.openrosa_id END)
                       AS unaccepted      -- how many forms about it the device has not seen accepted
          FROM told t LEFT JOIN reference r
            ON r.project = t.project AND r.device IS t.device AND r.case_id = t.case_id
          WHERE t.place >= t.opened GROUP BY t.project, t.device, t.case_id;
        """

    // MARK: Documents

    /// Restores and forms in the order in which they count: when their exchanges ended.
    ///
    /// A form counts once for each side, when it was first accepted or else when it was first sent:
    /// its turn is 1 then. A device has a restore whose answer it got whole.
    private static let documents = """
        restore AS (
          SELECT o.id AS openrosa_id, x.id AS exchange_id, x.session_id, x.ended_ns AS at_ns,
            \(project) AS project, x.device, 0 AS is_form,
            NOT x.is_local AS is_given, o.problem IS NULL AND x.outcome = 'complete' AS is_held,
            coalesce(\(parameter("since")), '') = '' AS is_full
          FROM http_exchange x JOIN openrosa o ON o.id = \(share) * (2 * x.id + 1)
          WHERE x.api = 'commcare.restore' AND x.status = 200 AND x.ended_ns IS NOT NULL
            AND o.kind IN ('restore', 'response')
        ), form AS (
          SELECT o.id AS openrosa_id, x.id AS exchange_id, x.session_id,
            coalesce(x.ended_ns, 9223372036854775807) AS at_ns,
            \(project) AS project, x.device, 1 AS is_form,
            x.ended_ns IS NOT NULL AND NOT x.is_local AND \(isAccepted) AS is_given,
            x.ended_ns IS NOT NULL AND \(isAccepted) AS is_held, 0 AS is_full,
            coalesce(o.instance_id, 'exchange ' || x.id) AS instance
          FROM http_exchange x JOIN openrosa o ON o.exchange_id = x.id
          LEFT JOIN part p ON p.id = o.id - 1
          LEFT JOIN openrosa a ON a.id = \(share) * (2 * x.id + 1)
          WHERE x.api = 'commcare.submit' AND o.sender = 0 AND o.kind = 'form'
            AND o.problem IS NULL AND (o.part IS NULL OR p.name = 'xml_submission_file')
        ), unordered AS (
          SELECT *, NULL AS instance, 1 AS server_turn, 1 AS device_turn FROM restore
          UNION ALL
          SELECT *, \(turn("project, instance", "is_given")),
            \(turn("project, device, instance", "is_held")) FROM form
        ), ordered AS (
          SELECT *, row_number() OVER (ORDER BY session_id, at_ns, openrosa_id) AS place
          FROM unordered
        ), document AS (
          SELECT *, max(CASE WHEN is_held AND is_full THEN place END)
            OVER (PARTITION BY project, device) AS full_place FROM ordered
        )
        """

    private static func turn(_ form: String, _ isDone: String) -> String {
        "row_number() OVER (PARTITION BY \(form) "
            + "ORDER BY \(isDone) DESC, session_id, at_ns, openrosa_id)"
    }

    /// What a device has not seen accepted is applied to the rest.
    private static let devicePlace = "(d.place + CASE WHEN d.is_held THEN 0 ELSE 1 << 36 END)"

    private static let onDevice = """
        d.device_turn = 1
          AND CASE WHEN d.is_held THEN d.place >= coalesce(d.full_place, 0) ELSE d.is_form END
        """

    // MARK: Cases

    /// What each holder was told of cases, and the references of these.
    ///
    /// Blocks about a case that no block has created by then change nothing.
    private static func held(
        by holder: [String], at place: String, where condition: String
    ) -> String {
        let holders = holder.joined(separator: ", ")
        let owners = holder.map { "d.\($0)" }.joined(separator: ", ")
        let position = "\(place) * \(share) + b.position"
        let body = "2 * d.exchange_id + 1 - d.is_form"
        return """
            WITH \(documents), told AS (
              SELECT b.*, \(owners), d.is_held, \(position) AS place,
                min(CASE WHEN b.action LIKE 'create%' THEN \(position) END)
                  OVER (PARTITION BY \(owners), b.case_id) AS opened
              FROM document d CROSS JOIN case_block b
              WHERE b.id >= \(share) * (\(body)) AND b.id < \(share) * (\(body) + 1)
                AND b.openrosa_id = d.openrosa_id AND b.case_id <> '' AND \(condition)
            ), setting AS (
              SELECT t.*, e.key AS name, e.value AS value, row_number() OVER (
                PARTITION BY \(holders), t.case_id, e.key ORDER BY t.place DESC) AS age
              FROM told t JOIN json_each(t.indices) e
              WHERE t.place >= t.opened AND t.indices IS NOT NULL
                AND coalesce(json_extract(e.value, '$.target'), '') <> t.case_id
                AND coalesce(json_extract(e.value, '$.relationship'), 'child') <> ''
            ), reference AS (
              SELECT \(holders), case_id, json_group_object(name, json(value)) AS indices
              FROM setting WHERE age = 1 AND value IS NOT NULL GROUP BY \(holders), case_id
            )
            """
    }

    /// The newest value of a column of `told` that is set.
    private static func newest(_ column: String) -> String {
        "substr(max(printf('%019d', t.place) || t.\(column)), 20)"
    }

    private static let newestExchange =
        "CAST(substr(max(printf('%019d', t.place) || t.exchange_id), 20) AS INTEGER)"
    private static let isClosed = "max(instr(t.action, 'close') > 0)"
}
