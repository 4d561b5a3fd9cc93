/// One HTTP response of an embedded server, before transfer coding.
public struct ServedAnswer: Hashable, Sendable {
    /// Status code, in 200...599.
    public var status: Int
    /// Header fields in their order, without those of the framing.
    public var fields: [ServedRequest.Field]
    /// The body; empty where there is none.
    public var body: [UInt8]

    /// An answer with these values.
    public init(_ status: Int, fields: [ServedRequest.Field] = [], body: [UInt8] = []) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    /// An answer in plain text.
    static func text(_ status: Int, _ text: String) -> ServedAnswer {
        ServedAnswer(
            status, fields: [.init("Content-Type", "text/plain; charset=utf-8")],
            body: Array(text.utf8))
    }

    /// An answer in JSON.
    static func json(_ status: Int, _ text: String) -> ServedAnswer {
        ServedAnswer(
            status, fields: [.init("Content-Type", "application/json; charset=utf-8")],
            body: Array(text.utf8))
    }

    /// An answer in XML.
    static func xml(_ status: Int, _ text: String) -> ServedAnswer {
        ServedAnswer(
            status, fields: [.init("Content-Type", "text/xml; charset=utf-8")],
            body: Array(text.utf8))
    }
}
