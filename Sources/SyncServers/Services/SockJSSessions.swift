internal import Framing
internal import NIOCore
internal import Notation
internal import Serving
internal import Simperium
internal import Synchronization

/// The transports of SockJS over HTTP, for clients that cannot open a WebSocket.
///
/// `xhr` and `jsonp` get one frame for each request, `xhr_streaming` and `eventsource` one after the
/// other; `xhr_send` and `jsonp_send` bring what the client sends. Source: SockJS protocol 0.3.3.
final class SockJSSessions: Sendable {
    private let service: SimperiumService
    private let sessions = Mutex<[String: SockJSSession]>([:])
    /// The maximum number of sessions at a time.
    private static let maxSessions = 10_000
    /// Bytes of the name of a function in JavaScript.
    private static let longestCallback = 100

    /// Sessions with this service.
    init(_ service: SimperiumService) { self.service = service }

    /// Answers a request of a transport over HTTP; nil where the path is that of none.
    ///
    /// - Parameters:
    ///   - request: The request; hostile.
    ///   - peer: Where it came from.
    ///   - loop: The event loop of the answer.
    /// - Returns: The answer, whose body may go on.
    func answer(
        _ request: ServedRequest, from peer: SocketAddress?, on loop: any EventLoop
    ) -> ServedAnswer? {
        let path = request.segments
        guard path.count == 6, path[0] == "sock", path[1] == "1" else { return nil }
        let transports = ["xhr", "xhr_streaming", "xhr_send", "eventsource", "jsonp", "jsonp_send"]
        let transport = path[5]
        guard transports.contains(transport) else { return nil }
        // A dot would make a file name of a session.
        guard !path[3].contains("."), !path[4].contains(".") else {
            return .text(404, "No session has a dot")
        }
        let methods = ["eventsource", "jsonp"].contains(transport) ? ["GET"] : ["POST"]
        if request.method == "OPTIONS" { return Self.preflight(methods, request) }
        guard methods.contains(request.method) else {
            var answer = ServedAnswer.text(405, "Method not allowed")
            answer.fields.append(.init("Allow", (["OPTIONS"] + methods).joined(separator: ", ")))
            return answer
        }
        let name = "\(path[2])/\(path[4])"
        var answer: ServedAnswer
        switch transport {
        case "xhr_send", "jsonp_send":
            answer = take(request, isForm: transport == "jsonp_send", into: name)
        case "jsonp":
            guard let callback = request.parameter("c") ?? request.parameter("callback") else {
                return .text(500, "\"callback\" parameter required")
            }
            guard Self.isFunction(callback) else {
                return .text(500, "invalid \"callback\" parameter")
            }
            answer = receive(.script(callback: callback), name, path[2], peer, loop)
        case "eventsource": answer = receive(.eventSource, name, path[2], peer, loop)
        case "xhr_streaming": answer = receive(.streaming, name, path[2], peer, loop)
        default: answer = receive(.polling, name, path[2], peer, loop)
        }
        answer.fields += Self.fields(request)
        return answer
    }

    /// Answers with what the server sends in a session, a new one where there is none.
    private func receive(
        _ transport: SockJSReceiver.Transport, _ name: String, _ app: String,
        _ peer: SocketAddress?, _ loop: any EventLoop
    ) -> ServedAnswer {
        guard let session = session(name, app, peer, loop) else {
            return .busy("Too many sessions")
        }
        let stream = ServedStream { [weak session] in session?.detach($0) }
        let receiver = SockJSReceiver(transport, stream)
        session.attach(receiver)
        var answer = ServedAnswer(200, fields: [.init("Content-Type", receiver.contentType)])
        answer.stream = stream
        return answer
    }

    private func session(
        _ name: String, _ app: String, _ peer: SocketAddress?, _ loop: any EventLoop
    ) -> SockJSSession? {
        let (session, isNew) = sessions.withLock { sessions -> (SockJSSession?, Bool) in
            if let known = sessions[name] { return (known, false) }
            guard sessions.count < Self.maxSessions else { return (nil, false) }
            let address = peer.map { "\($0.ipAddress ?? "?"):\($0.port ?? 0)" } ?? "?"
            let made = SockJSSession(loop, peer: address) { [weak self] in
                self?.sessions.withLock { _ = $0.removeValue(forKey: name) }
            }
            sessions[name] = made
            return (made, true)
        }
        if isNew, let session {
            let endpoint = SimperiumEndpoint(app: app, transport: .sockJS)
            let stop = service.heartbeats.start(session.eventLoop, SocketHandler.heartbeat) {
                [weak session] in session?.beat()
            }
            session.begin(service.open(endpoint, session), stopBeats: stop)
        }
        return session
    }

    /// Takes what the client sends: a list of texts, as it is or in a form.
    private func take(
        _ request: ServedRequest, isForm: Bool, into name: String
    ) -> ServedAnswer {
        guard let session = sessions.withLock({ $0[name] }) else {
            return .text(404, "There is no such session")
        }
        var payload = request.body
        let type = request.value("content-type")?.lowercased() ?? ""
        if isForm, type.hasPrefix("application/x-www-form-urlencoded") {
            payload = request.parameters.first("d").map { Array($0.utf8) } ?? []
        }
        guard !payload.isEmpty else { return .text(500, "Payload expected.") }
        guard let messages = try? SockJSFrame.parse(client: payload.span) else {
            return .text(500, "Broken JSON encoding.")
        }
        guard session.receive(messages) else { return .text(404, "The session is closed") }
        if isForm { return .text(200, "ok") }
        return ServedAnswer(204, fields: [.init("Content-Type", "text/plain; charset=UTF-8")])
    }

    /// Fields that keep answers from being cached, and let pages of other sites use them.
    private static func fields(_ request: ServedRequest) -> [ServedRequest.Field] {
        [
            .init("Cache-Control", "no-store, no-cache, no-transform, must-revalidate, max-age=0")
        ] + origin(request)
    }

    private static func origin(_ request: ServedRequest) -> [ServedRequest.Field] {
        guard let origin = request.value("origin"), origin != "null" else {
            return [.init("Access-Control-Allow-Origin", "*")]
        }
        return [
            .init("Access-Control-Allow-Origin", origin),
            .init("Access-Control-Allow-Credentials", "true"), .init("Vary", "Origin"),
        ]
    }

    /// The answer to a browser that asks what pages of other sites may send.
    private static func preflight(
        _ methods: [String], _ request: ServedRequest
    ) -> ServedAnswer {
        var fields: [ServedRequest.Field] = [
            .init("Access-Control-Allow-Methods", (["OPTIONS"] + methods).joined(separator: ", ")),
            .init("Access-Control-Max-Age", "31536000"),
            .init("Cache-Control", "public, max-age=31536000"),
        ]
        if let asked = request.value("access-control-request-headers") {
            fields.append(.init("Access-Control-Allow-Headers", asked))
        }
        return ServedAnswer(204, fields: fields + origin(request))
    }

    private static func isFunction(_ name: String) -> Bool {
        1...longestCallback ~= name.utf8.count
            && name.utf8.allSatisfy {
                $0 == 0x2E || $0 == 0x5F || 0x30...0x39 ~= $0 || 0x41...0x5A ~= $0
                    || 0x61...0x7A ~= $0
            }
    }
}
