import Faults
import Testing
import Wire

@testable import Proxying

private let origin = ServerAddress(host: "a.example", port: 80, isTLS: false)
private let get = "GET /x HTTP/1.1\r\nHost: p\r\n\r\n"
private let sent = "GET /x HTTP/1.1\r\nHost: a.example\r\n\r\n"
private let other = "GET /y HTTP/1.1\r\nHost: p\r\n\r\n"
private let otherSent = "GET /y HTTP/1.1\r\nHost: a.example\r\n\r\n"
private let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"
private let teapot = "HTTP/1.1 418 Teapot\r\nContent-Length: 3\r\n\r\ntea"
private let minutes: Int64 = 300_000_000_000

/// Requests and responses that somebody decides about, without sockets.
struct HoldTests {
    private static func play(_ rules: String...) throws -> Playbook {
        var plan = FaultPlan()
        for rule in rules { plan = try plan.adding(line: rule) }
        return Playbook(.reverse(origin), rules: FaultSession(plan: plan, seed: 1))
    }

    @Test func `a request waits, and what was sent behind it`() throws {
        var play = try Self.play("path:/x => hold")
        play.client(get + other, .wake(minutes + 1))
        #expect(play.held.map(\.sender) == [.client])
        #expect(play.held.map(\.bytes) == [Array(get.utf8)])
        #expect(play.records.isEmpty)
        play.decide(1, .release, .connect(2, "a.example:80"))
        play.on(.ready(LegID(2)), .send(2, sent + otherSent))
        play.server(2, ok + ok, .send(1, ok + ok))
        #expect(play.faults == ["hold outcome=released"])
        #expect(play.held.isEmpty)
    }

    @Test func `a request is edited`() throws {
        var play = try Self.play("path:/x => hold")
        play.client(get, .wake(minutes + 1))
        let edited = get.replacing("/x", with: "/z")
        play.decide(1, .edit(Array(edited.utf8)), .connect(2, "a.example:80"))
        play.on(.ready(LegID(2)), .send(2, sent.replacing("/x", with: "/z")))
        play.server(2, ok, .send(1, ok))
        #expect(play.had(by: .client) == [sent])
        #expect(play.had(by: .server) == [sent.replacing("/x", with: "/z")])
        #expect(play.faults == ["hold outcome=edited"])
    }

    @Test func `a request is answered, and the next one goes on`() throws {
        var play = try Self.play("path:/x => hold")
        play.client(get + other, .wake(minutes + 1))
        play.decide(
            1, .answer(Array(teapot.utf8)), .send(1, teapot), .connect(2, "a.example:80"))
        play.on(.ready(LegID(2)), .send(2, otherSent))
        play.server(2, ok, .send(1, ok))
        #expect(play.faults == ["hold outcome=answered"])
        #expect(play.received == ["tapedeck: \(teapot)", "client: \(otherSent)", "server: \(ok)"])
    }

    @Test func `an answer waits for those before it, and those behind it for it`() throws {
        var play = try Self.play("path:/y => hold", "path:/z => set-header A b")
        let third = get.replacing("/x", with: "/z")
        play.client(get + other + third, .connect(2, "a.example:80"), .wake(minutes + 1))
        play.on(.ready(LegID(2)), .send(2, sent))
        let thirdSent = sent.replacing("/x", with: "/z")
        play.decide(1, .answer(Array(teapot.utf8)), .send(2, thirdSent))
        let both = play.steps(after: .received(LegID(2), Array(ok.utf8)))
        #expect(both == [.send(1, ok), .send(1, teapot)])
        // The gate takes the next answer for that of the third request, and not of the second.
        let changed = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nA: b\r\n\r\nhi"
        play.server(2, ok, .send(1, changed))
    }

    @Test func `a request is dropped`() throws {
        var play = try Self.play("path:/x => hold")
        play.client(get + other, .wake(minutes + 1))
        play.decide(1, .drop, .close(1))
        #expect(play.faults == ["hold outcome=dropped"])
        #expect(play.had(by: .server).joined() == "")
    }

    @Test func `a response waits with what other rules made of it`() throws {
        var play = try Self.play("path:/x => hold sender=server", "path:/x => set-header A b")
        play.client(get, .connect(2, "a.example:80"))
        play.on(.ready(LegID(2)), .send(2, sent))
        play.server(2, ok, .wake(minutes + 3))
        let changed = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nA: b\r\n\r\nhi"
        #expect(play.held.map(\.bytes) == [Array(changed.utf8)])
        play.decide(1, .edit(Array(teapot.utf8)), .send(1, teapot))
        #expect(play.faults == ["hold sender=server outcome=edited", "set-header A b"])
        play.client(get, .send(2, sent))
        play.server(2, ok)
        play.decide(2, .drop, .close(1), .close(2))
    }

    @Test func `it goes on by itself after its time`() throws {
        var play = try Self.play("path:/x => hold 2s")
        play.client(get, .wake(2_000_000_001))
        play.clock = 2_000_000_000
        play.on(.woke, .connect(2, "a.example:80"))
        play.on(.ready(LegID(2)), .send(2, sent))
        #expect(play.faults == ["hold 2s outcome=expired"])
        let isHeld = play.decide(1, .release)
        #expect(!isHeld)
    }

    @Test func `what a client sent that has left goes nowhere`() throws {
        var play = try Self.play("path:/x => hold")
        play.client(get + other, .wake(minutes + 1))
        let steps = play.steps(after: .closed(Playbook.client, isReset: false, ""))
        let sends = steps.filter { if case .send = $0 { true } else { false } }
        #expect(sends == [])
        #expect(play.faults == ["hold outcome=left"])
        #expect(play.clientChunks.map(\.bytes.count).reduce(0, +) == get.utf8.count * 2)
        #expect(play.had(by: .server).joined() == "")
        #expect(play.held.isEmpty)
    }

    @Test func `much that is sent behind it is not read`() throws {
        var play = try Self.play("path:/x => hold")
        let long =
            "POST /y HTTP/1.1\r\nHost: p\r\nContent-Length: 100000\r\n\r\n"
            + String(repeating: "x", count: 100_000)
        play.client(get + long, .holdBack(.client), .wake(minutes + 1))
        play.decide(1, .release, .connect(2, "a.example:80"), .letCome(.client))
    }

    @Test func `tunnels and bodies that are too long are not held`() throws {
        var play = try Self.play("=> hold")
        let head = "POST /x HTTP/1.1\r\nHost: p\r\nContent-Length: 3000000\r\n\r\n"
        play.client(head, .connect(2, "a.example:80"))
        #expect(play.faults == ["hold"])
        #expect(play.held.isEmpty)
    }
}
