import Hummingbird
import Notation
import Wire

/// Takes requests from a socket to the desk, and answers back.
struct ControlResponder: HTTPResponder {
    typealias Context = BasicRequestContext

    /// Longest body of a request, in bytes.
    static let longestBody = 1 << 20
    /// After so many bytes a body that is too long is not read on.
    private static let longestWaste = 64 << 20

    let desk: ControlDesk
    let access: ControlAccess

    func respond(to request: Request, context: BasicRequestContext) async throws -> Response {
        // First of all, since a client that still sends may not read the answer.
        let body = await Self.body(of: request)
        do throws(ControlProblem) {
            try access.check(
                ControlAccess.Credentials(
                    host: request.head.authority, origin: request.headers[.origin],
                    authorization: request.headers[.authorization]))
            let path = request.uri.path
            let (route, name) = try ControlRoute.find(
                method: request.method.rawValue, path: path)
            var question = ControlDesk.Question()
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
            question.body = try body.get()
            question.isText =
                request.headers[.contentType]?.lowercased().hasPrefix("text/plain") ?? false
            let answer = try await desk.answer(route, question)
            var response = Self.response(answer.status, answer.body)
            if let location = answer.location { response.headers[.location] = location }
            return response
        } catch {
            var response = Self.response(error.status, error.json)
            if !error.allowed.isEmpty {
                response.headers[.allow] = error.allowed.joined(separator: ", ")
            }
            if error.status == 401 { response.headers[.wwwAuthenticate] = "Bearer" }
            return response
        }
    }

    /// The body; of one that is too long the rest is read and let go.
    private static func body(of request: Request) async -> Result<[UInt8], ControlProblem> {
        var bytes: [UInt8] = []
        var count = 0
        do {
            for try await buffer in request.body {
                count += buffer.readableBytes
                if count <= longestBody { bytes.append(contentsOf: buffer.readableBytesView) }
                if count > longestWaste { break }
            }
        } catch {
            return .failure(
                ControlProblem(
                    400, "cut-off", "the body ended early", hint: "send the request again"))
        }
        guard count <= longestBody else {
            return .failure(
                ControlProblem(
                    413, "too-long", "a body has at most \(longestBody) bytes",
                    hint: "put many rules into the plan's file"))
        }
        return .success(bytes)
    }

    private static func response(_ status: Int, _ body: JSONValue?) -> Response {
        var headers = HTTPFields()
        headers[.cacheControl] = "no-store"
        headers[.xContentTypeOptions] = "nosniff"
        guard let body else {
            return Response(status: HTTPResponse.Status(code: status), headers: headers)
        }
        headers[.contentType] = "application/json; charset=utf-8"
        let buffer = ByteBuffer(bytes: body.bytes() + [0x0A])
        return Response(
            status: HTTPResponse.Status(code: status), headers: headers,
            body: ResponseBody(byteBuffer: buffer))
    }
}
