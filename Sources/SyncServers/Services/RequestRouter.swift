internal import NIOCore
internal import Serving

/// Shows each request to the one who answers it.
final class RequestRouter: Sendable {
    let commCare: CommCareService
    let simperium: SimperiumService
    private let sockJS: SockJSSessions
    /// The token that the admin has to send; nil where there is none.
    private let adminToken: String?
    /// What is set wherever it does not come with the request; nil for nothing.
    private let cookie: String?
    /// Receives what was served; nil where nobody watches.
    let served: (@Sendable (ServedEvent) -> Void)?

    /// A router to these services.
    init(
        _ commCare: CommCareService, _ simperium: SimperiumService, adminToken: String?,
        cookie: String? = nil, served: (@Sendable (ServedEvent) -> Void)? = nil
    ) {
        self.commCare = commCare
        self.simperium = simperium
        sockJS = SockJSSessions(simperium)
        self.adminToken = adminToken
        self.cookie = cookie
        self.served = served
    }

    /// Has a request answered.
    ///
    /// - Parameters:
    ///   - request: The request; hostile.
    ///   - peer: Where it came from.
    ///   - authorities: The names of this server that nobody but this machine can use, as `Host`
    ///     has them.
    ///   - loop: The event loop of the answer.
    /// - Returns: The answer; it comes always.
    func answer(
        _ request: ServedRequest, from peer: SocketAddress?, to authorities: Set<String>,
        on loop: any EventLoop
    ) -> EventLoopFuture<ServedAnswer> {
        let first = request.segments.first
        if first == AdminQuestion.root { return ask(request, peer, authorities, loop) }
        let promise = loop.makePromise(of: ServedAnswer?.self)
        if let answer = sockJS.answer(request, from: peer, on: loop) {
            promise.succeed(answer)
        } else if first == "1" || first == "sock" {
            simperium.add(.request(request, promise))
        } else {
            commCare.answer(request, promise)
        }
        let began = ContinuousClock.now
        let setCookie = cookie.flatMap { request.hasCookie($0) ? nil : "\($0); Path=/; HttpOnly" }
        return promise.futureResult.map { [served] answer in
            var answer = answer ?? .text(404, "There is nothing at this path")
            if let setCookie { answer.fields.append(.init("Set-Cookie", setCookie)) }
            if let served {
                let span = began.duration(to: .now).components
                served(
                    .request(
                        method: request.method, target: request.target, status: answer.status,
                        nanoseconds: span.seconds * 1_000_000_000 + span.attoseconds / 1_000_000_000
                    ))
            }
            return answer
        }
    }

    /// Answers a request of the admin, who has to be on this machine, address it by its name and
    /// send the token.
    private func ask(
        _ request: ServedRequest, _ peer: SocketAddress?, _ authorities: Set<String>,
        _ loop: any EventLoop
    ) -> EventLoopFuture<ServedAnswer> {
        guard let adminToken, Self.isLoopback(peer) else {
            return loop.makeSucceededFuture(.text(403, "The admin is on this machine"))
        }
        if let refusal = Self.refusal(of: request, authorities) {
            return loop.makeSucceededFuture(refusal)
        }
        guard request.value("authorization") == "Bearer \(adminToken)" else {
            return loop.makeSucceededFuture(
                .unauthorized(
                    "Send `Authorization: Bearer` with the token that was printed",
                    challenge: "Bearer"))
        }
        guard let question = AdminQuestion(request) else {
            return loop.makeSucceededFuture(
                .text(
                    400,
                    "Ask GET connections, GET logs, POST index?connection=N&channel=N "
                        + "or POST log?connection=N&level=0|1|2"))
        }
        let promise = loop.makePromise(of: ServedAnswer.self)
        simperium.add(.ask(question, promise))
        return promise.futureResult
    }

    /// Refuses a request that a page in a browser of this machine may have sent: one of another site
    /// has another origin, and one whose name was made to resolve to this machine another host.
    private static func refusal(
        of request: ServedRequest, _ authorities: Set<String>
    ) -> ServedAnswer? {
        // Several fields of one name are ambiguous.
        let hosts = request.fields.filter { $0.name.lowercased() == "host" }
        guard hosts.count == 1, authorities.contains(hosts[0].value.lowercased()) else {
            return .text(421, "Host is no name of the admin; use the address that was printed")
        }
        for field in request.fields where field.name.lowercased() == "origin" {
            let origin = field.value.lowercased()
            guard
                authorities.contains(where: {
                    origin == "http://\($0)" || origin == "https://\($0)"
                })
            else { return .text(403, "Pages of other sites have no access") }
        }
        return nil
    }

    private static func isLoopback(_ peer: SocketAddress?) -> Bool {
        guard let address = peer?.ipAddress else { return false }
        return address == "::1" || address.hasPrefix("127.") || address.hasPrefix("::ffff:127.")
    }
}
