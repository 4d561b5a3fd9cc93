internal import Dissection
internal import Storage
public import Wire

/// What a form or a restore says about a case.
public struct CaseVersion: Hashable, Sendable {
    /// The exchange.
    public var exchange: ExchangeID
    /// Its session.
    public var session: SessionID
    /// When the exchange began.
    public var at: Instant
    /// The client for a form, the server for a restore.
    public var sender: Peer
    /// What it does, such as `create update`.
    public var action: String
    /// The type that it sets; nil for none.
    public var caseType: String?
    /// The name that it sets; nil for none.
    public var caseName: String?
    /// The owner that it sets; nil for none.
    public var ownerID: String?
    /// When the case was changed, as sent.
    public var dateModified: String?
    /// The other properties that it sets, a JSON object; nil for none.
    public var properties: String?
    /// The status of the answer; nil without one.
    public var status: Int?
}

extension TraceReader {
    /// What forms and restores say about a case, in order of time.
    ///
    /// - Parameters:
    ///   - id: The case.
    ///   - limit: The maximum number.
    /// - Returns: The blocks about it.
    /// - Throws: ``TraceError`` with code `storage`.
    public func history(
        ofCase id: String, limit: Int = 1_000
    ) throws(TraceError) -> [CaseVersion] {
        try reported { () throws(StorageFault) in
            try list(
                """
                SELECT b.exchange_id, x.session_id, x.started_ns, b.sender, b.action, b.case_type,
                  b.case_name, b.owner_id, b.date_modified, b.properties, x.status
                FROM case_block b JOIN any_exchange x ON x.id = b.exchange_id
                WHERE b.case_id = ?1 AND x.side <> 'server'
                ORDER BY x.session_id, x.started_ns, b.id LIMIT ?2
                """,
                bind: {
                    $0.bind(1, id)
                    $0.bind(2, limit)
                }
            ) {
                CaseVersion(
                    exchange: ExchangeID($0.integer(0)), session: SessionID($0.integer(1)),
                    at: $0.instant(2), sender: $0.peer(3), action: $0.string(4),
                    caseType: $0.optionalString(5), caseName: $0.optionalString(6),
                    ownerID: $0.optionalString(7), dateModified: $0.optionalString(8),
                    properties: $0.optionalString(9), status: $0.optionalInt(10))
            }
        }
    }
}
