import Faults
import Filters
import Synchronization
import Testing
import Wire

@testable import Proxying

private let origin = ServerAddress(host: "a.example", port: 80, isTLS: false)
private let get = "GET /x HTTP/1.1\r\nHost: p\r\n\r\n"
private let sent = "GET /x HTTP/1.1\r\nHost: a.example\r\n\r\n"
private let other = "GET /y HTTP/1.1\r\nHost: p\r\n\r\n"
private let otherSent = "GET /y HTTP/1.1\r\nHost: a.example\r\n\r\n"
private let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"

/// Somebody who is asked and answers later, or lets pass what has no `x` in its path.
private final class Asker: TrafficAsker {
    let asked = Mutex<[HeldMessage]>([])
    let passes: Bool

    init(passes: Bool = false) { self.passes = passes }

    func ask(_ subject: AskedSubject, as held: HeldMessage) -> AskedAnswer {
        asked.withLock { $0.append(held) }
        return passes ? .pass : .wait
    }

    func connected(_ connection: ConnectionRow) {}

    var texts: [String] {
        asked.withLock { $0.map { String(decoding: $0.bytes, as: UTF8.self) } }
    }
}

/// Messages that somebody outside is asked about, without sockets.
struct AskTests {
    private let asker = Asker()

    private func play(
        _ filter: String, _ phase: FilterPhase, _ rules: String..., asker: Asker? = nil
    ) throws -> Playbook {
        var plan = FaultPlan()
        for rule in rules { plan = try plan.adding(line: rule) }
        let session = FaultSession(plan: plan, seed: 1)
        session.asker = asker ?? self.asker
        session.setAsked([AskedFilter(try Filter.parse(filter), phase: phase)], by: "test")
        return Playbook(.reverse(origin), rules: session)
    }

    @Test func `several requests are asked about at once, and go on in order`() throws {
        var play = try play("host:a.example", .requestBody)
        play.client(get + other)
        #expect(asker.texts == [get, other] && play.held.isEmpty)
        play.decide(2, .release)
        play.decide(1, .release, .connect(2, "a.example:80"))
        play.on(.ready(LegID(2)), .send(2, sent + otherSent))
        play.server(2, ok + ok, .send(1, ok + ok))
        #expect(play.faults == [])
        #expect(play.had(by: .client).joined() == play.had(by: .server).joined())
    }

    @Test func `an edit is a row, and the answer is another`() throws {
        var play = try play("host:a.example", .requestBody)
        play.client(get + other)
        play.decide(
            1, .edit(Array(get.replacing("/x", with: "/z").utf8)), .connect(2, "a.example:80"))
        play.on(.ready(LegID(2)), .send(2, sent.replacing("/x", with: "/z")))
        let answer = "HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n"
        play.decide(2, .answer(Array(answer.utf8)))
        play.server(2, ok, .send(1, ok), .send(1, answer))
        #expect(
            play.faults == ["hold 2h by=test outcome=edited", "hold 2h by=test outcome=answered"])
    }

    @Test func `a response is asked about`() throws {
        var play = try play("status:200", .responseBody)
        play.client(get, .connect(2, "a.example:80"))
        play.on(.ready(LegID(2)), .send(2, sent))
        play.server(2, ok)
        #expect(asker.texts == [ok])
        play.decide(1, .release, .send(1, ok))
        #expect(play.faults == [])
    }

    @Test func `what a client sent that has left goes on`() throws {
        var play = try play("host:a.example", .requestBody)
        play.client(get)
        let steps = play.steps(after: .closed(Playbook.client, isReset: false, ""))
        #expect(steps.contains(.connect(2, "a.example:80")) || play.clientChunks.count == 1)
        #expect(play.faults == [])
    }

    @Test func `nobody waits for what passes at once, nor for what a rule answered`() throws {
        var passing = try play("host:a.example", .requestBody, asker: Asker(passes: true))
        passing.client(get, .connect(2, "a.example:80"))
        var answered = try play("host:a.example", .requestBody, "path:/x => 404")
        _ = answered.steps(after: .received(Playbook.client, Array(get.utf8)))
        #expect(asker.texts == [] && answered.faults == ["status 404"])
    }

    @Test func `rules and their lists do not know of it`() throws {
        let session = FaultSession(plan: try FaultPlan().adding(line: "path:/x => 404"), seed: 1)
        session.setAsked([AskedFilter(try Filter.parse("path:/y"), phase: .requestBody)], by: "a")
        #expect(session.rules.map(\.rule.name).count == 1 && session.unmatched.count == 1)
        try session.pause()
        #expect(session.interest.contains(.requestBody))
        session.setAsked([], by: "a")
        #expect(!session.interest.contains(.requestBody))
    }

    // MARK: Edits of HTTP

    private func held(_ bytes: String, _ answer: Bool = false) throws -> HeldMessage {
        let asker = Asker()
        var play = try play(
            answer ? "status:200" : "host:a.example", answer ? .responseBody : .requestBody,
            asker: asker)
        if answer {
            _ = play.steps(after: .received(Playbook.client, Array(get.utf8)))
            _ = play.steps(after: .ready(LegID(2)))
            _ = play.steps(after: .received(LegID(2), Array(bytes.utf8)))
        } else {
            _ = play.steps(after: .received(Playbook.client, Array(bytes.utf8)))
        }
        return try #require(asker.asked.withLock { $0.first })
    }

    @Test func `an edit of a request is framed anew`() throws {
        let post = "POST /x?a=b HTTP/1.1\r\nHost: p\r\nA: 1\r\nContent-Length: 3\r\n\r\nold"
        let message = try held(post)
        #expect(String(decoding: try HTTPEdit().applied(to: message), as: UTF8.self) == post)
        let edit = HTTPEdit(
            content: Array("newer".utf8), path: "/z?c=d",
            fields: [("A", nil), ("B", "2")])
        #expect(
            String(decoding: try edit.applied(to: message), as: UTF8.self)
                == "POST /z?c=d HTTP/1.1\r\nHost: p\r\nContent-Length: 5\r\nB: 2\r\n\r\nnewer")
        let chunked =
            "POST /x HTTP/1.1\r\nHost: p\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nold\r\n0\r\n\r\n"
        #expect(
            String(
                decoding: try HTTPEdit(content: Array("newer".utf8)).applied(to: try held(chunked)),
                as: UTF8.self) == chunked.replacing("3\r\nold", with: "5\r\nnewer"))
    }

    @Test func `an edit of a response is framed anew, and an answer is made`() throws {
        let message = try held(ok, true)
        let edit = HTTPEdit(content: [], status: 503, fields: [("Retry-After", "9")])
        #expect(
            String(decoding: try edit.applied(to: message), as: UTF8.self)
                == "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nRetry-After: 9\r\n\r\n"
        )
        let answer = HTTPEdit(
            content: Array("no".utf8), status: 404,
            fields: [("A", "b"), ("Content-Length", "99")])
        #expect(
            String(
                decoding: answer.answer(to: try held(get), unixSeconds: 0), as: UTF8.self)
                == "HTTP/1.1 404 Not Found\r\nDate: Thu, 01 Jan 1970 00:00:00 GMT\r\nA: b\r\n"
                + "Content-Length: 2\r\n\r\nno")
    }
}
