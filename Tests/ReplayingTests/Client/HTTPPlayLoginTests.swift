import Replaying
import Testing

@Suite struct HTTPPlayLoginTests {
    static let headers: [(String, String?, Bool)] = [
        ("Basic YW5uOnNlY3JldA==", "Basic Ym9iOnB3", false), ("Digest username=\"ann\"", nil, true),
        ("ApiKey ann:key", "ApiKey bob:pw", false),
        ("Bearer recorded-token", "Bearer given", false),
        ("Token recorded-token", "Token given", false), ("Other a b", "Other a b", false),
    ]

    @Test(arguments: headers)
    func `signs in as the user of this run`(
        recorded: String, expected: String?, isAsked: Bool
    ) {
        let get = Recorded(
            1, "GET /x", fields: ["Authorization: \(recorded)"], status: 200, answer: "{}")
        var world = HTTPWorld([get]) { options in
            options.login = { $0 == "ann" ? .init(user: "bob", password: "pw") : nil }
            options.token = "given"
        }
        #expect(world.run(get, .text(200, [], "{}")).isSame)
        #expect(world.last.value("authorization") == expected)
        #expect((world.last.login != nil) == isAsked)
    }

    @Test func `answers a challenge where the recording has none`() {
        let get = Recorded(
            1, "GET /x", fields: ["Authorization: Basic YW5uOnNlY3JldA=="], status: 200)
        var world = HTTPWorld([get]) { options in
            options.login = { _ in .init(user: "bob", password: "pw") }
        }
        let challenge = HTTPPlayAnswer.text(401, ["WWW-Authenticate: Digest realm=\"a\""])
        #expect(world.run(get, challenge, .text(200)).isSame)
        #expect(world.sent.map { $0.login?.user } == [nil, "bob"])
        #expect(world.last.value("authorization") == nil)
    }

    @Test func `takes the token that signing in gives and sends it from then on`() {
        let login = Recorded(
            1, "POST /1/app/authorize/", fields: ["Content-Type: application/json"],
            body: "{\"username\":\"ann\",\"password\":\"secret\"}", status: 200,
            answerFields: ["Content-Type: application/json"],
            answer: "{\"username\":\"ann\",\"access_token\":\"recorded-token\","
                + "\"userid\":\"user-1\"}")
        let get = Recorded(
            2, "GET /1/app/note/index?since=cv1", fields: ["X-Simperium-Token: recorded-token"],
            status: 200, answer: "{\"current\":\"cv1\",\"by\":\"recorded-token\"}")
        let list = Recorded(
            3, "GET /1/app/note/index?since=cv1", fields: ["X-Simperium-Token: recorded-token"],
            status: 200, answer: "{}")
        var world = HTTPWorld([login, get, list]) { options in
            options.login = { _ in .init(user: "bob", password: "pw") }
        }
        let answer =
            "{\"username\":\"bob\",\"access_token\":\"live-token-1\",\"userid\":\"user-2\"}"
        let played = world.run(login, .text(200, ["Content-Type: application/json"], answer))
        #expect(played.isSame)
        #expect(string(world.last.body) == "{\"username\":\"bob\",\"password\":\"pw\"}")
        #expect(world.identity.live(.token, "recorded-token") == "live-token-1")
        let other = "{\"current\":\"cv9\",\"by\":\"live-token-1\"}"
        #expect(world.run(get, .text(200, [], other)).isSame)
        #expect(world.last.value("x-simperium-token") == "live-token-1")
        #expect(world.run(list, .text(200, [], "{}")).isSame)
        #expect(world.last.query == "since=cv9")
    }

    @Test func `carries versions and keys of objects`() {
        let create = Recorded(
            1, "POST /1/app/note/i/new-note?ccid=abc&clientid=me", body: "{\"a\":1}", status: 200,
            answerFields: ["X-Simperium-Version: 1"])
        let update = Recorded(
            2, "POST /1/app/note/i/new-note/v/1", body: "{\"a\":2}", status: 200,
            answerFields: ["X-Simperium-Version: 2"])
        let gone = Recorded(3, "DELETE /1/app/note/i/new-note/v/2", status: 200)
        for isDistinct in [false, true] {
            var world = HTTPWorld([create, update, gone]) { $0.isDistinct = isDistinct }
            #expect(world.run(create, .text(200, ["X-Simperium-Version: 4"])).isSame)
            #expect(world.last.query?.contains("ccid=abc&") == false)
            #expect(world.run(update, .text(200, ["X-Simperium-Version: 5"])).isSame)
            let key = isDistinct ? world.identity.live(.objectKey, "new-note") ?? "" : "new-note"
            #expect(world.last.target == "/1/app/note/i/\(key)/v/4")
            #expect(world.run(gone, .text(200)).isSame)
            #expect(world.last.target == "/1/app/note/i/\(key)/v/5")
            #expect((key == "new-note") != isDistinct)
        }
    }

    @Test func `carries cookies and what conditional requests name`() {
        let first = Recorded(
            1, "GET /page", status: 200,
            answerFields: [
                "Set-Cookie: sid=one; Path=/", "Set-Cookie: b=2", "ETag: \"e1\"",
                "Set-Cookie: csrf=0123456789abcdef",
            ])
        let second = Recorded(
            2, "GET /page",
            fields: [
                "Cookie: b=2; sid=one; c=3", "If-None-Match: \"e1\"", "X-CSRF: 0123456789abcdef",
            ], status: 304)
        var world = HTTPWorld([first, second])
        _ = world.run(
            first,
            .text(
                200,
                [
                    "Set-Cookie: sid=two; Path=/", "Set-Cookie: b=2", "ETag: \"e2\"",
                    "Set-Cookie: csrf=another",
                ]))
        #expect(world.run(second, .text(304)).isSame)
        #expect(world.last.value("cookie") == "b=2; sid=two; c=3")
        #expect(world.last.value("if-none-match") == "\"e2\"")
        #expect(world.last.value("x-csrf") == "another")
    }
}
