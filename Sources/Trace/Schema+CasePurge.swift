/// The cases that devices delete before they sync, as SQL.
extension Schema {
    /// `alive`: the cases that a holder kept when it last synced from a token.
    ///
    /// As in `CasePurge`, with liveness passed on until nothing changes. What refers to a case that
    /// is not there is an orphan, and so is what refers to an orphan; the rest is sound. Needed are
    /// open cases that are owned, and what they refer to; available are the needed and open ones
    /// that extend no other, and open ones that extend these; alive are the available ones that are
    /// owned, what they refer to, and open ones that extend them. What passes liveness on are ties.
    ///
    /// Source: `CasePurgeFilter` of commcare-core; OpenRosa/Specification.md#purging.
    static let casePurge = """
        early AS (
            SELECT t.holder, t.case_id, \(gatheredLife)
            FROM received t WHERE t.is_early GROUP BY t.holder, t.case_id
          ), node AS (
            SELECT h.*, NOT \(isClosed) AS is_open, o.owners IS NULL
              OR \(latest("owner_id")) IN (SELECT value FROM json_each(substr(o.owners, 20))) AS is_owned
            FROM early h JOIN holder o ON o.holder = h.holder WHERE h.opened IS NOT NULL
          ), edge AS (
            SELECT h.holder, h.case_id, CAST(json_extract(r.value, '$.target') AS TEXT) AS target,
              min(json_extract(r.value, '$.relationship') = 'extension') AS is_extension
            FROM node h JOIN json_each((SELECT json_group_array(json(value)) FROM (\(references)))) r
            WHERE h.indices IS NOT NULL GROUP BY h.holder, h.case_id, target
          ), orphan AS (
            SELECT holder, case_id FROM edge
            WHERE (holder, target) NOT IN (SELECT holder, case_id FROM node)
            UNION
            SELECT e.holder, e.case_id FROM orphan o
            CROSS JOIN edge e ON e.holder = o.holder AND e.target = o.case_id
          ), sound AS (
            SELECT holder, case_id, is_open, is_owned, (holder, case_id) IN
              (SELECT holder, case_id FROM edge WHERE is_extension) AS is_extension
            FROM node WHERE (holder, case_id) NOT IN (SELECT holder, case_id FROM orphan)
          ), tie AS (
            SELECT holder, case_id AS origin, target AS goal, 0 AS is_to_extension FROM edge
            UNION ALL
            SELECT e.holder, e.target, e.case_id, 1 FROM edge e
            JOIN sound s ON s.holder = e.holder AND s.case_id = e.case_id
            WHERE e.is_extension AND s.is_open
          ), needed AS (
            SELECT holder, case_id FROM sound WHERE is_open AND is_owned
            UNION
            SELECT e.holder, e.target FROM needed n
            CROSS JOIN edge e ON e.holder = n.holder AND e.case_id = n.case_id
          ), available AS (
            SELECT holder, case_id FROM sound WHERE is_open AND NOT is_extension
              AND (holder, case_id) IN (SELECT holder, case_id FROM needed)
            UNION
            SELECT t.holder, t.goal FROM available a CROSS JOIN tie t
              ON t.holder = a.holder AND t.origin = a.case_id AND t.is_to_extension
          ), alive AS (
            SELECT holder, case_id FROM sound WHERE is_owned
              AND (holder, case_id) IN (SELECT holder, case_id FROM available)
            UNION
            SELECT t.holder, t.goal FROM alive a
            CROSS JOIN tie t ON t.holder = a.holder AND t.origin = a.case_id
          )
        """
}
