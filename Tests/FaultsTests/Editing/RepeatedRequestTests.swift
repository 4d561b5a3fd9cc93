import Testing

@testable import Faults

/// Recorded requests on their way to be sent again.
struct RepeatedRequestTests {
    private static func request(_ text: String) throws -> RepeatedRequest {
        try RepeatedRequest(Array(text.utf8))
    }

    private static func text(_ request: RepeatedRequest) -> String {
        String(decoding: request.bytes, as: UTF8.self)
    }

    private static let json =
        "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 7\r\n\r\n{\"a\":1}"

    @Test(
        arguments: [
            (
                "GET http://h:80/a?b HTTP/1.1\r\nHost: h\r\nProxy-Connection: keep-alive\r\n\r\n",
                "", "GET /a?b HTTP/1.1\r\nHost: new\r\n\r\n"
            ),
            ("GET http://h HTTP/1.1\r\n\r\n", "", "GET / HTTP/1.1\r\nHost: new\r\n\r\n"),
            ("GET /a HTTP/1.1\r\nHost: h\r\n\r\n", "/p", "GET /p/a HTTP/1.1\r\nHost: new\r\n\r\n"),
            (
                "OPTIONS * HTTP/1.1\r\nhost: new\r\n\r\n", "/p",
                "OPTIONS * HTTP/1.1\r\nhost: new\r\n\r\n"
            ),
            (
                "GET /a HTTP/1.1\r\nHost: new\r\nOrigin: HTTP://H\r\n\r\n", "",
                "GET /a HTTP/1.1\r\nHost: new\r\nOrigin: https://new\r\n\r\n"
            ),
        ])
    func `it is addressed to a server`(each: (sent: String, prefix: String, made: String)) throws {
        var request = try Self.request(each.sent)
        try request.address(
            to: "new", prefix: each.prefix, origin: (recorded: "http://h", new: "https://new"))
        #expect(Self.text(request) == each.made)
    }

    @Test func `what belongs to the recorded server is left out`() throws {
        var request = try Self.request(
            "GET /a?token=1&b=2&Access_Token=3 HTTP/1.1\r\nCOOKIE: a\r\nX: 1\r\nCookie: b\r\n\r\n")
        let removed = try request.remove(fields: ["cookie"], parameters: ["token", "access_token"])
        #expect(removed == ["COOKIE", "query token", "query Access_Token"])
        #expect(Self.text(request) == "GET /a?b=2 HTTP/1.1\r\nX: 1\r\n\r\n")
        #expect(try request.remove(fields: ["y"], parameters: ["y"]) == [])
        #expect(Self.text(request) == "GET /a?b=2 HTTP/1.1\r\nX: 1\r\n\r\n")
    }

    @Test func `names in the content`() throws {
        let form = try Self.request(
            "POST / HTTP/1.1\r\nContent-Type: application/x-www-form-urlencoded\r\n"
                + "Content-Length: 14\r\n\r\nPassword=a&b=c")
        #expect(form.contentNames(among: ["password", "pin"]) == ["Password"])
        let json = try Self.request(
            "POST / HTTP/1.1\r\nContent-Length: 22\r\n\r\n[{\"a\":{\"pin\":\"1234\"}}]")
        #expect(json.contentNames(among: ["password", "pin"]) == ["pin"])
        #expect(json.contentNames(among: ["b"]) == [])
    }

    @Test(
        arguments: [
            (
                "json /a \"two\"",
                "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 11\r\n\r\n{\"a\":\"two\"}"
            ),
            ("json /a 1", json),
            ("json-remove /a", "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\n{}"),
            ("replace 1 22", "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 8\r\n\r\n{\"a\":22}"),
            ("header Host i", "POST /a HTTP/1.1\r\nHost: i\r\nContent-Length: 7\r\n\r\n{\"a\":1}"),
            (
                "query b 'c d'",
                "POST /a?b=c+d HTTP/1.1\r\nHost: h\r\nContent-Length: 7\r\n\r\n{\"a\":1}"
            ),
            ("path /b", "POST /b HTTP/1.1\r\nHost: h\r\nContent-Length: 7\r\n\r\n{\"a\":1}"),
        ])
    func `it is edited`(each: (edit: String, made: String)) throws {
        var request = try Self.request(Self.json)
        try request.apply(try MessageEdit(each.edit))
        #expect(Self.text(request) == each.made)
    }

    @Test(
        arguments: [
            ("json /b/c 1", "json /b/c 1: the JSON has nothing at /b/c"),
            (
                "form a b",
                "form a b: the body is no form of the type application/x-www-form-urlencoded"
            ),
            (
                "header content-length 5",
                "header content-length 5: the length follows from the content"
            ),
            ("object a 1", "object a 1: a request has no object of Simperium"),
        ])
    func `an edit that cannot be done`(each: (edit: String, reason: String)) throws {
        let edit = try MessageEdit(each.edit)
        let error = #expect(throws: EditableTextError.self) {
            _ = try edit.request(Array(Self.json.utf8))
        }
        #expect(error?.description == each.reason)
    }

    @Test(
        arguments: [
            "status 404", "json /a 1 sender=server", "jsn /a 1", "json", "json a 1", "drop",
            "path b", "",
        ])
    func `what is no edit is refused`(_ text: String) {
        #expect(throws: EditableTextError.self) { try MessageEdit(text) }
    }

    @Test(
        arguments: [
            "CONNECT h:1 HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nUpgrade: websocket\r\n\r\n",
            "POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\nabc",
        ])
    func `what cannot be sent again is refused`(_ text: String) {
        #expect(throws: EditableTextError.self) { try Self.request(text) }
    }

    @Test(
        arguments: [
            ("json /v/a 1", "0:c:{\"id\":\"k\"}", "json /v/a 1: the JSON has nothing at /v/a"),
            ("header X v", "0:c:{}", "header X v: a command has no head"),
            ("json /a 1", "h:1", "json /a 1: the command has no JSON"),
            (
                "object t 1", "0:c:{\"id\":\"k\",\"o\":\"M\",\"v\":{}}",
                "object t 1: the command is no change that says what becomes of t"
            ),
        ])
    func `a command that cannot be edited so`(
        each: (edit: String, command: String, reason: String)
    ) throws {
        let edit = try MessageEdit(each.edit)
        let error = #expect(throws: EditableTextError.self) {
            _ = try edit.command(Array(each.command.utf8))
        }
        #expect(error?.description == each.reason)
    }

    @Test(
        arguments: [
            ("json /id \"b\"", "0:c:{\"id\":\"a\"}", "0:c:{\"id\":\"b\"}"),
            ("replace 0:c 1:c", "0:c:{\"id\":\"a\"}", "1:c:{\"id\":\"a\"}"),
            (
                "object t 'New one'",
                "0:c:{\"id\":\"a\",\"o\":\"M\",\"v\":{\"t\":{\"o\":\"d\",\"v\":\"=1\"}}}",
                "0:c:{\"id\":\"a\",\"o\":\"M\",\"v\":{\"t\":{\"o\":\"r\",\"v\":\"New one\"}}}"
            ),
        ])
    func `a command is edited`(each: (edit: String, command: String, made: String)) throws {
        let made = try MessageEdit(each.edit).command(Array(each.command.utf8))
        #expect(String(decoding: made, as: UTF8.self) == each.made)
    }
}
