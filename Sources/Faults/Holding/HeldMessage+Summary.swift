import Framing

/// What a held message is, for lists.
extension HeldMessage {
    /// The method of the request, or of that which the response is to; nil for others.
    public var method: String? { request?.method }

    /// The target of that request; nil for others.
    public var target: String? { request?.target }

    /// The status of a response; nil for others.
    public var status: Int? {
        if case .response(let head, _) = content { head.status } else { nil }
    }

    /// `request`, `response`, `command` or `message`.
    public var kind: String {
        switch content {
        case .request: "request"
        case .response: "response"
        case .command: "command"
        case .message: "message"
        }
    }

    /// What it is, in a line: the target of a request, the status of a response and its request, the
    /// first 120 bytes of a command or message.
    public var summary: String {
        switch content {
        case .request(let head): "\(head.method) \(head.target)"
        case .response(let head, let request):
            "\(head.status ?? 0) to \(request.method) \(request.target)"
        case .command, .message: String(decoding: bytes.prefix(120), as: UTF8.self)
        }
    }

    private var request: HTTPHead? {
        switch content {
        case .request(let head), .response(_, let head): head
        case .command, .message: nil
        }
    }
}
