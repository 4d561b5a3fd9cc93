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
}
