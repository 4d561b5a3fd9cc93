import HTTPLayer
import Replaying
import SyncClients
import Synchronization
import Testing
import Wire

@Suite struct HTTPPlayerTests {
    /// A clock on which waiting takes no time.
    final class Time: Sendable {
        private let state = Mutex(Int64(0))

        var now: Int64 { state.withLock { $0 } }

        var clock: ReplayClock {
            ReplayClock {
                self.now
            } sleep: { nanoseconds in
                self.state.withLock { $0 += nanoseconds }
                return true
            }
        }
    }

    static func message(_ fields: [String], _ body: [UInt8] = []) -> ReplayMessage {
        ReplayMessage(
            fields: fields.map { line in
                let parts = line.split(separator: ":", maxSplits: 1)
                return .init(String(parts[0]), String(parts[1].drop { $0 == " " }))
            }, body: body)
    }

    static func exchange(
        _ method: String, _ path: String, query: String? = nil, status: Int?
    ) -> RecordedExchange {
        RecordedExchange(
            id: ExchangeID(1), method: method, host: "old.example", path: path, query: query,
            status: status)
    }

    private func play(
        _ exchange: RecordedExchange, _ recording: HTTPRecording, port: Int,
        time: Time = Time(), change: (inout ReplayTarget) -> Void = { _ in }
    ) async -> PlayedExchange {
        var target = ReplayTarget(base: SimperiumTarget(host: "127.0.0.1", port: port))
        change(&target)
        let identity = SharedIdentity(
            ReplayIdentity(seed: target.seed, isVerbatim: target.isVerbatim))
        let player = HTTPPlayer(
            [exchange], to: target, identity: identity,
            manager: HTTPPlayer.manager(for: target), clock: time.clock
        ) { _ in recording }
        return await player.play(exchange)
    }

    @Test(arguments: ["GET", "POST", "PUT", "DELETE", "HEAD", "PATCH", "OPTIONS"])
    func `sends any method`(method: String) async throws {
        let peer = try await HTTPPeer.start { request, _ in
            let answer = HTTPPeer.answer(200, ["A: 1"], Array("text".utf8))
            return request.method == "HEAD" ? Array(answer.dropLast(4)) : answer
        }
        let body: [UInt8] = ["POST", "PUT", "PATCH"].contains(method) ? [1, 2, 3] : []
        let played = await play(
            Self.exchange(method, "/a/../b", query: "c=%7e", status: 200),
            HTTPRecording(
                request: Self.message(["Host: old.example", "X: 1", "X: 2", "Empty: "], body),
                response: Self.message(
                    ["A: 1"], method == "HEAD" ? [] : Array("text".utf8))),
            port: peer.port)
        #expect(played.isSame, "\(played.description)")
        #expect(played.requests == 1)
        let request = try #require(peer.requests.first)
        #expect(request.method == method)
        #expect(request.target == "/a/../b?c=%7e")
        #expect(request.values("x") == ["1", "2"])
        #expect(request.values("empty") == [""])
        #expect(request.values("host") == ["127.0.0.1:\(peer.port)"])
        #expect(request.values("user-agent") == [])
        #expect(request.values("accept") == [])
        #expect(request.values("accept-encoding") == [])
        #expect(request.body == body)
        try await peer.stop()
    }

    @Test func `waits as long as the server asks`() async throws {
        let peer = try await HTTPPeer.start { _, number in
            number == 1
                ? HTTPPeer.answer(503, ["Retry-After: 100"])
                : number == 2
                    ? HTTPPeer.answer(202, ["Retry-After: 50"]) : HTTPPeer.answer(200)
        }
        let time = Time()
        let played = await play(
            Self.exchange("GET", "/x", status: 200),
            HTTPRecording(request: Self.message([]), response: Self.message([])),
            port: peer.port, time: time)
        #expect(played.isSame)
        #expect(played.requests == 3)
        #expect(time.now == 150_000_000_000)
        try await peer.stop()
    }

    @Test func `undoes what the answer is coded with`() async throws {
        // "hello" with gzip.
        let coded: [UInt8] = [
            31, 139, 8, 0, 0, 0, 0, 0, 0, 3, 203, 72, 205, 201, 201, 7, 0, 134, 166, 16, 54, 5, 0,
            0, 0,
        ]
        let peer = try await HTTPPeer.start { _, _ in
            HTTPPeer.answer(200, ["Content-Encoding: gzip"], coded)
        }
        let played = await play(
            Self.exchange("GET", "/x", status: 200),
            HTTPRecording(
                request: Self.message(["Accept-Encoding: gzip"]),
                response: Self.message([], Array("hello".utf8))), port: peer.port)
        #expect(played.isSame, "\(played.description)")
        #expect(peer.requests.first?.values("accept-encoding") == ["gzip"])
        try await peer.stop()
    }

