import HTTPLayer
import SyncClients
import Testing

/// Submissions over HTTP to servers that refuse the first attempt.
@Suite struct CommCareSessionTests {
    private static let accepted = HTTPPeer.answer(
        201, [],
        Array(
            ("<OpenRosaResponse xmlns=\"http://openrosa.org/http/response\">"
                + "<message nature=\"submit_success\">ok</message></OpenRosaResponse>").utf8))

    /// Submits one form; gives the outcome, what became of the form and what the server received.
    private static func submit(
        _ submission: CommCareSubmission = CommCareSubmission(),
        to answer: @escaping HTTPPeer.Answer
    ) async throws -> (CommCareOutcome, CommCareClient.FormState?, [PeerRequest]) {
        let state = try CommCareState(
            folder: CommCareStateTests.folder(), place: "p", deviceID: "d")
        #expect(try state.add(try CommCareStateTests.form("i1", caseID: "c1")) == .queued)
        let peer = try await HTTPPeer.start(answer)
        var settings = CommCareSession.Settings(
            url: "http://127.0.0.1:\(peer.port)/", domain: "demo", user: "ann", password: "secret")
        settings.submission = submission
        var layer = HTTPSettings()
        layer.redirectLimit = 0
        let session = CommCareSession(
            settings, state: state, manager: HTTPManager(layer), show: { _ in },
            progress: { _, _ in }, askPassword: { nil })
        let outcome = try await session.run(.submit)
        try await peer.stop()
        return (outcome, try state.entries().first?.state, peer.requests)
    }

    @Test(arguments: [411, 501])
    func `sends the length where a server refuses chunks`(status: Int) async throws {
        var submission = CommCareSubmission()
        submission.sendsChunks = true
        let (outcome, form, requests) = try await Self.submit(submission) { request, _ in
            request.values("transfer-encoding").isEmpty ? Self.accepted : HTTPPeer.answer(status)
        }
        #expect(outcome == .done && form == .sent)
        #expect(requests.map { $0.values("transfer-encoding") } == [["chunked"], []])
        let sent = try #require(requests.last)
        #expect(sent.values("content-length") == ["\(sent.body.count)"])
        #expect(requests.first?.body == sent.body)
    }

    @Test func `uses digest where a server asks for it`() async throws {
        let (outcome, form, requests) = try await Self.submit { request, _ in
            request.values("authorization").first?.hasPrefix("Digest ") == true
                ? Self.accepted
                : HTTPPeer.answer(
                    401, ["WWW-Authenticate: Digest realm=\"r\", nonce=\"n\", qop=\"auth\""])
        }
        #expect(outcome == .done && form == .sent)
        #expect(requests.first?.values("authorization").first?.hasPrefix("Basic ") == true)
        #expect(
            requests.last?.values("authorization").first?.contains("username=\"ann@demo\"") == true)
        #expect(requests.last?.body.isEmpty == false)
    }

    @Test func `keeps the form where the password is refused`() async throws {
        let (outcome, form, requests) = try await Self.submit { _, _ in
            HTTPPeer.answer(401, ["WWW-Authenticate: Basic realm=\"r\""])
        }
        guard case .refused = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(form == .queued && requests.count == 1)
    }

    @Test(arguments: [
        ("http://elsewhere.example/forms/submission", "/a/demo/submission"),
        ("http://HOST/forms/submission", "/forms/submission"),
        ("http://HOST", "/a/demo/submission"),
    ])
    func `submits to the location of an OpenRosa server, and nowhere else`(
        location: String, path: String
    ) async throws {
        var submission = CommCareSubmission()
        submission.isOpenRosa = true
        let (outcome, form, requests) = try await Self.submit(submission) { request, _ in
            guard request.method == "HEAD" else { return Self.accepted }
            let host = request.values("host").first ?? ""
            return HTTPPeer.answer(204, ["Location: \(location.replacing("HOST", with: host))"])
        }
        #expect(outcome == .done && form == .sent)
        #expect(requests.map(\.method) == ["HEAD", "POST"])
        #expect(requests.last?.target.split(separator: "?").first.map { String($0) } == path)
    }
}
