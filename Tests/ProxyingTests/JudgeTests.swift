import Faults
import Testing
import Wire

@testable import Proxying

private let origin = ServerAddress(host: "a.example", port: 80, isTLS: false)
private let get = "GET /x HTTP/1.1\r\nHost: p\r\n\r\n"
private let sent = "GET /x HTTP/1.1\r\nHost: a.example\r\n\r\n"
private let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"
private let second: Int64 = 1_000_000_000

/// What rules do to a connection, played without sockets.
@Suite struct JudgeTests {
    @Test func `passes what no rule matches as a relay without rules does`() throws {
        var play = Playbook(.reverse(origin), rules: try FaultSession("path:/other => 503"))
        play.client(get, .connect(2, "a.example:80"))
        play.on(.ready(LegID(2)), .send(2, sent))
        play.server(2, ok, .send(1, ok))
        #expect(play.faults == [])
    }

    @Test func `answers a request here and leaves the server alone`() throws {
        var play = Playbook(.reverse(origin), rules: try FaultSession("path:/x => 503 first=1"))
        let steps = play.steps(after: .received(Playbook.client, Array(get.utf8)))
        guard case .send(1, let answer) = steps.first else {
            Issue.record("no answer in \(steps)")
            return
        }
        #expect(answer.hasPrefix("HTTP/1.1 503 "))
        #expect(play.faults == ["status 503"])
        #expect(play.received == ["tapedeck: \(answer)"])
        #expect(play.had(by: .client) == [sent])
        #expect(play.had(by: .server) == [""])
        play.client(get, .connect(2, "a.example:80"))
        play.on(.ready(LegID(2)), .send(2, sent))
    }

    @Test func `keeps answers in the order of pipelined requests`() throws {
        var play = Playbook(.reverse(origin), rules: try FaultSession("path:/x => 503 nth=2"))
        play.client(get + get, .connect(2, "a.example:80"))
        play.on(.ready(LegID(2)), .send(2, sent))
        let steps = play.steps(after: .received(LegID(2), Array(ok.utf8)))
        #expect(steps.first == .send(1, ok))
        guard case .send(1, let answer) = steps.last else {
            Issue.record("no answer in \(steps)")
            return
        }
        #expect(answer.hasPrefix("HTTP/1.1 503 "))
    }

    @Test func `answers between two answers that the server gives in one write`() throws {
        var play = Playbook(.reverse(origin), rules: try FaultSession("path:/y => 503"))
        let other = get.replacing("/x", with: "/y")
        play.client(get, .connect(2, "a.example:80"))
        play.on(.ready(LegID(2)), .send(2, sent))
        play.client(other)
        let steps = play.steps(after: .received(LegID(2), Array(ok.utf8)))
        #expect(steps.first == .send(1, ok))
        guard case .send(1, let answer) = steps.last else {
            Issue.record("no answer in \(steps)")
            return
        }
        #expect(answer.hasPrefix("HTTP/1.1 503 "))
    }

    @Test func `does not wait for answers before it changes a request`() throws {
        var play = Playbook(
            .reverse(origin), rules: try FaultSession("path:/y => set-header A b sender=client"))
        let other = get.replacing("/x", with: "/y")
        play.client(get, .connect(2, "a.example:80"))
        play.on(.ready(LegID(2)), .send(2, sent))
        play.client(get, .send(2, sent))
        let changed = sent.replacing("/x", with: "/y").replacing(
            "\r\n\r\n", with: "\r\nA: b\r\n\r\n")
        play.client(other, .send(2, changed))
        play.server(2, ok + ok, .send(1, ok + ok))
        play.server(2, ok, .send(1, ok))
        #expect(play.faults == ["set-header A b sender=client"])
        // In the middle of an answer it waits for the end of that.
        var late = Playbook(
            .reverse(origin), rules: try FaultSession("path:/y => set-header A b sender=client"))
        late.client(get, .connect(2, "a.example:80"))
        late.on(.ready(LegID(2)), .send(2, sent))
        late.client(get, .send(2, sent))
        late.server(2, String(ok.dropLast()), .send(1, String(ok.dropLast())))
        late.client(other)
        late.server(2, "i", .send(1, "i"), .send(2, changed))
        late.server(2, ok + ok, .send(1, ok + ok))
        #expect(late.faults.count == 1)
    }

    @Test func `reads on where the first bytes are held back`() throws {
        var play = Playbook(.reverse(origin), rules: try FaultSession("=> latency 1s"))
        play.client(String(get.prefix(8)), .wake(second + 1))
        play.client(String(get.dropFirst(8)))
        play.clock = second
        play.on(.woke, .wake(second + 2))
        play.clock = second + 1
        play.on(.woke, .connect(2, "a.example:80"))
    }

