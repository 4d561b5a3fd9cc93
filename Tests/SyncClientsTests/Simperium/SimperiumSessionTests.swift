import Notation
import Simperium
import Testing
import Wire

@testable import SyncClients

/// A generator that gives the same numbers each time.
struct SameNumbers: RandomNumberGenerator, Sendable {
    private var state: UInt64 = 7

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state
    }
}

/// A session with a server that is a list of messages.
struct Playbook {
    var session: SimperiumSession
    var now: Int64 = 0
    var saved: [String: ClientBucket.Saved] = [:]

    init(
        buckets: [String] = ["notes"], saved: [String: ClientBucket.Saved] = [:],
        user: String? = nil, canAuthorize: Bool = false, tokenRefusals: Int = 0
    ) {
        var settings = SimperiumSession.Settings(
            app: "app", buckets: buckets, token: canAuthorize ? nil : "token",
            clientID: "client")
        settings.canAuthorize = canAuthorize
        settings.tokenRefusals = tokenRefusals
        session = SimperiumSession(
            settings: settings, saved: saved, user: user, random: SameNumbers())
        self.saved = saved
    }

    /// What comes of an event, without timers.
    mutating func play(
        _ event: SimperiumSession.Event, after seconds: Double = 0
    )
        -> [SimperiumSession.Command]
    {
        now += Int64(seconds * 1e9)
        var commands: [SimperiumSession.Command] = []
        session.handle(event, at: Instant(nanoseconds: now), into: &commands)
        for case .save(let bucket, let saving) in commands {
            saved[bucket, default: .init()].apply(saving)
        }
        return commands
    }

    /// The texts that are sent because of an event.
    mutating func sent(_ event: SimperiumSession.Event, after seconds: Double = 0) -> [String] {
        play(event, after: seconds).compactMap { command in
            guard case .send(let text) = command else { return nil }
            return String(decoding: text, as: UTF8.self)
        }
    }

    mutating func receive(_ text: String) -> [String] { sent(.received(Array(text.utf8))) }

    /// Goes as far as a bucket that is in sync.
    mutating func sync() {
        _ = play(.online)
        _ = play(.opened)
        for channel in session.settings.buckets.indices {
            _ = receive("\(channel):auth:user@example.com")
            _ = receive("\(channel):i:{\"current\":\"cv0\",\"index\":[]}")
        }
    }
}

@Suite struct SimperiumSessionTests {
    private func object(_ text: String) throws -> JSONValue { try JSONValue(parsing: text) }

    @Test func `opens every bucket on a channel of its own`() {
        var book = Playbook(buckets: ["notes", "tags"])
        #expect(book.play(.online).contains(.connect))
        let opened = book.sent(.opened)
        #expect(opened.map { $0.prefix(7) } == ["0:init:", "1:init:"])
        #expect(opened.first?.contains(#""name":"notes""#) == true)
        #expect(book.receive("1:auth:user") == ["1:i:1:::100"])
        #expect(book.receive("1:i:{\"current\":\"a\",\"index\":[]}") == [])
        #expect(!book.session.isSynced)
        #expect(book.receive("0:auth:user") == ["0:i:1:::100"])
        _ = book.receive("0:i:{\"current\":\"a\",\"index\":[]}")
        #expect(book.session.isSynced)
    }

