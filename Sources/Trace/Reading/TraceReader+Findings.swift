internal import Dissection
internal import Storage
public import Wire

/// A finding as stored.
public struct FindingDetail: Hashable, Sendable {
    /// Number of the finding.
    public var id: Int64
    /// The session.
    public var session: SessionID
    /// The finding.
    public var row: FindingRow
}

/// What could not be decided, as stored.
public struct UndecidedDetail: Hashable, Sendable {
    /// Number of the row.
    public var id: Int64
    /// The session.
    public var session: SessionID
    /// What was waited for.
    public var row: UndecidedRow
}

extension TraceReader {
    /// The findings in the order in which they were stored, the worst first.
    ///
    /// - Parameter session: Those of one session; nil for all.
    /// - Returns: The findings.
    /// - Throws: ``TraceError`` with code `storage`.
    public func findings(session: SessionID? = nil) throws(TraceError) -> [FindingDetail] {
        try reported { () throws(StorageFault) in
            try list(
                "SELECT * FROM finding_statement WHERE ?1 IS NULL OR session_id = ?1 ORDER BY id",
                bind: { $0.bind(1, session?.rawValue) }
            ) { $0.finding() }
        }
    }

    /// What could not be decided, in order of time.
    ///
    /// - Parameter session: That of one session; nil for all.
    /// - Returns: The rows.
    /// - Throws: ``TraceError`` with code `storage`.
    public func undecided(session: SessionID? = nil) throws(TraceError) -> [UndecidedDetail] {
        try reported { () throws(StorageFault) in
            try list(
                "SELECT * FROM undecided_statement WHERE ?1 IS NULL OR session_id = ?1 ORDER BY id",
                bind: { $0.bind(1, session?.rawValue) }
            ) { $0.undecided() }
        }
    }

    /// What was waited for since a row that begins at a place, and could not be decided.
    func undecided(at place: Place) throws(StorageFault) -> [UndecidedDetail] {
        try list(
            "SELECT * FROM undecided_statement WHERE chunk_id = ? AND \"offset\" = ? ORDER BY id",
            [place.chunk.rawValue, Int64(place.offset)]
        ) { $0.undecided() }
    }

    /// The findings about a row that begins at a place.
    func findings(at place: Place) throws(StorageFault) -> [FindingDetail] {
        try list(
            "SELECT * FROM finding_statement WHERE chunk_id = ? AND \"offset\" = ? ORDER BY id",
            [place.chunk.rawValue, Int64(place.offset)]
        ) { $0.finding() }
    }
}

extension Statement {
    /// A row of `SELECT * FROM finding_statement`.
    fileprivate func finding() -> FindingDetail {
        FindingDetail(
            id: integer(0), session: SessionID(integer(1)),
            row: Tables.finding.row(self))
    }
    /// A row of `SELECT * FROM undecided_statement`.
    fileprivate func undecided() -> UndecidedDetail {
        UndecidedDetail(
            id: integer(0), session: SessionID(integer(1)),
            row: Tables.undecided.row(self))
    }
}
