/// A recorded response, ready to be sent again.
public struct RecordedResponse: Hashable, Sendable {
    /// Status.
    public var status: Int
    /// Reason phrase, as sent.
    public var reason: String
    /// Header fields in order, as received; including those that frame the body.
    public var fields: [ReplayMessage.Field]
    /// Body as it was on the wire without transfer coding: content coding is still there.
    public var body: [UInt8]
    /// Whether the response ended before it was complete.
    public var isCut: Bool

    /// A response with these values.
    public init(
        status: Int, reason: String, fields: [ReplayMessage.Field], body: [UInt8],
        isCut: Bool = false
    ) {
        self.status = status
        self.reason = reason
        self.fields = fields
        self.body = body
        self.isCut = isCut
    }

    /// Whether two responses are the same, bodies aside.
    public func hasHead(of other: RecordedResponse) -> Bool {
        status == other.status && isCut == other.isCut && reason == other.reason
            && fields == other.fields
    }
}
