/// Cases of CommCare: the blocks of restores and forms, and the cases that result.
extension Schema {
    /// Views about cases of CommCare.
    ///
    /// Both gather the blocks of a case in one row, ``gathered``, and use those since the case was
    /// opened. A filter by `case_id` reaches the index of the blocks through
    /// `commcare_case`; what a device has of one case depends on its others.
    static let caseViews = """
        CREATE VIEW commcare_case AS  -- cases that the server has, by its restores and the forms that it accepted
          WITH \(caseDocuments), document AS (
            SELECT * FROM ordered WHERE is_given AND server_turn = 1
          ), received AS (
            SELECT b.*, d.project, \(stamp("d.place * \(Tables.share) + b.position")) AS stamp
            FROM \(blocksOfDocuments)
          ), held AS (
            SELECT t.project, t.case_id, \(gathered)
            FROM received t GROUP BY t.project, t.case_id
          )
          SELECT
          h.project    AS project,        -- host and path of the project
          \(caseColumns())
          FROM held h WHERE h.opened IS NOT NULL;
        CREATE VIEW commcare_device_case AS  -- cases that a user has on a device: the last full restore and all after it, purged as of the last sync from a token, with forms that were not seen accepted
          WITH RECURSIVE \(caseDocuments), \(caseHolders), \(casePurge), held AS (
            SELECT t.holder, t.case_id, \(gathered),
              count(DISTINCT CASE WHEN t.is_held THEN NULL ELSE t.openrosa_id END) AS unaccepted
            FROM received t
            WHERE NOT t.is_early OR (t.holder, t.case_id) IN (SELECT holder, case_id FROM alive)
            GROUP BY t.holder, t.case_id
          )
          SELECT
          o.project    AS project,        -- host and path of the project
          o.person     AS user,           -- user of the request; where some requests of a device have none and all others have the same, that one
          o.device     AS device,         -- device id of the client
          \(caseColumns(and: unaccepted))
          FROM held h JOIN holder o ON o.holder = h.holder WHERE h.opened IS NOT NULL;
        """

    private static let unaccepted =
        "h.unaccepted AS unaccepted      -- number of forms about it that the device has not seen accepted"

    /// The columns of a case in both views, from `held h`.
    private static func caseColumns(and more: String? = nil) -> String {
        """
        h.case_id    AS case_id,        -- identifier of the case
          \(latest("case_type"))
                       AS case_type,      -- type
          \(latest("case_name"))
                       AS case_name,      -- name
          \(latest("owner_id"))
                       AS owner_id,       -- user or group that it belongs to
          \(latest("date_modified"))
                       AS date_modified,  -- when it was changed last, as sent
          \(isClosed)
                       AS is_closed,      -- 1 where it was closed
          (SELECT json_group_object(name, json(value)) FROM (\(references)))
                       AS indices,        -- references to other cases, a JSON object by name: case_type, relationship, target
          (SELECT json_group_object(name, value) FROM (\(newest("properties"))))
                       AS properties,     -- all other properties, a JSON object of texts by name; external_id and date_opened where they were set
          CAST(substr(h.exchange_id, 20) AS INTEGER)
                       AS exchange_id\(more == nil ? " " : ",")    -- the last exchange with a block about it
          \(more ?? "")
        """
    }

    // MARK: Of many blocks one case

    /// A place as text that compares as the place does and can prefix a value.
    static func stamp(_ place: String) -> String { "printf('%019d', \(place))" }

    /// The gathered blocks `t` of one case: the newest of each column after its stamp, and values
    /// to merge as elements of a JSON array, each with its stamp.
    private static let gathered = """
        \(gatheredLife),
              max(t.stamp || t.case_type) AS case_type, max(t.stamp || t.case_name) AS case_name,
              max(t.stamp || t.date_modified) AS date_modified,
              max(t.stamp || t.exchange_id) AS exchange_id,
              group_concat('["' || t.stamp || '",' || t.properties || ']') AS properties
        """

    /// The part of it that decides whether a device keeps the case.
    static let gatheredLife = """
        max(t.stamp || t.owner_id) AS owner_id,
              min(CASE WHEN t.action LIKE 'create%' THEN t.stamp END) AS opened,
              max(CASE WHEN instr(t.action, 'close') THEN t.stamp END) AS closed,
              group_concat('["' || t.stamp || '",' || t.indices || ']') AS indices
        """

    /// The newest value of a column of the case `h`: blocks before the one that created the case
    /// have no effect.
    static func latest(_ column: String) -> String {
        "CASE WHEN h.\(column) >= h.opened THEN substr(h.\(column), 20) END"
    }

    /// Whether the case `h` was closed.
    static let isClosed = "coalesce(h.closed >= h.opened, 0)"

    /// The newest value of each name in a merged column of the case `h`.
    ///
    /// SQLite takes the other columns from the row that has the `max`.
    private static func newest(_ column: String, where condition: String = "1") -> String {
        """
        SELECT e.key AS name, e.value AS value, max(json_extract(s.value, '$[0]'))
            FROM json_each('[' || h.\(column) || ']') s JOIN json_each(s.value, '$[1]') e
            WHERE json_extract(s.value, '$[0]') >= h.opened AND \(condition) GROUP BY e.key
        """
    }

    /// The references of the case `h`, `name` and `value`, without those that devices refuse.
    static let references = """
        SELECT name, value FROM (\(newest("indices", where: isTaken))) WHERE value IS NOT NULL
        """

    private static let isTaken = """
        coalesce(json_extract(e.value, '$.target'), '') <> h.case_id
              AND coalesce(json_extract(e.value, '$.relationship'), 'child') <> ''
        """
}
