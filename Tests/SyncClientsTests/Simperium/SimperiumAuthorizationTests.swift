import Notation
import SyncClients
import Testing

/// Tokens from an auth API, and why there is none.
@Suite struct SimperiumAuthorizationTests {
    typealias Failure = SimperiumAuthorization.Failure

    private static func token(
        at peer: HTTPPeer, isSecure: Bool = false, apiKey: String? = nil
    ) async throws(Failure) -> String {
        try await SimperiumAuthorization.token(
            target: SimperiumTarget(host: "127.0.0.1", port: peer.port, isSecure: isSecure),
            app: "notes", user: "ann", password: "s\"ecret", apiKey: apiKey, trustFile: nil)
    }

    @Test func `requests a token with user, password and key`() async throws {
        let peer = try await HTTPPeer.start { _, _ in
            HTTPPeer.answer(200, [], Array(#"{"access_token": "abc", "userid": "u"}"#.utf8))
        }
        #expect(try await Self.token(at: peer, apiKey: "k1") == "abc")
        let request = try #require(peer.requests.first)
        #expect(request.method == "POST" && request.target == "/1/notes/authorize/")
        #expect(request.values("x-simperium-api-key") == ["k1"])
        let body = try JSONValue(parsing: String(decoding: request.body, as: UTF8.self))
        #expect(body["username"]?.string == "ann" && body["password"]?.string == "s\"ecret")
        try await peer.stop()
    }

    @Test(arguments: [
        (
            HTTPPeer.answer(200, [], Array("{}".utf8)),
            Failure.refused("the auth API returned no access_token; is this a Simperium server?")
        ),
        (
            HTTPPeer.answer(200, [], Array(#"{"access_token": ""}"#.utf8)),
            .refused("the auth API returned no access_token; is this a Simperium server?")
        ),
        (
            HTTPPeer.answer(401),
            .refused("the auth API refuses the user (401): check --user and the password")
        ),
        (
            HTTPPeer.answer(404),
            .refused("the auth API has no app notes (404): check --app and --to")
        ),
        (HTTPPeer.answer(302), .refused("the auth API answered 302; check --to")),
        (HTTPPeer.answer(429), .later("the auth API answered 429")),
        (HTTPPeer.answer(503), .later("the auth API answered 503")),
        (
            HTTPPeer.answer(200, [], [UInt8](repeating: 0x20, count: 1 << 20 | 1)),
            .refused("the auth API's answer is too long; check --to")
        ),
        ([], .unreachable("the server closed the connection before it answered")),
    ])
    func `says why there is no token`(answer: [UInt8], failure: Failure) async throws {
        let peer = try await HTTPPeer.start { _, _ in answer }
        await #expect(throws: failure) { try await Self.token(at: peer) }
        try await peer.stop()
    }

    @Test func `says that what answers does not speak HTTP`() async throws {
        let peer = try await HTTPPeer.start { _, _ in Array("220 mail.example ESMTP\r\n".utf8) }
        await #expect {
            try await Self.token(at: peer)
        } throws: { error in
            guard case Failure.refused(let reason) = error else { return false }
            return reason.hasPrefix("the auth API does not speak HTTP: ")
        }
        try await peer.stop()
    }

    @Test func `says that a server does not speak TLS`() async throws {
        let peer = try await HTTPPeer.start { _, _ in HTTPPeer.answer(400) }
        let reason = "the server does not speak TLS; use ws or http in --to"
        await #expect(throws: Failure.unreachable(reason)) {
            try await Self.token(at: peer, isSecure: true)
        }
        try await peer.stop()
    }

    @Test func `says that there is no server`() async {
        await #expect {
            try await SimperiumAuthorization.token(
                target: SimperiumTarget(host: "127.0.0.1", port: HTTPPeer.refusedPort),
                app: "notes", user: "ann", password: "x", apiKey: nil, trustFile: nil)
        } throws: { error in
            if case Failure.unreachable(let why) = error { why.contains("refused") } else { false }
        }
    }
}
