/// One HTTP response of an embedded server, before transfer coding.
public struct ServedAnswer: Hashable, Sendable {
    /// Status code, in 200...599.
    public var status: Int
    /// Header fields in their order, without those of the framing.
    public var fields: [ServedRequest.Field]
    /// The body; empty where there is none.
    public var body: [UInt8]
    /// A body that goes on while it is sent, in place of ``body``; nil for none.
    package var stream: ServedStream?

    /// An answer with these values.
    public init(_ status: Int, fields: [ServedRequest.Field] = [], body: [UInt8] = []) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    /// An answer in plain text.
    package static func text(_ status: Int, _ text: String) -> ServedAnswer {
        ServedAnswer(
            status, fields: [.init("Content-Type", "text/plain; charset=utf-8")],
            body: Array(text.utf8))
    }

    /// A 503 in plain text, with the seconds after which it is worth asking again.
    package static func busy(_ text: String, retryAfter: Int = 30) -> ServedAnswer {
        var answer = ServedAnswer.text(503, text)
        answer.fields.append(.init("Retry-After", String(retryAfter)))
        return answer
    }

    /// A 401 in plain text, with the way to sign in (RFC 9110, 11.6.1).
    package static func unauthorized(_ text: String, challenge: String) -> ServedAnswer {
        var answer = ServedAnswer.text(401, text)
        answer.fields.append(.init("WWW-Authenticate", challenge))
        return answer
    }

    /// An answer in JSON.
    package static func json(_ status: Int, _ text: String) -> ServedAnswer {
        ServedAnswer(
            status, fields: [.init("Content-Type", "application/json; charset=utf-8")],
            body: Array(text.utf8))
    }

    /// An answer in XML.
    package static func xml(_ status: Int, _ text: String) -> ServedAnswer {
        ServedAnswer(
            status, fields: [.init("Content-Type", "text/xml; charset=utf-8")],
            body: Array(text.utf8))
    }
}
