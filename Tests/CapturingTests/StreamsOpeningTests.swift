import Capturing
import Testing
import Wire

@Suite("The ends of a connection are told by its SYN, and guessed without")
struct StreamsOpeningTests {
    private static let opened = "opened by 10.0.0.1:50000"

    @Test("The SYN-ACK alone tells")
    func secondAlone() {
        var play = Play()
        #expect(play.server(0, flags: .syn).isEmpty)
        #expect(play.client(0, "GET").isEmpty)
        #expect(play.wait(1_000_000_000) == [Self.opened, "client GET"])
    }

    @Test("The SYN tells even where it was captured after others")
    func late() {
        var play = Play()
        #expect(play.client(0, "GET").isEmpty)
        #expect(play.server(0, flags: .syn).isEmpty)
        #expect(play.client(0, ack: nil, flags: .syn) == [Self.opened, "client GET"])
        #expect(play.counts.withHandshake == 1)
    }

    @Test("Without, a port that is known to be a server's tells")
    func ports() {
        var play = Play()
        play.ends = [Play.client, Endpoint(Play.server.address, 443)]
        #expect(play.server(0, "??").isEmpty)
        #expect(play.finish() == [Self.opened + ", it seems", "server ??", "capture-ended"])
        #expect(play.counts.withoutHandshake == 1)
    }

    @Test("Between other ports the lower one is the server's")
    func lowerPort() {
        var play = Play()
        play.ends = [Play.client, Endpoint(Play.server.address, 30000)]
        #expect(play.server(0, "??").isEmpty)
        #expect(play.finish().first == Self.opened + ", it seems")
    }

    @Test("An end that was connected to is a server")
    func knownServer() {
        var play = Play()
        play.ends[1].port = 61_234
        _ = play.shakeHands()
        play.ends[0].port = 2000
        _ = play.server(0, "??")
        #expect(play.finish().contains("2: opened by 10.0.0.1:2000, it seems"))
    }

    @Test(
        "What the first bytes look like tells more than the ports",
        arguments: [
            ("GET / HTTP/1.1\r\n", Peer.client), ("PROPFIND / HTTP/1.1\r\n", .client),
            ("\u{16}\u{3}\u{1}\u{0}\u{20}\u{1}", .client), ("HTTP/1.1 200 OK\r\n", .server),
            ("\u{16}\u{3}\u{3}\u{0}\u{20}\u{2}", .server),
        ])
    func payloads(text: String, sender: Peer) {
        var play = Play()
        play.ends = [Play.client, Endpoint(Play.server.address, 60_000)]
        #expect(play.send(sender, 0, text, ack: 0).isEmpty)
        #expect(
            play.finish() == [Self.opened + ", it seems", "\(sender) \(text)", "capture-ended"])
    }

    @Test("The first segments of a capture that begins late are put in order")
    func beginsLate() {
        var play = Play()
        #expect(play.server(100, "200", ack: 53).isEmpty)
        #expect(play.client(50, "GET", ack: 100).isEmpty)
        #expect(play.client(53, ack: 103).isEmpty)
        #expect(
            play.wait(1_000_000_000)
                == [Self.opened + ", it seems", "client GET", "server 200"])
        #expect(play.counts.missing == 0)
        #expect(play.client(40, "before the").isEmpty)
        #expect(play.counts.discarded == [.beforeStart: 10])
    }

    @Test("Not more than the first segments are held back")
    func bounded() {
        var play = Play()
        var said: [String] = []
        for place in 0..<7 { said += play.client(place, "\(place)", ack: nil) }
        #expect(said.isEmpty)
        said = play.client(7, "7", ack: nil)
        #expect(said == [Self.opened + ", it seems"] + (0..<8).map { "client \($0)" })
    }

    @Test("A probe of an idle connection is no byte that is missing")
    func idleConnection() {
        var play = Play()
        var said: [String] = []
        for _ in 0..<5 {
            said += play.client(99, ack: 500)
            said += play.server(500, ack: 100)
        }
        said += play.client(100, "GET", ack: 500)
        said += play.finish()
        #expect(said == [Self.opened + ", it seems", "client GET", "capture-ended"])
    }
}

@Suite("A connection ends as it was ended")
struct StreamsClosingTests {
    @Test func simultaneousClose() {
        var play = Play()
        _ = play.shakeHands()
        #expect(play.client(0, flags: .fin) == ["client ends"])
        #expect(play.server(0, flags: .fin) == ["server ends", "closed"])
        #expect(play.client(1, ack: 1).isEmpty)
        #expect(play.server(1, ack: 1).isEmpty)
    }

    @Test("One end may send for long after the other has ended")
    func halfClosed() {
        var play = Play()
        _ = play.shakeHands()
        #expect(play.client(0, "GET", flags: .fin) == ["client GET", "client ends"])
        for part in 0..<100 {
            #expect(play.server(part, "x", ack: 4, after: 1_000_000_000) == ["server x"])
        }
        #expect(play.server(100, ack: 4, flags: .fin) == ["server ends", "closed"])
    }

    @Test("The end waits for what is missing before it")
    func endWaits() {
        var play = Play()
        _ = play.shakeHands()
        #expect(play.client(3, flags: .fin).isEmpty)
        #expect(play.client(0, "abc") == ["client abc", "client ends"])
    }