    @Test func `stores a change before it sends it`() throws {
        var book = Playbook()
        book.sync()
        let commands = book.play(.edited(bucket: "notes", key: "k", data: try object(#"{"a":1}"#)))
        let save = commands.firstIndex { if case .save = $0 { true } else { false } }
        let send = commands.firstIndex { if case .send = $0 { true } else { false } }
        #expect(try #require(save) < #require(send))
        #expect(book.session.pendingCount == 1)
        #expect(book.saved["notes"]?.objects[ExactText("k")]?.sent != nil)
    }

    @Test func `sends the same again after a restart, until it is acknowledged`() throws {
        var book = Playbook()
        book.sync()
        let first = book.sent(
            .edited(bucket: "notes", key: "k", data: try object(#"{"a":1}"#)))
        var next = Playbook(saved: book.saved)
        #expect(next.session.pendingCount == 1)
        _ = next.play(.online)
        _ = next.play(.opened)
        #expect(next.receive("0:auth:user@example.com") == ["0:cv:cv0"])
        #expect(next.receive("0:c:[]") == first)
        let ccid = try #require(first.first?.split(separator: "\"ccid\":\"").last?.prefix(32))
        _ = next.receive(
            #"0:c:[{"id":"k","o":"M","v":{"a":{"o":"+","v":1}},"ev":1,"cv":"c1","ccids":["\#(ccid)"]}]"#
        )
        #expect(next.session.pendingCount == 0)
        var last = Playbook(saved: next.saved)
        _ = last.play(.online)
        _ = last.play(.opened)
        #expect(last.receive("0:auth:user@example.com") == ["0:cv:c1"])
        #expect(last.receive("0:c:[]") == [])
    }

    /// Proves: S-51, S-52.
    @Test func `sends one heartbeat for all after 20 s and gives a dead socket up`() {
        var book = Playbook(buckets: ["notes", "tags"])
        book.sync()
        #expect(book.sent(.timePassed, after: 19) == [])
        #expect(book.sent(.timePassed, after: 1) == ["h:0"])
        #expect(book.receive("h:1") == [])
        #expect(book.sent(.timePassed, after: 20) == ["h:2"])
        #expect(book.play(.timePassed, after: 10).contains(.disconnect))
        #expect(!book.session.isOpen)
    }

    @Test func `comes back after pauses that grow, until the server answers`() {
        var book = Playbook()
        _ = book.play(.online)
        var pauses: [Int64] = []
        for _ in 0..<4 {
            let commands = book.play(.closed("refused"))
            let due = commands.compactMap { command -> Instant? in
                guard case .setTimer(let time) = command else { return nil }
                return time
            }.last
            let pause = (due?.nanoseconds ?? 0) - book.now
            pauses.append(pause)
            #expect(book.play(.timePassed, after: Double(pause) / 1e9 + 0.001).contains(.connect))
        }
        for (place, pause) in pauses.enumerated() {
            let full = Int64(1_000_000_000) << Int64(place)
            #expect(full / 2...full ~= pause)
        }
        #expect(book.session.failures == 4)
        _ = book.play(.opened)
        _ = book.receive("h:1")
        #expect(book.session.failures == 0)
    }

    @Test func `gives a handshake up that is not answered`() {
        var book = Playbook()
        _ = book.play(.online)
        #expect(book.play(.timePassed, after: 60).contains(.disconnect))
    }

    @Test(arguments: [
        (#"0:auth:{"msg":"Token invalid","code":401}"#, "another one"),
        (#"0:auth:{"msg":"bad","code":400}"#, "malformed"),
        (#"0:auth:{"msg":"no","code":500}"#, "refuses the bucket"),
        ("0:auth:expired", "expired"),
    ])
    func `ends where the token is not taken`(text: String, advice: String) {
        var book = Playbook()
        _ = book.play(.online)
        _ = book.play(.opened)
        #expect(book.play(.received(Array(text.utf8))).contains(.disconnect))
        #expect(book.session.refusal?.reason.contains(advice) == true)
        #expect(!book.play(.timePassed, after: 1_000).contains(.connect))
    }

    @Test(arguments: [
        (#"0:auth:{"msg":"Token invalid","code":401}"#, true),
        (#"0:auth:{"msg":"bad","code":400}"#, true), ("0:auth:expired", true),
        (#"0:auth:{"msg":"no","code":500}"#, false),
    ])
    func `counts how often the token is called invalid`(text: String, counts: Bool) {
        var book = Playbook(tokenRefusals: 1)
        #expect(book.play(.online).contains(.connect), "once more")
        _ = book.play(.opened)
        #expect(
            book.play(.received(Array(text.utf8))).contains(.tokenRefusals(2)) == counts)
    }

    @Test func `does not send a token that was refused twice`() {
        var book = Playbook(tokenRefusals: 2)
        #expect(!book.play(.online).contains(.connect))
        #expect(book.session.refusal?.isForGood == true)
        #expect(book.session.refusal?.reason.contains("get another one") == true)
    }

    @Test func `a token that is taken was not invalid`() {
        var book = Playbook(tokenRefusals: 1)
        _ = book.play(.online)
        _ = book.play(.opened)
        #expect(book.play(.received(Array("0:auth:ada".utf8))).contains(.tokenRefusals(0)))
        #expect(!book.play(.received(Array("0:auth:ada".utf8))).contains(.tokenRefusals(0)))
    }

    @Test func `gets a token first, and another one when it has expired`() {
        var book = Playbook(canAuthorize: true)
        #expect(book.play(.online).contains(.authorize))
        #expect(book.play(.authorized("one")).contains(.connect))
        #expect(book.sent(.opened).first?.contains(#""token":"one""#) == true)
        _ = book.receive("0:auth:user@example.com")
        let commands = book.play(.received(Array("0:auth:expired".utf8)))
        #expect(commands.contains(.disconnect) && commands.contains(.authorize))
        #expect(book.session.refusal == nil)
        #expect(book.play(.authorized("two")).contains(.connect))
        #expect(book.sent(.opened).first?.contains(#""token":"two""#) == true)
        // One that was never right is not asked for again and again.
        let last = book.play(.received(Array("0:auth:expired".utf8)))
        #expect(!last.contains(.authorize))
        #expect(book.session.refusal?.isForGood == false)
    }

    @Test(arguments: [
        SimperiumAuthorization.Failure.later("503"), .unreachable("connection refused"),
    ])
    func `asks an auth API that is out of order again`(failure: SimperiumAuthorization.Failure) {
        var book = Playbook(canAuthorize: true)
        _ = book.play(.online)
        #expect(!book.play(.unauthorized(failure)).contains(.authorize))
        #expect(book.session.refusal == nil && book.session.failures == 1)
        #expect(book.play(.timePassed, after: 2).contains(.authorize))
        #expect(book.play(.timePassed, after: 61).contains(.disconnect))
    }

    @Test func `ends where the auth API refuses the user`() {
        var book = Playbook(canAuthorize: true)
        _ = book.play(.online)
        _ = book.play(.unauthorized(.refused("check the password")))
        #expect(book.session.refusal?.isForGood == true)
        #expect(!book.play(.timePassed, after: 1_000).contains(.authorize))
    }

    @Test func `does not send one user's edits as another's`() {
        var book = Playbook(user: "ada")
        _ = book.play(.online)
        _ = book.play(.opened)
        #expect(book.play(.received(Array("0:auth:bob".utf8))).contains(.disconnect))
        #expect(
            book.session.refusal?.reason
                == "the state belongs to ada, and the token to bob; name another --state")
    }

    @Test(arguments: ["", "x", "0", "9:c:[]", "0:c:[{}]", "h:x", "0:i:{}", "\u{0}", "0:e:k.1\n{"])
    func `outlives whatever a server says`(text: String) {
        var book = Playbook()
        book.sync()
        _ = book.receive(text)
        #expect(book.session.isWanted)
    }
}
