import Dissection
import Framing
import Notation
import Testing
import Wire

@testable import Faults

struct HTTPGateTests {
    /// Rules that match nothing, one for each phase.
    static let idle = [
        "path:/nowhere => 503", "request.body:nothing-like-it => 503", "status:299 => lose-answer",
        "response.body:nothing-like-it => answer-twice",
    ]

    @Test(arguments: Talk.all.indices, HTTPPlay.Cuts.allCases)
    func `everything passes as it came without rules`(index: Int, cuts: HTTPPlay.Cuts) throws {
        let steps = Talk.all[index]
        let play = try HTTPPlay.run([], steps, cuts)
        for sender in Peer.allCases {
            let bytes = steps.filter { $0.sender == sender }.flatMap(\.bytes)
            #expect(play.came(from: sender) == bytes)
        }
        for command in play.commands {
            guard case .pass = command else {
                Issue.record("\(command)")
                continue
            }
        }
    }

    @Test func `jitter makes a latency longer and shorter`() throws {
        let second: Int64 = 1_000_000_000
        let delays = try (1...40).map { (seed: UInt64) -> Int64 in
            var play = try HTTPPlay(
                ["path:/a => latency 1s jitter=500ms sender=client"], seed: seed)
            play.take(Array(Talk.post("/a", "abc").utf8), from: .client)
            let holds = play.commands.compactMap { command -> Int64? in
                guard case .hold(.client, let until) = command else { return nil }
                return until.nanoseconds - play.now.nanoseconds
            }
            return holds.max() ?? 0
        }
        #expect(delays.allSatisfy { (second / 2...second * 3 / 2).contains($0) })
        #expect(delays.contains { $0 < second * 9 / 10 })
        #expect(delays.contains { $0 > second * 11 / 10 })
    }

    @Test func `does late what is due once`() throws {
        var play = try HTTPPlay(["path:/a => half-close after=1s"])
        play.take(Array(Talk.post("/a", "abc").utf8), from: .client)
        #expect(play.faults.isEmpty)
        for seconds in 2...4 {
            play.gate.wake(
                at: Instant(nanoseconds: Int64(seconds) * 1_000_000_000), into: &play.commands)
            #expect(play.faults.count == 1)
        }
    }

    @Test func `leaves an answer alone whose start has gone out`() throws {
        var play = try HTTPPlay([])
        let answer = Array(Talk.ok("x").utf8)
        play.take(Array(Talk.post("/a", "abc").utf8), from: .client)
        play.take(Array(answer[..<12]), from: .server)
        try play.session.add(try FaultRule.parse("status:200 => set-header A b", named: "late"))
        play.take(Array(answer[12...]), from: .server)
        #expect(play.sent(by: .server) == Talk.ok("x"))
        #expect(play.faults.isEmpty)
    }

    @Test func `a client that waits for 100 Continue receives it at once`() throws {
        let head =
            "POST /a HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n"
        let reported = "HTTP/1.1 100 Continue\r\n\r\n"
        var play = try HTTPPlay.run(
            ["request.body:abc => set-header X y sender=client"], [.client(head)])
        #expect(play.sent(by: .client) == "")
        #expect(play.sent(by: .server) == reported)
        play.take(Array("abc".utf8), from: .client)
        #expect(play.sent(by: .client).hasSuffix("\r\nX: y\r\n\r\nabc"))
        // The server says so as well, and the client has heard it.
        play.take(Array((reported + Talk.ok("x")).utf8), from: .server)
        #expect(play.sent(by: .server) == reported + Talk.ok("x"))
    }

    @Test func `a scout knows the requests that are not answered`() throws {
        let play = try HTTPPlay(["path:/b => 503"])
        var prefilter = HTTPPrefilter(play.gate.context, session: play.session)
        let request = Array(Talk.post("/a", "abc").utf8)
        #expect(prefilter.look(request, at: .zero) == .clear)
        #expect(prefilter.look(request, at: .zero) == .clear)
        #expect(prefilter.pending.exchanges.map(\.number) == [1, 2])
        #expect(prefilter.look(request, at: .zero, isAnswered: true) == .clear)
        #expect(prefilter.pending.exchanges.map(\.number) == [3])
        let other = Array(Talk.post("/b", "abc").utf8)
        #expect(prefilter.look(request + other, at: .zero) == .suspect(at: request.count))
    }

    @Test func `a rule about a body needs a gate where the head leaves it open`() throws {
        let rules = ["path:/b request.body:x => 503", "method:PUT status:200 => edit status 404"]
        let play = try HTTPPlay(rules)
        #expect(HTTPPrefilter.isEnough(for: play.session))
        var prefilter = HTTPPrefilter(play.gate.context, session: play.session)
        let clear = Array(Talk.post("/a", "x").utf8)
        #expect(prefilter.look(clear, at: .zero) == .clear)
        let open = Array(Talk.post("/b", "y").utf8)
        #expect(prefilter.look(clear + open, at: .zero) == .suspect(at: clear.count))
        for late in ["request.body:x => 503", "status:200 => edit status 404"] {
            let play = try HTTPPlay(rules + [late])
            #expect(!HTTPPrefilter.isEnough(for: play.session), "\(late)")
        }
    }

