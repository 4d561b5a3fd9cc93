internal import Simperium
internal import Wire

extension SimperiumServer {
    /// Answers the auth API, and what SockJS asks before it opens a socket.
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
            answer.fields.append(.init("Access-Control-Allow-Origin", "*"))
            return answer
        }
        if path.first == "sock" {
            return .text(400, "Can \"Upgrade\" only to \"WebSocket\".")
        }
        guard path.count == 3, path[0] == "1", ["authorize", "create"].contains(path[2]) else {
            return nil
        }
        guard request.method == "POST" else { return CommCareServer.notAllowed("POST") }
        return authorize(app: path[1], request.body, &random)
    }

    /// Gives a user of an application a token; any password is right.
    private mutating func authorize(
        app: String, _ body: [UInt8], _ random: inout some RandomNumberGenerator
    ) -> ServedAnswer {
        guard IdentifierGrammar.isApp(app) else {
            return .text(404, "There is no such application")
        }
        guard let json = try? JSONValue(parsing: String(decoding: body, as: UTF8.self)),
            let user = json["username"]?.string, 1...255 ~= user.utf8.count,
            json["password"]?.string?.isEmpty == false
        else { return .text(400, "invalid request: username and password are needed, in JSON") }
        guard tokens.count < Limit.tokens else { return .text(503, "Too many tokens") }
        let account = Account(app: app, user: user)
        let token = CommCareServer.identifier(&random)
        tokens[token] = account
        let id = userIDs[account] ?? CommCareServer.identifier(&random)
        userIDs[account] = id
        let answer = JSONObject([
            JSONObject.Member("username", .string(user)),
            JSONObject.Member("access_token", .string(token)),
            JSONObject.Member("userid", .string(id)),
        ])
        return .json(200, JSONValue.object(answer).text())
    }
}
