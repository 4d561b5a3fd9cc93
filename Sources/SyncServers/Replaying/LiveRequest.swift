internal import Framing
internal import Replaying
internal import Serving

/// A complete request of a live client.
///
/// A class, since it is passed on several times and has many parts.
final class LiveRequest: Sendable {
    /// Its head.
    let head: HTTPHead
    /// Its target in parts.
    let target: HTTPTarget
    /// The server that the client requested from its proxy; nil where it takes Tapedeck for the
    /// server.
    let proxied: HTTPAuthority?
    /// Whether the client uses TLS.
    let isSecure: Bool
    /// Whether the protocol is to change.
    let asksForUpgrade: Bool
    /// How its answer is framed.
    let framing: AnswerBytes.Request
    /// What is compared with the recording, for no host and without body: made once, since clients
    /// that poll send it again and again.
    private let compared: ReplayRequest
    /// The body after transfer coding.
    let body: [UInt8]

    init(_ head: HTTPHead, _ target: HTTPTarget, proxied: HTTPAuthority?, isSecure: Bool) {
        self.head = head
        self.target = target
        self.proxied = target.form == .absolute ? target.authority : proxied
        self.isSecure = isSecure
        asksForUpgrade =
            head.first("upgrade") != nil && head.contains(token: "upgrade", in: "connection")
        framing = Self.framing(head)
        compared = ReplayRequest(
            method: head.method, host: "", path: target.path, query: target.query,
            message: ReplayMessage(
                fields: head.fields.map { .init(head.text($0.name), head.text($0.value)) }))
        body = []
    }

    /// The same head with a body.
    init(_ other: LiveRequest, body: [UInt8]) {
        head = other.head
        target = other.target
        proxied = other.proxied
        isSecure = other.isSecure
        asksForUpgrade = other.asksForUpgrade
        framing = other.framing
        compared = other.compared
        self.body = body
    }

    /// The server that the client means.
    var authority: HTTPAuthority? {
        if let proxied { return proxied }
        guard let host = head.value(of: "host") else { return nil }
        return try? HTTPAuthority.parse(host, defaultPort: isSecure ? 443 : 80)
    }

    private static func framing(_ head: HTTPHead) -> AnswerBytes.Request {
        let isOld = head.version != "HTTP/1.1"
        let keeps = head.contains(token: "keep-alive", in: "connection")
        return AnswerBytes.Request(
            isHead: head.method == "HEAD", isOld: isOld,
            closes: head.contains(token: "close", in: "connection") || isOld && !keeps)
    }

    /// Whether the client waits for leave to send its body.
    var isHesitant: Bool {
        head.contains(token: "100-continue", in: "expect") && head.version != "HTTP/1.0"
    }

    /// Whether it opens a WebSocket.
    ///
    /// Source: RFC 6455, 4.2.1.
    var opensSocket: Bool {
        asksForUpgrade && head.contains(token: "websocket", in: "upgrade")
            && head.value(of: "sec-websocket-key") != nil
    }

    /// What is compared with the recording, for the host that the recording has.
    func replayed(host: String) -> ReplayRequest {
        var request = compared
        request.host = host
        // Not before its turn: what waits is kept as it came, which may be a thousand times smaller.
        if !body.isEmpty {
            request.message.body = DecodedContent.of(
                body, codings: head.value(of: "content-encoding"))
        }
        return request
    }

    /// What the embedded servers see of it.
    var served: ServedRequest {
        ServedRequest(
            head.method, target.path + (target.query.map { "?\($0)" } ?? ""),
            fields: compared.message.fields.map { .init($0.name, $0.value) }, body: body,
            isSecure: isSecure)
    }
}
