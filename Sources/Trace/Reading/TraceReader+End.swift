internal import Storage
public import Wire

extension TraceReader {
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