    @Test func reset() {
        var play = Play()
        _ = play.shakeHands()
        _ = play.client(0, "abc")
        #expect(play.server(0, ack: 3, flags: .rst) == ["reset"])
        #expect(play.client(3, "def").isEmpty)
        #expect(play.client(0, "abc").isEmpty)
        #expect(play.counts.discarded == [.afterClose: 3])
        #expect(play.counts.duplicate == 3)
        #expect(play.finish().isEmpty)
    }

    @Test("A refused connection is opened and reset")
    func refused() {
        var play = Play()
        _ = play.client(0, ack: nil, flags: .syn)
        // An end that knows nothing of the connection has no sequence number either.
        play.initial[1] = UInt32.max
        #expect(play.server(0, flags: .rst) == ["opened by 10.0.0.1:50000", "reset"])
    }

    @Test("A reset lets what was sent before it come")
    func earlyReset() {
        var play = Play()
        _ = play.shakeHands()
        #expect(play.client(6, ack: 0, flags: .rst).isEmpty)
        #expect(play.client(0, "abcdef") == ["client abcdef"])
        #expect(play.wait(1_000_000_000) == ["reset"])
    }

    @Test("A reset from nowhere near the connection is ignored and counted")
    func strayReset() {
        var play = Play()
        _ = play.shakeHands()
        #expect(play.client(100_000_000, "x", flags: .rst).isEmpty)
        #expect(play.counts.resetsIgnored == 1)
        #expect(play.counts.discarded == [.inReset: 1])
        #expect(play.client(0, "abc") == ["client abc"])
    }

    @Test("A reset of nothing opens nothing")
    func resetAlone() {
        var play = Play()
        #expect(play.client(0, flags: .rst).isEmpty)
        #expect(play.counts.connections == 0)
        #expect(play.counts.resetsIgnored == 1)
    }

    @Test("A new SYN between the same ends begins another connection", arguments: [false, true])
    func portReuse(isClosed: Bool) {
        var play = Play()
        _ = play.shakeHands()
        _ = play.client(0, "abc")
        _ = play.client(7, "lost")
        if isClosed { _ = play.server(0, ack: 3, flags: .rst) + play.wait(1_000_000_000) }
        play.initial = [900_000_000, 5]
        #expect(
            play.client(0, ack: nil, flags: .syn)
                == (isClosed ? [] : ["client lacks 4", "client lost", "replaced"]))
        #expect(play.client(0, ack: nil, flags: .syn).isEmpty)
        #expect(play.server(0, flags: .syn) == ["2: opened by 10.0.0.1:50000"])
        #expect(play.client(0, "xyz") == ["2: client xyz"])
        #expect(play.counts.connections == 2)
    }

    @Test("A connection whose SYN was not captured may follow one that is over")
    func portReuseWithoutSYN() {
        var play = Play()
        _ = play.shakeHands()
        _ = play.server(0, ack: 0, flags: .rst)
        play.initial = [900_000_000, 900_000_000]
        _ = play.client(0, "GET /", ack: 0)
        #expect(
            play.finish()
                == ["2: opened by 10.0.0.1:50000, it seems", "2: client GET /", "2: capture-ended"])
    }

    @Test("Connections are closed as idle where there are too many, the quietest first")
    func idle() {
        var limits = StreamLimits()
        limits.connections = 2
        var play = Play(limits: limits)
        _ = play.shakeHands()
        play.ends[0].port = 50_001
        _ = play.shakeHands()
        play.ends[0].port = 50_000
        _ = play.client(0, "abc")
        play.ends[0].port = 50_002
        #expect(play.client(0, ack: nil, flags: .syn) == ["2: idle"])
        #expect(play.assembler.connectionsKnown == 2)
        play.ends[0].port = 50_000
        #expect(play.client(3, "def") == ["client def"])
    }

    @Test(
        "An end that still has an older connection answers with its numbers, which count for nothing",
        arguments: [false, true])
    func challenge(isReset: Bool) {
        var play = Play([1000, 77_000])
        #expect(play.client(0, ack: nil, flags: .syn).isEmpty)
        // The older connection's numbers are far from those of either SYN.
        var old = play
        old.initial = [600_000_000, 860_000_000]
        #expect(old.server(0, ack: 0).isEmpty)
        if isReset { _ = old.send(.client, 0, flags: .rst) }
        play.assembler = old.assembler
        play.now = old.now
        _ = play.client(0, ack: nil, flags: .syn)
        _ = play.server(0, flags: .syn)
        #expect(play.client(0, "GET /").last == "client GET /")
        #expect(play.server(0, "200", ack: 5) == ["server 200"])
        #expect(play.client(5, ack: 3, flags: .fin) == ["client ends"])
        #expect(play.server(3, ack: 6, flags: .fin) == ["server ends", "closed"])
        #expect(play.counts.missing == 0)
        #expect(play.counts.isBalanced)
    }

    @Test("An end that talks to itself does no harm")
    func sameEnds() {
        var play = Play()
        play.ends[1] = play.ends[0]
        _ = play.client(0, "abc", flags: .syn)
        _ = play.server(0, "abc", flags: .syn)
        _ = play.finish()
        #expect(play.counts.isBalanced)
    }
}
