internal import Notation
public import Serving
internal import Simperium
internal import Wire

extension SimperiumServer {
    /// Answers the auth API, and the requests of SockJS before it opens a socket.
    ///
    /// - Parameters:
    ///   - request: The request; hostile.
    ///   - random: Where tokens come from.
    /// - Returns: The answer; nil where the path is none of Simperium's.
    public mutating func answer(
        _ request: ServedRequest, random: inout some RandomNumberGenerator
    ) -> ServedAnswer? {
        let path = request.segments
        if path.count == 4, path[0] == "sock", path[1] == "1", path[3] == "info" {
            let entropy = UInt32.random(in: 0 ... .max, using: &random)
            var answer = ServedAnswer.json(
                200,
                "{\"websocket\":true,\"origins\":[\"*:*\"],\"cookie_needed\":false,"
                    + "\"entropy\":\(entropy)}")
            answer.fields += [
                .init("Access-Control-Allow-Origin", "*"),
                .init("Cache-Control", "no-store, no-cache, no-transform, must-revalidate"),
            ]
            return answer
        }
        if path.count == 3, path[0] == "sock", path[1] == "1" {
            return .text(200, "Welcome to SockJS!\n")
        }
        if path.first == "sock" {
            return .text(400, "Can \"Upgrade\" only to \"WebSocket\".")
        }
        guard path.count == 3, path[0] == "1", ["authorize", "create"].contains(path[2]) else {
            return nil
        }
        guard request.method == "POST" else {
            var answer = ServedAnswer.text(405, "Method not allowed; use POST")
            answer.fields.append(.init("Allow", "POST"))
            return answer
        }
        guard IdentifierGrammar.isApp(path[1]), accounts.application(path[1]) != nil else {
            return .text(404, "There is no such application")
        }
        guard let json = try? JSONValue(parsing: String(decoding: request.body, as: UTF8.self)),
            let name = json["username"]?.string, 1...255 ~= name.utf8.count,
            let password = json["password"]?.string, !password.isEmpty
        else { return .text(400, "invalid request: username and password are needed, in JSON") }
        if path[2] == "create", !accounts.isOpen {
            return accounts.knows(name: name)
                ? .text(409, "the user exists already")
                : Self.unauthorized("users are those of the accounts file; add this one there")
        }
        return authorize(app: path[1], name, password, &random)
    }

    /// A sign-in refusal; with a scheme for which no browser prompts its user.
    private static func unauthorized(_ detail: String) -> ServedAnswer {
        .unauthorized(detail, challenge: "Token realm=\"simperium\"")
    }

    /// Gives a user of an application a token.
    private mutating func authorize(
        app: String, _ name: String, _ password: String,
        _ random: inout some RandomNumberGenerator
    ) -> ServedAnswer {
        guard let known = accounts.user(name: name, password: password, domain: nil),
            let user = accounts.user(named: known.name, app: app)
        else { return Self.unauthorized("unknown username or invalid password") }
        guard user.isActive else { return Self.unauthorized("the user is deactivated") }
        guard tokens.count < Limit.tokens else { return .busy("Too many tokens") }
        let token =
            Hexadecimal.text(random.next(), digits: 16)
            + Hexadecimal.text(random.next(), digits: 16)
        let account = Account(app: app, user: user.name)
        tokens[token] = account
        records.append(.token(token, account))
        let answer = JSONObject([
            JSONObject.Member("username", .string(user.name)),
            JSONObject.Member("access_token", .string(token)),
            JSONObject.Member("userid", .string(user.uuid)),
        ])
        return .json(200, JSONValue.object(answer).text())
    }
}