    @Test func `lets an answer wait for its latency`() throws {
        var play = Playbook(
            .reverse(origin), rules: try FaultSession("path:/x => latency 2s sender=server first=1")
        )
        play.client(get, .connect(2, "a.example:80"))
        play.on(.ready(LegID(2)), .send(2, sent))
        play.server(2, ok, .wake(2 * second + 3))
        #expect(play.faults == [])
        play.clock = 2 * second + 2
        play.on(.woke, .send(1, ok))
        #expect(play.faults == ["latency 2s sender=server"])
    }

    @Test func `wakes for what is due first`() throws {
        var play = Playbook(
            .reverse(origin),
            rules: try FaultSession(
                "path:/x => latency 5s sender=server", "path:/y => latency 1s sender=client"))
        play.client(get, .connect(2, "a.example:80"))
        play.on(.ready(LegID(2)), .send(2, sent))
        play.server(2, ok, .wake(5 * second + 3))
        play.client(get.replacing("/x", with: "/y"), .wake(second + 4))
        play.clock = second + 3
        play.on(.woke, .send(2, sent.replacing("/x", with: "/y")), .wake(5 * second + 3))
    }

    @Test func `waits for the longest of several latencies`() throws {
        let (long, short) = (
            "path:/x => latency 5s sender=server", "path:/x => latency 1s sender=server"
        )
        var play = Playbook(.reverse(origin), rules: try FaultSession(long, short))
        play.client(get, .connect(2, "a.example:80"))
        play.on(.ready(LegID(2)), .send(2, sent))
        play.server(2, ok, .wake(5 * second + 3))
        play.clock = 5 * second + 2
        play.on(.woke, .send(1, ok))
        var other = Playbook(.reverse(origin), rules: try FaultSession(short, long))
        other.client(get, .connect(2, "a.example:80"))
        other.on(.ready(LegID(2)), .send(2, sent))
        other.server(2, ok, .wake(second + 3))
        other.clock = second + 2
        other.on(.woke, .wake(5 * second + 3))
        other.clock = 5 * second + 2
        other.on(.woke, .send(1, ok))
    }

    @Test func `holds nobody back for what was delivered`() throws {
        var play = Playbook(
            .reverse(origin), rules: try FaultSession("body:nothing => set-header A b"))
        let body = String(repeating: "x", count: 40_000)
        let post =
            "POST /x HTTP/1.1\r\nHost: a.example\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
            + body
        play.client(post, .connect(2, "a.example:80"))
        play.on(.ready(LegID(2)), .send(2, post))
        for _ in 0..<4 {
            play.server(2, ok, .send(1, ok))
            play.client(post, .send(2, post))
        }
    }

    private static let post =
        "POST /x HTTP/1.1\r\nHost: a.example\r\nContent-Length: 10\r\n\r\n"

    @Test func `lets a server have what came before a cut, also where it is not connected yet`()
        throws
    {
        let rule = "=> cut \(Self.post.utf8.count + 3) sender=client"
        var play = Playbook(.reverse(origin), rules: try FaultSession(rule))
        play.client(Self.post + "0123456789", .connect(2, "a.example:80"))
        play.on(.ready(LegID(2)), .send(2, Self.post + "012"), .close(1), .close(2))
        play.on(.closed(LegID(2), isReset: false, ""), .close(1))
    }

    @Test func `ends a cut connection whose server can not be reached, or that its client leaves`()
        throws
    {
        let rule = "=> cut \(Self.post.utf8.count) how=reset"
        var play = Playbook(.reverse(origin), rules: try FaultSession(rule))
        play.client(Self.post + "0", .connect(2, "a.example:80"))
        play.on(.refused(LegID(2), "no"), .reset(1))
        var other = Playbook(.reverse(origin), rules: try FaultSession(rule))
        other.client(Self.post + "0", .connect(2, "a.example:80"))
        other.on(.closed(Playbook.client, isReset: false, ""), .close(2))
    }

    @Test func `judges what is said in a tunnel`() throws {
        var play = Playbook(rules: try FaultSession("path:/x => 429 retry-after=7"))
        play.client(
            "CONNECT a.example:80 HTTP/1.1\r\nHost: a.example:80\r\n\r\n",
            .connect(2, "a.example:80"),
            .pause)
        play.on(
            .ready(LegID(2)), .send(1, "HTTP/1.1 200 Connection established\r\n\r\n"), .resume)
        let steps = play.steps(after: .received(Playbook.client, Array(sent.utf8)))
        guard case .send(1, let answer) = steps.first else {
            Issue.record("no answer in \(steps)")
            return
        }
        #expect(answer.hasPrefix("HTTP/1.1 429 "))
        #expect(answer.lowercased().contains("retry-after: 7\r\n"))
    }

