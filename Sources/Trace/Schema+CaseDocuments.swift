/// Restores and forms of CommCare in the order in which they count: when their exchanges ended.
extension Schema {
    /// `ordered`: restores that were requested, whether or not they were answered, and forms, with
    /// the host and path of their project.
    ///
    /// A form counts once for each side, when it was first accepted or else when it was first sent:
    /// its turn is 1 then. A device has a restore whose answer it received completely. A request
    /// without a user is of the user of the device, where that has only one.
    static let caseDocuments = """
        asked AS (
            SELECT *, coalesce(user, CASE WHEN min(user) OVER of_device = max(user) OVER of_device
              THEN min(user) OVER of_device END) AS person
            FROM (
              SELECT x.*, \(project) AS project FROM http_exchange x
              WHERE x.api IN ('commcare.restore', 'commcare.submit')
            ) WINDOW of_device AS (PARTITION BY project, device)
          ), restore AS (
            SELECT \(Tables.share) * (2 * x.id + 1) AS openrosa_id, x.id AS exchange_id, x.session_id,
              coalesce(x.ended_ns, \(Int64.max)) AS at_ns, x.project, x.person, x.device,
              0 AS is_form, o.id IS NOT NULL AND NOT x.is_local AS is_given,
              o.id IS NOT NULL AND o.problem IS NULL AND x.outcome = 'complete' AS is_held,
              coalesce(\(parameter("since")), '') = '' AS is_full, o.owners
            FROM asked x LEFT JOIN openrosa o ON o.id = \(Tables.share) * (2 * x.id + 1)
              AND o.kind IN ('restore', 'response') AND x.status = 200 AND x.ended_ns IS NOT NULL
            WHERE x.api = 'commcare.restore'
          ), form AS (
            SELECT o.id AS openrosa_id, x.id AS exchange_id, x.session_id,
              coalesce(x.ended_ns, \(Int64.max)) AS at_ns, x.project, x.person, x.device,
              1 AS is_form, x.ended_ns IS NOT NULL AND NOT x.is_local AND \(isAccepted) AS is_given,
              x.ended_ns IS NOT NULL AND \(isAccepted) AS is_held, NULL AS is_full, NULL AS owners,
              coalesce(o.instance_id, 'exchange ' || x.id) AS instance
            FROM asked x JOIN openrosa o ON o.exchange_id = x.id
            LEFT JOIN part p ON p.id = o.id - 1
            LEFT JOIN openrosa a ON a.id = \(Tables.share) * (2 * x.id + 1)
            WHERE x.api = 'commcare.submit' AND o.sender = 0 AND o.kind = 'form'
              AND o.problem IS NULL AND (o.part IS NULL OR p.name = 'xml_submission_file')
          ), unordered AS (
            SELECT *, NULL AS instance, 1 AS server_turn, 1 AS device_turn FROM restore
            UNION ALL
            SELECT *, \(turn("project, instance", "is_given")),
              \(turn("project, person, device, instance", "is_held")) FROM form
          ), ordered AS (
            SELECT *, row_number() OVER (ORDER BY session_id, at_ns, openrosa_id) AS place
            FROM unordered
          )
        """

    private static func turn(_ form: String, _ isDone: String) -> String {
        "row_number() OVER (PARTITION BY \(form) "
            + "ORDER BY \(isDone) DESC, session_id, at_ns, openrosa_id)"
    }

    /// The case blocks `b` of the documents `d`.
    ///
    /// A cross join is one whose order SQLite keeps: there is no index of blocks by document but
    /// their numbers.
    static let blocksOfDocuments = """
        document d CROSS JOIN case_block b
            WHERE b.id >= \(Tables.share) * (2 * d.exchange_id + 1 - d.is_form)
              AND b.id < \(Tables.share) * (2 * d.exchange_id + 2 - d.is_form)
              AND b.openrosa_id = d.openrosa_id AND b.case_id <> ''
        """

    /// `holder`: each user on each device, by number, with the owners whose cases belong there; and
    /// `received`: the blocks that each got since the last full restore.
    ///
    /// Forms that were not seen accepted are applied to the rest. Early blocks were there when the
    /// device last synced from a token, and purged its cases.
    static let caseHolders = """
        document AS (
            SELECT *, dense_rank() OVER (ORDER BY project, person, device) AS holder,
              max(CASE WHEN is_held AND is_full THEN place END) OVER of_holder AS full_place,
              max(CASE WHEN NOT is_full THEN place END) OVER of_holder AS sync_place
            FROM ordered WHERE device_turn = 1
            WINDOW of_holder AS (PARTITION BY project, person, device)
          ), holder AS (
            SELECT holder, project, person, device,
              max(CASE WHEN is_held AND place < sync_place
                THEN \(stamp("place")) || owners END) AS owners
            FROM document GROUP BY holder
          ), received AS (
            SELECT b.*, d.holder, d.is_held,
              d.is_held AND d.place < coalesce(d.sync_place, 0) AS is_early,
              \(stamp("d.place * \(Tables.share) + b.position + CASE WHEN d.is_held THEN 0 ELSE 1 << 60 END"))
                AS stamp
            FROM \(blocksOfDocuments)
              AND d.place >= coalesce(d.full_place, 0) AND (d.is_held OR d.is_form)
          )
        """
}
