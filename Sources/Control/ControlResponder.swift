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
    let access: LoopbackAccess

    /// The same limits for the HTTP server.
    var responder: Responder {
        Responder(
            answer: { request in await answer(request) },
            refuse: { problem, request in refuse(problem, request) })
    }

    /// Answers a request.
    private func answer(_ request: ServedRequest) async -> ServedAnswer {
        do throws(ServedProblem) {
            try access.check(request)
            let path = String(request.target.prefix { $0 != "?" && $0 != "#" })
            let (route, name) = try ControlRoute.find(method: request.method, path: path)
            var question = ControlService.Question()
            if let name {
                guard
                    let decoded = PercentEncoding.decodeStrictly(name.utf8).flatMap({
                        String(validating: $0, as: UTF8.self)
                    })
                else {
                    throw ServedProblem(
                        400, "bad-path", "\(path) is not percent-encoded UTF-8",
                        hint: "encode the name of the rule")
                }
                question.name = decoded
            }
            question.body = request.body
            question.isText =
                request.value("content-type")?.lowercased().hasPrefix("text/plain") ?? false
            let answer = try await service.answer(route, question)
            var result = ServedAnswer(answer.status, answer.body)
            if let location = answer.location {
                result.fields.append(.init("Location", location))
            }
            return result
        } catch {
            return error.answer
        }
    }

    /// Answers a request that is rejected; details only for clients with access.
    private func refuse(_ problem: RequestProblem, _ request: ServedRequest?) -> ServedAnswer {
        do throws(ServedProblem) {
            if let request { try access.check(request) }
            throw ServedProblem(
                problem, ControlServer.limits, long: "put many rules into the plan file")
        } catch {
            return error.answer
        }
    }
}