    @Test func `sends the recorded bytes where it is verbatim`() async throws {
        let peer = try await HTTPPeer.start { _, _ in HTTPPeer.answer(201) }
        let sent: [UInt8] = [9, 8, 7]
        let played = await play(
            Self.exchange("POST", "/a/demo/receiver/", status: 201),
            HTTPRecording(
                request: Self.message(
                    [
                        "Host: old.example", "Content-Encoding: gzip", "Accept: a", "Accept: b",
                        "Content-Length: 77", "Transfer-Encoding: chunked",
                    ], [1]), sentBody: sent, response: Self.message([])), port: peer.port
        ) { $0.isVerbatim = true }
        #expect(played.isSame, "\(played.description)")
        let request = try #require(peer.requests.first)
        #expect(request.body == sent)
        #expect(request.values("content-encoding") == ["gzip"])
        #expect(request.values("accept") == ["a", "b"])
        #expect(request.values("content-length") == [])
        #expect(request.values("transfer-encoding") == ["chunked"])
        try await peer.stop()
    }

    @Test func `signs in with digest where the server wants it`() async throws {
        let peer = try await HTTPPeer.start { request, _ in
            let given = request.values("authorization").first ?? ""
            return given.hasPrefix("Digest username=\"bob\"")
                ? HTTPPeer.answer(200)
                : HTTPPeer.answer(401, ["WWW-Authenticate: Digest realm=\"r\", nonce=\"n\""])
        }
        for header in ["Basic YW5uOnNlY3JldA==", "Digest username=\"ann\", nonce=\"old\""] {
            let played = await play(
                Self.exchange("GET", "/x", status: 200),
                HTTPRecording(
                    request: Self.message(["Authorization: \(header)"]),
                    response: Self.message([])), port: peer.port
            ) { $0.login = .init(user: "bob", password: "pw") }
            #expect(played.isSame, "\(played.description)")
        }
        try await peer.stop()
    }

    @Test func `says that nobody listens or that the connection broke`() async throws {
        let peer = try await HTTPPeer.start { _, _ in [] }
        let exchange = Self.exchange("POST", "/x", status: 200)
        let recording = HTTPRecording(request: Self.message([]), response: Self.message([]))
        let cut = await play(exchange, recording, port: peer.port)
        #expect(cut.outcome == .unanswered)
        #expect(!cut.isSame)
        try await peer.stop()
        let dead = await play(exchange, recording, port: HTTPPeer.refusedPort)
        #expect(dead.outcome == .unreachable)
    }

    @Test func `ends with its task`() async throws {
        let peer = try await HTTPPeer.start { _, _ in
            HTTPPeer.answer(202, ["Retry-After: 100"])
        }
        let exchange = Self.exchange("GET", "/x", status: 200)
        let recording = HTTPRecording(request: Self.message([]), response: Self.message([]))
        let target = ReplayTarget(base: SimperiumTarget(host: "127.0.0.1", port: peer.port))
        let (waits, began) = AsyncStream<Void>.makeStream()
        let clock = ReplayClock {
            0
        } sleep: { _ in
            began.yield()
            // Ends with the task alone.
            let (never, end) = AsyncStream<Void>.makeStream()
            for await _ in never {}
            end.finish()
            return !Task.isCancelled
        }
        let player = HTTPPlayer(
            [exchange], to: target, identity: SharedIdentity(ReplayIdentity(seed: 1)),
            manager: HTTPPlayer.manager(for: target), clock: clock
        ) { _ in recording }
        let task = Task { await player.play(exchange) }
        for await _ in waits { break }
        task.cancel()
        #expect(await task.value.outcome == .stopped)
        try await peer.stop()
    }

    @Test func `plays several at once with one identity`() async throws {
        let peer = try await HTTPPeer.start { request, _ in
            HTTPPeer.answer(200, [], request.body)
        }
        let form = Array(
            ("<data xmlns=\"http://x\"><meta xmlns=\"http://openrosa.org/jr/xforms\">"
                + "<instanceID>0123456789abcdef0123456789abcdef</instanceID></meta></data>").utf8)
        let exchanges = (1...40).map { number in
            RecordedExchange(
                id: ExchangeID(Int64(number)), method: "POST", host: "old.example",
                path: "/a/demo/receiver/", status: 200)
        }
        let recording = HTTPRecording(
            request: Self.message(["Content-Type: text/xml"], form),
            response: Self.message([], form))
        let target = ReplayTarget(base: SimperiumTarget(host: "127.0.0.1", port: peer.port))
        let player = HTTPPlayer(
            exchanges, to: target, identity: SharedIdentity(ReplayIdentity(seed: 1)),
            manager: HTTPPlayer.manager(for: target)
        ) { _ in recording }
        let results = await withTaskGroup(of: PlayedExchange.self) { group in
            for exchange in exchanges { group.addTask { await player.play(exchange) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(results.count == 40)
        #expect(results.allSatisfy { $0.isSame })
        #expect(Set(peer.requests.map(\.body)).count == 1)
        #expect(peer.requests.first?.body != form)
        try await peer.stop()
    }
}