    @Test func `reads pass as they are without rules`() throws {
        let play = try HTTPPlay.run([], [.client(Talk.post("/a", "abc")), .server(Talk.ok("x"))])
        #expect(
            play.commands == [
                .pass(sender: .client, Array(Talk.post("/a", "abc").utf8)),
                .pass(sender: .server, Array(Talk.ok("x").utf8)),
            ])
    }

    @Test(arguments: Talk.all.indices, HTTPPlay.Cuts.allCases)
    func `everything passes under rules that match nothing`(index: Int, cuts: HTTPPlay.Cuts) throws
    {
        for rules in Self.idle.map({ [$0] }) + [Self.idle] {
            let steps = Talk.all[index]
            let play = try HTTPPlay.run(rules, steps, cuts)
            for sender in Peer.allCases {
                let bytes = steps.filter { $0.sender == sender }.flatMap(\.bytes)
                #expect(play.came(from: sender) == bytes)
            }
            // The only thing made is what a client waits for whose body is held.
            #expect(play.faults.isEmpty)
            let interim = "HTTP/1.1 100 Continue\r\n\r\n"
            for sender in Peer.allCases {
                let bytes = steps.filter { $0.sender == sender }.flatMap(\.bytes)
                let sent = play.sent(by: sender)
                if play.commands.contains(.make(sender: .server, Array(interim.utf8))) {
                    #expect([0, interim.utf8.count].contains(sent.utf8.count - bytes.count))
                } else {
                    #expect(Array(sent.utf8) == bytes)
                }
            }
        }
    }

    static let actions = [
        "=> 503", "=> status 429 forwarded", "=> lose-answer", "=> lose-answer how=stall",
        "=> answer-twice", "=> truncate 3", "=> corrupt at=1 count=3", "=> corrupt",
        "=> corrupt at=1 sender=client", "=> length -1", "=> content-type text/html",
        "=> content-type a/b sender=client", "=> cut-xml", "=> set-header X-A b",
        "=> set-header Host other sender=client", "=> remove-header Content-Type", "=> drop",
        "=> drop close=true", "=> repeat", "=> repeat count=2", "method:* => latency 2s",
        "method:* => latency 2s jitter=1s sender=server", "method:* => stall", "method:* => close",
        "method:* => reset",
        "method:* => half-close", "method:* => half-close sender=client",
        "method:* => bandwidth 100", "status:* => status 500 forwarded",
        "status:* => reset", "response.body:* => status 500 forwarded", "request.body:* => 422",
        "response.body:* => close", "status:* => half-close",
    ]

    @Test(arguments: actions)
    func `every action does the same however reads are cut`(rule: String) throws {
        for (index, steps) in Talk.all.enumerated() {
            let whole = try HTTPPlay.run([rule], steps)
            for cuts in HTTPPlay.Cuts.allCases.dropFirst() {
                let other = try HTTPPlay.run([rule], steps, cuts)
                #expect(other.joined == whole.joined, "talk \(index), \(cuts)")
            }
            // Whatever is done, each byte that came is accounted for once.
            for sender in Peer.allCases {
                let bytes = steps.filter { $0.sender == sender }.flatMap(\.bytes)
                #expect(whole.came(from: sender) == bytes, "talk \(index)")
            }
        }
    }

    @Test func `a change of protocol gives out both rests`() throws {
        let ask = Talk.get("/ws", "Connection: Upgrade\r\nUpgrade: websocket\r\n")
        let agree =
            "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"
        var play = try HTTPPlay.run([], [.client(ask + "early"), .server(agree + "late")])
        let change = try #require(play.change)
        #expect(change.isWebSocket)
        #expect(change.clientRest == Array("early".utf8))
        #expect(change.serverRest == Array("late".utf8))
        #expect(change.exchange.path == "/ws")
        #expect(play.sent(by: .client) == ask)
        #expect(play.sent(by: .server) == agree)
        play.commands = []
        play = try HTTPPlay.run(["path:/ws => 503"], [.client(ask + Talk.get("/b"))])
        #expect(play.sent(by: .client) == Talk.get("/b"))
        #expect(play.sent(by: .server).hasPrefix("HTTP/1.1 503 "))
    }

    @Test func `a larger body passes and is not asked about`() throws {
        let body = String(repeating: "x", count: HTTPGate.maximumHeld + 1)
        let steps: [Step] = [.client(Talk.post("/a", body)), .server(Talk.ok(body))]
        let play = try HTTPPlay.run(
            ["request.body:xxx => 500", "response.body:xxx => close"], steps)
        #expect(play.faults.isEmpty)
        #expect(play.sent(by: .client).utf8.count == steps[0].bytes.count)
        #expect(play.sent(by: .server).utf8.count == steps[1].bytes.count)
    }

    @Test(arguments: 0..<30)
    func `mixes of actions account for every byte`(seed: UInt64) throws {
        var draws = SplitMix64(seed: seed)
        let rules = (0..<4).map { _ in
            Self.actions.randomElement(using: &draws).map { "\($0) probability=0.6 per=overall" }
                ?? ""
        }
        for (index, steps) in Talk.all.enumerated() {
            let whole = try HTTPPlay.run(rules, steps)
            for cuts in [HTTPPlay.Cuts.bytes, .random] {
                let other = try HTTPPlay.run(rules, steps, cuts)
                for sender in Peer.allCases {
                    let bytes = steps.filter { $0.sender == sender }.flatMap(\.bytes)
                    #expect(other.came(from: sender) == bytes, "talk \(index), \(rules)")
                    #expect(whole.sent(by: sender) == other.sent(by: sender), "\(index), \(rules)")
                }
            }
        }
    }

    @Test func `rules that come in the middle of a head wait for the next`() throws {
        var play = try HTTPPlay([])
        let request = Array(Talk.get("/a").utf8)
        play.take(Array(request[..<20]), from: .client)
        try play.session.add(try FaultRule.parse("path:/a => 503", named: "late"))
        play.take(Array(request[20...]), from: .client)
        #expect(play.sent(by: .client) == Talk.get("/a"))
        play.take(Array(Talk.ok("x").utf8), from: .server)
        play.take(request, from: .client)
        #expect(play.sent(by: .server).hasPrefix(Talk.ok("x") + "HTTP/1.1 503 "))
    }
}