    @Test func `judges what came right behind the request for a tunnel`() throws {
        var play = Playbook(rules: try FaultSession("path:/x => 503"))
        play.client(
            "CONNECT a.example:80 HTTP/1.1\r\nHost: a.example:80\r\n\r\n\(sent)",
            .connect(2, "a.example:80"), .pause)
        let steps = play.steps(after: .ready(LegID(2)))
        #expect(steps.first == .send(1, "HTTP/1.1 200 Connection established\r\n\r\n"))
        guard case .send(1, let answer) = steps.last else {
            Issue.record("no answer in \(steps)")
            return
        }
        #expect(answer.hasPrefix("HTTP/1.1 503 "))
    }

    @Test func `refuses the connection to a server`() throws {
        var play = Playbook(rules: try FaultSession("host:a.example => refuse"))
        let steps = play.steps(
            after: .received(
                Playbook.client,
                Array("GET http://a.example/x HTTP/1.1\r\nHost: a.example\r\n\r\n".utf8)))
        #expect(
            steps.contains { step in
                if case .send(1, let answer) = step {
                    answer.hasPrefix("HTTP/1.1 502 ")
                } else {
                    false
                }
            })
        #expect(!steps.contains { if case .connect = $0 { true } else { false } })
        #expect(play.faults == ["refuse"])
    }

    @Test func `shows an expired certificate or fails the handshake`() throws {
        // A ClientHello without extensions.
        let hello: [UInt8] =
            [22, 3, 1, 0, 45, 1, 0, 0, 41, 3, 3] + Array(repeating: 7, count: 32)
            + [0, 0, 2, 0, 47, 1, 0]
        var expired = Playbook(
            .reverse(origin), rules: try FaultSession("host:a.example => expired-certificate"))
        expired.on(.received(Playbook.client, hello), .secureExpired(""))
        var failed = Playbook(
            .reverse(origin), rules: try FaultSession("host:a.example => tls-failure"))
        #expect(failed.steps(after: .received(Playbook.client, hello)).last == .close(1))
        #expect(failed.faults == ["tls-failure"])
    }

    @Test(arguments: ["tls-failure", "expired-certificate"])
    func `says that a client used no TLS to break`(action: String) throws {
        let session = try FaultSession("host:a.example => \(action)")
        var play = Playbook(.reverse(origin), rules: session)
        play.client(get, .connect(2, "a.example:80"))
        play.on(.ready(LegID(2)), .send(2, sent))
        #expect(play.faults == [])
        _ = play.steps(after: .closed(Playbook.client, isReset: false, "closed"))
        #expect(play.faults == [action])
        #expect(session.rules.map(\.failed) == [1])
    }

    @Test func `says it for each server that a client names and uses no TLS for`() throws {
        let session = try FaultSession("host:*.example => tls-failure")
        var play = Playbook(.forward, rules: session)
        for (number, name) in ["a", "b", "c"].enumerated() {
            let request = "GET http://\(name).example/ HTTP/1.1\r\nHost: \(name).example\r\n\r\n"
            let leg = LegID(Int64(number) + 2)
            _ = play.steps(after: .received(Playbook.client, Array(request.utf8)))
            #expect(play.faults.count == number)
            _ = play.steps(after: .ready(leg))
            _ = play.steps(after: .received(leg, Array(ok.utf8)))
        }
        _ = play.steps(after: .closed(Playbook.client, isReset: false, "closed"))
        #expect(play.faults.count == 3)
        #expect(session.rules.map(\.failed) == [3])
    }

    @Test func `holds the whole connection in a blackout and lets go at its end`() throws {
        var play = Playbook(
            .reverse(origin), rules: try FaultSession("=> blackout from=0s to=10s"))
        play.client(get, .wake(10 * second))
        play.clock = 10 * second
        play.on(.woke, .connect(2, "a.example:80"))
    }

    @Test func `writes what a client never got when it is gone`() throws {
        var play = Playbook(
            .reverse(origin), rules: try FaultSession("path:/x => stall sender=server"))
        play.client(get, .connect(2, "a.example:80"), .holdBack(.server))
        play.on(.ready(LegID(2)), .send(2, sent))
        play.server(2, ok)
        play.on(.closed(Playbook.client, isReset: false, "closed"), .close(2))
        #expect(play.chunks.last == "server: \(ok)")
        #expect(play.received == ["client: \(sent)"])
    }

    @Test func `tells nothing apart in a connection that speaks no HTTP`() throws {
        var play = Playbook(.reverse(origin), rules: try FaultSession("path:/x => 503"))
        play.client("\u{1}binary", .connect(2, "a.example:80"))
        play.on(.ready(LegID(2)), .send(2, "\u{1}binary"))
        play.server(2, "\u{2}back", .send(1, "\u{2}back"))
    }

    // MARK: What the trace says of it

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    @Test func `records a changed request as what the client sent, with what went on of it`() throws
    {
        var play = Playbook(
            .reverse(origin), rules: try FaultSession("path:/x => set-header A b sender=client"))
        let changed = sent.replacing("\r\n\r\n", with: "\r\nA: b\r\n\r\n")
        play.client(get, .connect(2, "a.example:80"))
        play.on(.ready(LegID(2)), .send(2, changed))
        #expect(play.chunks == ["client: \(get)"])
        #expect(play.patches.map(\.reason) == [.host, .fault])
        #expect(play.had(by: .server) == [changed])
        #expect(play.had(by: .client) == [sent])
    }

    @Test func `records what only went to a fault as not delivered`() throws {
        var play = Playbook(.reverse(origin), rules: try FaultSession("path:/x => drop"))
        play.client(get)
        #expect(play.chunks == ["client: \(get)"])
        #expect(play.had(by: .server) == [""])
        #expect(play.had(by: .client) == [sent])
        #expect(
            play.clientChunks.map(\.deliveries) == [
                [Delivery(offset: 0, count: get.utf8.count, at: nil)]
            ])
    }

    @Test func `says of what waited when it came and when it went on`() throws {
        var play = Playbook(
            .reverse(origin), rules: try FaultSession("path:/x => latency 2s sender=client"))
        play.client(get, .wake(2 * second + 1))
        play.clock = 2 * second
        play.on(.woke, .connect(2, "a.example:80"))
        let chunk = try #require(play.clientChunks.first)
        #expect(chunk.at.nanoseconds == 1)
        #expect(
            chunk.deliveries == [
                Delivery(
                    offset: 0, count: get.utf8.count, at: Instant(nanoseconds: 2 * second + 1))
            ])
    }

    @Test func `keeps reads apart that waited for a whole body`() throws {
        var play = Playbook(.reverse(origin), rules: try FaultSession("path:/x => cut-xml"))
        play.client(get, .connect(2, "a.example:80"))
        play.on(.ready(LegID(2)), .send(2, sent))
        let head = ok.dropLast(2)
        play.server(2, String(head.prefix(10)))
        play.server(2, head.dropFirst(10) + "h")
        play.server(
            2, "i", .send(1, String(head.prefix(10))), .send(1, head.dropFirst(10) + "h"),
            .send(1, "i"))
        let later = Instant(nanoseconds: 5)
        #expect(play.answers.map(\.at.nanoseconds) == [3, 4, 5])
        #expect(play.answers.map { $0.deliveries.map(\.at) } == [[later], [later], []])
        #expect(play.answers.flatMap(\.received) == Array(ok.utf8))
    }

    @Test func `goes on with the start of a head when the rest of it is changed`() throws {
        var play = Playbook(.reverse(origin))
        play.client("GET / HTTP/1.1\r\nHo")
        let rest = "st: p\r\nA: b\r\n\r\n"
        let others = "st: p\r\nA: c\r\n\r\n"
        play.on(
            .altered(Playbook.client, Array(rest.utf8), by: Array(others.utf8)),
            .connect(2, "a.example:80"))
        let got = "GET / HTTP/1.1\r\nHost: a.example\r\nA: c\r\n\r\n"
        play.on(.ready(LegID(2)), .send(2, got))
        #expect(play.had(by: .server).joined() == got)
        #expect(play.chunks == ["client: GET / HTTP/1.1\r\nHo", "client: \(rest)"])
        #expect(play.patches.map(\.reason) == [.host, .fault])
    }

    @Test func `loses the start of a head with the rest of it`() throws {
        var play = Playbook(.reverse(origin))
        play.client("GET / HTTP/1.1\r\nHo")
        play.on(.kept(Playbook.client, Array("st: p\r\n\r\n".utf8)))
        play.client(get, .connect(2, "a.example:80"))
        play.on(.ready(LegID(2)), .send(2, sent))
        #expect(play.had(by: .server) == ["", "", sent])
    }
}
