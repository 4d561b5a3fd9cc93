import Notation
import Serving
import Wire

/// Takes requests from a socket to the service, and answers back.
struct ControlResponder: Sendable {
    /// Longest body of a request, in bytes.
    static let longestBody = 1 << 20
    /// The number of bytes after which a body that is too long is not read further.
    static let longestWaste = 64 << 20

    let service: ControlService
    let access: ControlAccess

    /// The same limits for the HTTP server.
    var responder: Responder {
        Responder(
            answer: { request in await answer(request) },
            refuse: { problem, request in refuse(problem, request) })
    }

    /// Answers a request.
    private func answer(_ request: ServedRequest) async -> ServedAnswer {
        do throws(ControlProblem) {
            try access.check(Self.credentials(of: request))
            let path = String(request.target.prefix { $0 != "?" && $0 != "#" })
            let (route, name) = try ControlRoute.find(method: request.method, path: path)
            var question = ControlService.Question()
            if let name {
                guard
                    let decoded = PercentEncoding.decodeStrictly(name.utf8).flatMap({
                        String(validating: $0, as: UTF8.self)
                    })
                else {
                    throw ControlProblem(
                        400, "bad-path", "\(path) is not percent-encoded UTF-8",
                        hint: "encode the name of the rule")
                }
                question.name = decoded
            }
            question.body = request.body
            question.isText =
                request.value("content-type")?.lowercased().hasPrefix("text/plain") ?? false
            let answer = try await service.answer(route, question)
            var result = Self.answer(answer.status, answer.body)
            if let location = answer.location {
                result.fields.append(.init("Location", location))
            }
            return result
        } catch {
            return Self.answer(error)
        }
    }

    /// Answers a request that is rejected; details only for clients with access.
    private func refuse(_ problem: RequestProblem, _ request: ServedRequest?) -> ServedAnswer {
        do throws(ControlProblem) {
            if let request { try access.check(Self.credentials(of: request)) }
            throw ControlProblem(problem)
        } catch {
            return Self.answer(error)
        }
    }

    private static func credentials(of request: ServedRequest) -> ControlAccess.Credentials {
        // Several fields of one name are ambiguous.
        let hosts = request.fields.filter { $0.name.lowercased() == "host" }
        return ControlAccess.Credentials(
            host: hosts.count == 1 ? hosts[0].value : nil, origin: request.value("origin"),
            authorization: request.value("authorization"))
    }

    private static func answer(_ problem: ControlProblem) -> ServedAnswer {
        var answer = answer(problem.status, problem.json)
        if !problem.allowed.isEmpty {
            answer.fields.append(.init("Allow", problem.allowed.joined(separator: ", ")))
        }
        if problem.status == 401 { answer.fields.append(.init("WWW-Authenticate", "Bearer")) }
        return answer
    }

    private static func answer(_ status: Int, _ body: JSONValue?) -> ServedAnswer {
        var fields = [
            ServedRequest.Field("Cache-Control", "no-store"),
            ServedRequest.Field("X-Content-Type-Options", "nosniff"),
        ]
        guard let body else { return ServedAnswer(status, fields: fields) }
        fields.append(.init("Content-Type", "application/json; charset=utf-8"))
        return ServedAnswer(status, fields: fields, body: body.bytes() + [0x0A])
    }
}

extension ControlProblem {
    /// Why a request is rejected.
    init(_ problem: RequestProblem) {
        switch problem {
        case .malformed:
            self.init(
                400, "bad-request", "this is not an HTTP/1.1 request",
                hint: "use an HTTP client: curl, or tapedeck faults")
        case .longHead:
            self.init(
                431, "long-head",
                "a head has at most \(ControlServer.limits.headBytes) bytes and \(ControlServer.limits.headFields) fields",
                hint: "send fewer header fields, or a shorter name of the rule")
        case .longBody(let limit):
            self.init(
                413, "too-long", "a body has at most \(limit) bytes",
                hint: "put many rules into the plan file")
        }
    }
}
