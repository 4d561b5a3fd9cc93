internal import Dissection
internal import Storage
public import Wire

extension TraceReader {
    /// The sessions, in order.
    public func sessions() throws(TraceError) -> [SessionDetail] {
        try reported { () throws(StorageFault) in
            var sessions = try list("SELECT * FROM session ORDER BY id", []) {
                SessionDetail(
                    id: SessionID($0.integer(0)), startedUnixNanoseconds: $0.integer(1),
                    provenance: $0.string(2), version: $0.string(3), arguments: $0.string(4),
                    seed: $0.optionalString(5).flatMap { UInt64($0) }, endedAt: nil, ended: nil)
            }
            for index in sessions.indices {
                let id = sessions[index].id.rawValue
                let last =
                    index + 1 == sessions.count
                    ? try db.integer("SELECT max(id) FROM event") : try lastEvent(upTo: id)
                guard let end = try end(of: id, before: last) else { continue }
                sessions[index].endedAt = end.at
                sessions[index].ended = end.detail
            }
            return sessions
        }
    }

    /// Events after the one that ends a session, at most.
    private static let lastEvents: Int64 = 16

    private func end(
        of session: Int64, before last: Int64
    ) throws(StorageFault) -> (at: Instant, detail: String)? {
        try list(
            """
            SELECT at_ns, detail FROM (SELECT session_id, kind, at_ns, detail FROM event
              WHERE id <= ?2 ORDER BY id DESC LIMIT ?3)
            WHERE session_id = ?1 AND kind = 'session-ended'
            """, [session, last, Self.lastEvents]
        ) { ($0.instant(0), $0.string(1)) }.first
    }

    /// The number of the last event of a session or of one before it.
    ///
    /// Events are in the order of sessions, and there may be millions of them.
    private func lastEvent(upTo session: Int64) throws(StorageFault) -> Int64 {
        let next = try db.prepare(
            "SELECT id, session_id FROM event WHERE id >= ? ORDER BY id LIMIT 1")
        var low: Int64 = 0
        var high = try db.integer("SELECT max(id) FROM event") &+ 1
        while high > low, high - low > 1 {
            next.bind(1, low + (high - low) / 2)
            defer { next.reset() }
            if try next.step(), next.integer(1) <= session {
                low = next.integer(0)
            } else {
                high = low + (high - low) / 2
            }
        }
        return low
    }

    /// Nanoseconds from the start of the first session to the last thing that was recorded.
    ///
    /// Reads the last rows alone, unless a later session began before an earlier one by the clock.
    ///
    /// - Returns: The time; 0 for a trace without sessions.
    /// - Throws: ``TraceError`` with code `storage`.
    public func nanoseconds() throws(TraceError) -> Int64 {
        try reported { () throws(StorageFault) in
            let sessions = try list(
                """
                SELECT id, started_unix_ns - (SELECT min(started_unix_ns) FROM session)
                FROM session ORDER BY id DESC
                """, []
            ) { (id: $0.integer(0), start: $0.integer(1)) }
            let isInOrder = zip(sessions, sessions.dropFirst()).allSatisfy { $0.start >= $1.start }
            guard isInOrder else {
                return try sessions.map { session throws(StorageFault) in
                    session.start &+ (try lastMoment(of: session.id))
                }.max() ?? 0
            }
            for session in sessions {
                let last = try lastMoment(of: session.id, among: Self.lastRows)
                // What times are in a damaged file, nobody knows.
                if last > 0 { return session.start &+ last }
            }
            return sessions.first?.start ?? 0
        }
    }

    /// Nanoseconds from the start of a session to the last thing that was recorded in it.
    ///
    /// - Throws: ``TraceError`` with code `storage`.
    public func nanoseconds(of session: SessionID) throws(TraceError) -> Int64 {
        try reported { () throws(StorageFault) in try lastMoment(of: session.rawValue) }
    }

    /// Rows of a table of which one may be later than the last.
    private static let lastRows: Int64 = 256

    /// The last time in a session, of all rows or among the last ones of each table.
    private func lastMoment(
        of session: Int64, among count: Int64? = nil
    ) throws(StorageFault) -> Int64 {
        let times = [("event", "at_ns"), ("any_exchange", "started_ns"), ("any_command", "at_ns")]
            .map { table, time in
                let rows =
                    count.map {
                        "(SELECT session_id, \(time) FROM \(table) ORDER BY id DESC LIMIT \($0))"
                    } ?? table
                return "coalesce((SELECT max(\(time)) FROM \(rows) WHERE session_id = ?1), 0)"
            }
        return try list("SELECT max(\(times.joined(separator: ", ")))", [session]) {
            $0.integer(0)
        }.first ?? 0
    }
}
