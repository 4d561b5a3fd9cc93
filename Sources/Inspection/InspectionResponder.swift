internal import Notation
internal import Pages
internal import Serving

/// Takes requests of browsers and scripts to the service, and answers back.
struct InspectionResponder: Sendable {
    let service: InspectionService
    let access: LoopbackAccess

    var responder: Responder {
        Responder(
            answer: { request in await answer(request) },
            refuse: { problem, request in
                guard let request, (try? access.check(request)) != nil else {
                    return ServedAnswer(400)
                }
                return ServedProblem(
                    problem, InspectionServer.limits, long: "send less"
                ).answer
            })
    }

    /// Whether a request may open the WebSocket for news.
    func mayOpen(_ request: ServedRequest) -> Bool {
        guard request.target.prefix(while: { $0 != "?" }) == "/v1/live" else { return false }
        return (try? access.check(request)) != nil
    }

    private func answer(_ request: ServedRequest) async -> ServedAnswer {
        do throws(ServedProblem) {
            try access.checkPlace(request)
            if request.method == "GET", let answer = try page(request) { return answer }
            try access.check(request)
            let segments = request.segments
            if segments == ["v1", "openapi.json"], request.method == "GET" {
                return ServedAnswer(200, InspectionDescription.document)
            }
            let (route, names) = try InspectionRoute.find(
                method: request.method, segments: segments)
            return try await service.answer(
                route, InspectionService.Question(names: names, request: request))
        } catch {
            return error.answer
        }
    }

    /// The page and its parts; nil for what is neither.
    private func page(_ request: ServedRequest) throws(ServedProblem) -> ServedAnswer? {
        let path = String(request.target.prefix { $0 != "?" && $0 != "#" })
        if path == "/" {
            if let token = request.parameter("token") { return try signIn(token) }
            do throws(ServedProblem) { try access.check(request) } catch { return Self.signedOut }
        }
        guard let file = InspectorPage.file(at: path) else { return nil }
        if path != "/" { try access.check(request) }
        var fields = Self.safe
        if path == "/" { fields.append(.init("Link", InspectorPage.preloading)) }
        return ServedAnswer(
            200,
            fields: fields + [
                .init("Content-Type", file.type.rawValue), .init("Cache-Control", "no-cache"),
            ], body: file.bytes)
    }

    /// Exchanges the token of the printed address for a cookie, which no other page and no script reads.
    private func signIn(_ token: String) throws(ServedProblem) -> ServedAnswer {
        guard access.isToken(token), case .token(_, _, let cookie?) = access else {
            return Self.signedOut
        }
        return ServedAnswer(
            303,
            fields: Self.safe + [
                .init("Location", "/"), .init("Cache-Control", "no-store"),
                .init("Set-Cookie", "\(cookie)=\(token); HttpOnly; SameSite=Strict; Path=/"),
            ])
    }

    private static var signedOut: ServedAnswer {
        var answer = ServedAnswer.text(
            401,
            "This page needs the address that tapedeck printed, which has a token: "
                + "inspector at http://…/?token=…\n")
        answer.fields += safe
        return answer
    }

    /// What keeps recorded content from running, and other pages from showing this one.
    private static let safe: [ServedRequest.Field] = [
        .init(
            "Content-Security-Policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
                + "img-src 'self' blob:; base-uri 'none'; form-action 'none'; "
                + "frame-ancestors 'none'"),
        .init("X-Content-Type-Options", "nosniff"), .init("Referrer-Policy", "no-referrer"),
        .init("Cross-Origin-Opener-Policy", "same-origin"),
        .init("Cross-Origin-Resource-Policy", "same-origin"),
    ]
}
