import Replaying
import Testing
import Wire

struct SimperiumReplayTests {
    private static let opening = [
        #"1> 0:init:{"name":"note","clientid":"rec-client","api":"1.1","token":"rec-token","app_id":"app","library":"l","version":"1"}"#,
        "1< 0:auth:who@example.com",
    ]
    private static let live =
        #"7:init:{"api":1.1,"app_id":"app","clientid":"live-client","name":"note","token":"live-token"}"#

    @Test func `a first sync and an edit with other identifiers`() {
        let script = Script(
            Self.opening + [
                "1> 0:i:1:::2",
                #"1< 0:i:{"current": "cv1", "index": [{"id": "one", "v": 2, "d": {"a": 1.0}}], "mark": "m"}"#,
                "1> 0:i:1:m::2", #"1< 0:i:{"current":"cv1","index":[]}"#,
                #"1> 0:c:{"id":"key-of-recording","o":"M","v":{"self":{"o":"+","v":"key-of-recording"}},"ccid":"cafe01"}"#,
                #"1< 0:c:[{"clientid": "rec-client", "id": "key-of-recording", "o": "M", "v": {"self": {"o": "+", "v": "key-of-recording"}}, "ev": 1, "cv": "cv2", "ccids": ["cafe01"]}]"#,
                "1> 0:e:key-of-recording.1",
                "1< 0:e:key-of-recording.1\n{\"data\":{\"self\":\"key-of-recording\",\"key-of-recording\":1}}",
                #"1> 0:c:{"id":"key-of-recording","o":"-","ccid":"cafe02"}"#,
                #"1< 0:c:[{"clientid":"rec-client","id":"key-of-recording","o":"-","ev":2,"cv":"cv3","ccids":["cafe02"]}]"#,
            ])
        var play = Playbook(script.replay())
        play.on(Self.live, expect: "1< 7:auth:who@example.com")
        play.on(
            "7:i:1:::2",
            expect:
                #"1< 7:i:{"current": "cv1", "index": [{"id": "one", "v": 2, "d": {"a": 1.0}}], "mark": "m"}"#
        )
        play.on("7:i:1::m:2", expect: #"1< 7:i:{"current":"cv1","index":[]}"#)
        play.on(
            #"7:c:{"ccid":"beef01","id":"live-key","o":"M","v":{"self":{"v":"live-key","o":"+"}}}"#,
            expect:
                #"1< 7:c:[{"clientid": "live-client", "id": "live-key", "o": "M", "v": {"self": {"o": "+", "v": "live-key"}}, "ev": 1, "cv": "cv2", "ccids": ["beef01"]}]"#
        )
        play.on(
            "7:e:live-key.1",
            expect: "1< 7:e:live-key.1\n{\"data\":{\"self\":\"live-key\",\"live-key\":1}}")
        play.on(
            #"7:c:{"id":"live-key","o":"-","ccid":"beef02"}"#,
            expect:
                #"1< 7:c:[{"clientid":"live-client","id":"live-key","o":"-","ev":2,"cv":"cv3","ccids":["beef02"]}]"#
        )
        #expect(play.replay.unused == 0)
        #expect(play.replay.matched == 6)
        #expect(play.replay.bindings.tokens == ["rec-token": "live-token"])
        #expect(play.replay.bindings.clients == ["rec-client": "live-client"])
        #expect(play.replay.bindings.key("key-of-recording", in: "note") == "live-key")
        #expect(play.replay.bindings.key("one", in: "note") == "one")
    }

    @Test func `channels do not wait for each other, within one there is an order`() {
        let script = Script([
            #"1> 0:init:{"name":"a"}"#, "1< 0:auth:x", #"1> 1:init:{"name":"b"}"#, "1< 1:auth:y",
            "1> 0:cv:1", "1< 0:c:[]", "1> 1:cv:2", "1< 1:cv:?", "1> 1:i::::9", "1< 1:i:{}",
        ])
        var play = Playbook(script.replay())
        play.on(#"0:init:{"name":"b"}"#, expect: "1< 0:auth:y")
        play.on("0:cv:2", expect: "1< 0:cv:?")
        play.on(#"5:init:{"name":"a"}"#, expect: "1< 5:auth:x")
        play.on("0:i::::9", expect: "1< 0:i:{}")
        play.on("5:cv:1", expect: "1< 5:c:[]")
        #expect(play.replay.unused == 0)
        play = Playbook(script.replay())
        play.on(#"0:init:{"name":"b"}"#, expect: "1< 0:auth:y")
        play.on("0:i::::9", expect: "stop")
        play.on(#"1:init:{"name":"a"}"#)
        #expect(play.replay.isStopped)
        #expect(play.replay.misses[0].reason == .different)
        #expect(play.replay.misses[0].candidate?.command == CommandID(9))
        #expect(
            play.replay.misses[0].candidate?.differences.items.map(\.kind) == [.order])
    }

    @Test func `what the server says on its own keeps its place`() {
        let script = Script([
            "1< log:1", #"1> 0:init:{"name":"a","clientid":"me"}"#, "1< 0:auth:x",
            #"1< 0:c:[{"id":"k","o":"-","clientid":"other","ccids":["f0"],"cv":"1","ev":2}]"#,
            #"1> 0:c:{"id":"n","o":"M","v":{},"ccid":"c1"}"#, "1< 0:index",
            #"1< 0:c:[{"id":"n","o":"M","v":{},"clientid":"me","ccids":["c1"],"ev":1,"cv":"2"}]"#,
            "1< ?",
        ])
        var play = Playbook(script.replay())
        play.on("log:{\"log\":\"early\"}")
        play.on(
            #"3:init:{"name":"a","clientid":"you"}"#,
            expect: "1< log:1", "1< 3:auth:x",
            #"1< 3:c:[{"id":"k","o":"-","clientid":"other","ccids":["f0"],"cv":"1","ev":2}]"#)
        play.on(
            #"3:c:{"id":"m","o":"M","v":{},"ccid":"d1"}"#, expect: "1< 3:index",
            #"1< 3:c:[{"id":"m","o":"M","v":{},"clientid":"you","ccids":["d1"],"ev":1,"cv":"2"}]"#,
            "1< ?")
    }

    @Test func `a change of another client waits for that client`() {
        let echo = #"0:c:[{"id":"n","o":"M","v":{},"clientid":"A","ccids":["c1"],"ev":1,"cv":"2"}]"#
        let script = Script([
            #"1> 0:init:{"name":"a","clientid":"A"}"#, "1< 0:auth:x",
            #"2> 0:init:{"name":"a","clientid":"B"}"#, "2< 0:auth:x",
            #"1> 0:c:{"id":"n","o":"M","v":{},"ccid":"c1"}"#, "1< \(echo)", "2< \(echo)",
            "2> 0:cv:2", "2< 0:c:[]",
        ])
        let rewritten =
            #"0:c:[{"id":"m","o":"M","v":{},"clientid":"A2","ccids":["d1"],"ev":1,"cv":"2"}]"#
        var play = Playbook(script.replay())
        play.on(#"0:init:{"name":"a","clientid":"A2"}"#, socket: 1, expect: "1< 0:auth:x")
        play.on(#"0:init:{"name":"a","clientid":"B2"}"#, socket: 2, expect: "2< 0:auth:x")
        play.on("0:cv:2", socket: 2)
        play.on(
            #"0:c:{"id":"m","o":"M","v":{},"ccid":"d1"}"#, socket: 1, expect: "1< \(rewritten)",
            "2< \(rewritten)", "2< 0:c:[]")
        // Alone, nobody is waited for.
        play = Playbook(
            Script([
                #"1> 0:init:{"name":"a","clientid":"A"}"#, "1< 0:auth:x",
                #"2> 0:init:{"name":"b","clientid":"B"}"#, "2< 0:auth:x",
                #"1> 0:c:{"id":"n","o":"M","v":{},"ccid":"c1"}"#, "2< \(echo)",
            ]).replay())
        play.on(
            #"4:init:{"name":"b","clientid":"B2"}"#, expect: "1< 4:auth:x",
            "1< 4" + echo.dropFirst())
        // Where all are expected, what follows waits as well.
        play = Playbook(
            Script([
                #"1> 0:init:{"name":"a","username":"1","clientid":"A"}"#, "1< 0:auth:x",
                #"2> 0:init:{"name":"a","username":"2","clientid":"B"}"#, "2< 0:auth:x",
                #"1> 0:c:{"id":"n","o":"M","v":{},"ccid":"c1"}"#, "2< \(echo)",
            ]).replay(waitsForAbsent: true))
        play.on(#"4:init:{"name":"a","username":"2","clientid":"B2"}"#, expect: "1< 4:auth:x")
        play.on(
            #"0:init:{"name":"a","username":"1","clientid":"A2"}"#, socket: 2, expect: "2< 0:auth:x"
        )
        play.on(
            #"0:c:{"id":"m","o":"M","v":{},"ccid":"d1"}"#, socket: 2,
            expect: "1< 4" + rewritten.dropFirst())
        // Unless all are silent: then it goes on without who is not there.
        play = Playbook(
            Script([
                #"1> 0:init:{"name":"a","username":"1","clientid":"A"}"#, "1< 0:auth:x",
                #"2> 0:init:{"name":"a","username":"2","clientid":"B"}"#, "2< 0:auth:x",
                #"1> 0:c:{"id":"n","o":"M","v":{},"ccid":"c1"}"#, "2< \(echo)",
            ]).replay(waitsForAbsent: true))
        play.on(#"4:init:{"name":"a","username":"2","clientid":"B2"}"#, expect: "1< 4:auth:x")
        #expect(play.replay.awaitsAbsent)
        let reported = play.replay.handle(.nothingCame, at: second(299))
        #expect(reported.map(Playbook.line) == ["1< 4" + echo.dropFirst()])
        #expect(!play.replay.awaitsAbsent)
        // Nor one that went away.
        play = Playbook(script.replay())
        play.on(#"0:init:{"name":"a","clientid":"A2"}"#, socket: 1, expect: "1< 0:auth:x")
        play.on(#"0:init:{"name":"a","clientid":"B2"}"#, socket: 2, expect: "2< 0:auth:x")
        let output = play.replay.handle(.closed(socket: 1), at: second(300))
        #expect(output.map(Playbook.line) == ["2< " + echo.replacing("\"A\"", with: "\"A2\"")])
    }

    @Test func `heartbeats are answered with the next number, and need not come`() {
        let script = Script([
            "1> h:1", "1< h:2", #"1> 0:init:{"name":"a"}"#, "1< 0:auth:x", "1> h:3",
        ])
        var play = Playbook(script.replay())
        play.on("h:40", expect: "1< h:41")
        play.on(#"0:init:{"name":"a"}"#, expect: "1< 0:auth:x")
        // The second one went without answer.
        play.on("h:41")
        play.on("h:9", expect: "1< h:10")
        play.on("h:9223372036854775807")
        #expect(play.replay.unused == 0)
        #expect(play.replay.matched == 1)
        play.on("h:x", expect: "stop")
    }

    @Test func `a client may take a new name for each connection, and sockets come in order`() {
        let script = Script([
            #"1> 0:init:{"name":"a","clientid":"A"}"#, "1< 0:auth:first",
            #"2> 0:init:{"name":"a","clientid":"A"}"#, "2< 0:auth:second",
        ])
        var play = Playbook(script.replay())
        play.on(#"0:init:{"name":"a","clientid":"X"}"#, socket: 1, expect: "1< 0:auth:first")
        _ = play.replay.handle(.closed(socket: 1), at: second(200))
        play.now = 200
        play.on(#"0:init:{"name":"a","clientid":"Y"}"#, socket: 2, expect: "2< 0:auth:second")
        #expect(play.replay.bindings.client("A", on: ConnectionID(1)) == "X")
        #expect(play.replay.bindings.client("A", on: ConnectionID(2)) == "Y")
        play.on(#"0:init:{"name":"a","clientid":"Y"}"#, socket: 3, expect: "stop")
        #expect(play.replay.misses[0].reason == .noSuchChannel)
    }

    @Test func `two clients that keep their names are told apart`() {
        let script = Script([
            #"1> 0:init:{"name":"a","clientid":"A"}"#, #"2> 0:init:{"name":"a","clientid":"B"}"#,
            #"3> 0:init:{"name":"a","clientid":"A"}"#, "3< 0:auth:A again",
            #"4> 0:init:{"name":"a","clientid":"B"}"#, "4< 0:auth:B again",
        ])
        var play = Playbook(script.replay())
        play.on(#"0:init:{"name":"a","clientid":"X"}"#, socket: 1)
        play.on(#"0:init:{"name":"a","clientid":"Y"}"#, socket: 2)
        play.on(#"0:init:{"name":"a","clientid":"Y"}"#, socket: 3, expect: "3< 0:auth:B again")
        play.on(#"0:init:{"name":"a","clientid":"X"}"#, socket: 4, expect: "4< 0:auth:A again")
    }

    @Test(arguments: [
        (
            #"0:c:{"id":"n","o":"M","sv":1,"v":{"t":{"o":"r","v":"new"}},"ccid":"d2"}"#,
            "JSON /sv: recorded 2, received 1"
        ),
        (
            #"0:c:{"id":"n","o":"M","sv":2,"v":{"t":{"o":"r","v":"old"}},"ccid":"d2"}"#,
            #"JSON /v/t/v: recorded "new", received "old""#
        ),
        (
            #"0:c:{"id":"n","o":"M","sv":2,"v":{"t":{"o":"r","v":"new"}},"ccid":"d1"}"#,
            #"ccid: recorded "c2", received "d1", which is bound to "c1""#
        ),
        (
            #"0:c:{"id":"k","o":"M","sv":2,"v":{"t":{"o":"r","v":"new"}},"ccid":"d2"}"#,
            #"id: recorded "m" ("n" there), received "k""#
        ),
        (
            #"0:c:{"id":"m","o":"M","sv":2,"v":{"t":{"o":"r","v":"new"}}}"#,
            #"ccid: recorded "c2", not received"#
        ),
        (
            "0:e:m.2",
            #"command: recorded c n {"o":"M","sv":2,"v":{"t":{"o":"r","v":"new"}}}, received e m {"version":2}"#
        ),
        (
            "0:c:{",
            #"JSON value: recorded {"o":"M","sv":2,"v":{"t":{"o":"r","v":"new"}}}, received "{""#
        ),
    ])
    func `strict says what differs`(text: String, expected: String) {
        let script = Script([
            #"1> 0:init:{"name":"a"}"#,
            #"1> 0:c:{"id":"n","o":"M","v":{},"ccid":"c1"}"#,
            #"1> 0:c:{"id":"n","o":"M","sv":2,"v":{"t":{"o":"r","v":"new"}},"ccid":"c2"}"#,
        ])
        var play = Playbook(script.replay())
        play.on(#"0:init:{"name":"a"}"#)
        play.on(#"0:c:{"id":"m","o":"M","v":{},"ccid":"d1"}"#)
        play.on(text, expect: "stop")
        let lines = play.replay.misses[0].candidate?.differences.items.map(\.description) ?? []
        #expect(lines.contains(expected), "\(lines)")
    }

    @Test func `an init that differs names the closest, without its token`() {
        var play = Playbook(Script(Self.opening).replay())
        play.on(
            #"0:init:{"name":"notes","clientid":"x","api":"1.1","token":"secret","app_id":"app"}"#,
            expect: "stop")
        let miss = play.replay.misses[0]
        #expect(miss.reason == .noSuchChannel)
        #expect(miss.description.contains(#"JSON /name: recorded "note", received "notes""#))
        #expect(!miss.description.contains("secret") && !miss.description.contains("rec-token"))
    }

    @Test func `lenient passes over what does not come, and goes on after what was not recorded`() {
        let script = Script([
            #"1> 0:init:{"name":"a"}"#, "1< 0:auth:x", "1> 0:cv:1", "1< 0:c:[]", "1> 0:e:k.1",
            "1< 0:e:k.1\n?", "1< 0:index", "1> 0:e:k.2", "1< 0:e:k.2\n?",
        ])
        var play = Playbook(script.replay(.lenient))
        play.on("0:cv:1", expect: "report")
        play.on(#"0:init:{"name":"a"}"#, expect: "1< 0:auth:x")
        play.on("0:i::::5", expect: "report")
        play.on("0:e:k.2", expect: "1< 0:c:[]", "1< 0:index", "1< 0:e:k.2\n?")
        play.on("0:e:k.3", expect: "report")
        #expect(play.replay.missed == 3)
        #expect(play.replay.passedOver == 2)
        #expect(play.replay.unused(limit: 9).map(\.id.rawValue) == [3, 5])
        #expect(play.replay.misses.map(\.reason) == [.notOpened, .different, .nothingLeft])
    }

    @Test func `times are as recorded, scaled, or now`() {
        let script = Script([
            #"1> 0:init:{"name":"a"}"#, "1< 0:auth:x", "1< 0:index", "1> 0:cv:1", "1< 0:c:[]",
        ])
        func dues(_ pace: ReplayPace) -> [Int64] {
            var replay = script.replay(pace: pace)
            var output = replay.handle(
                .received(socket: 1, text: bytes(#"0:init:{"name":"a"}"#)), at: second(10))
            output += replay.handle(.received(socket: 1, text: bytes("0:cv:1")), at: second(10.5))
            return output.compactMap {
                guard case .send(let sending) = $0 else { return nil }
                return sending.due.nanoseconds / 100_000_000
            }
        }
        #expect(dues(.asFastAsPossible) == [100, 100, 105])
        #expect(dues(.times(1)) == [110, 120, 120])
        #expect(dues(.times(10)) == [101, 102, 106])
        #expect(ReplayPace.times(1e-300).due(1, after: second(1)).nanoseconds > 0)
    }

    @Test func `a server that closed does so again, when all is said`() {
        let script = Script([#"1> 0:init:{"name":"a"}"#, "1< 0:auth:x", "1> 0:cv:1", "1< 0:c:[]"])
        let end = RecordedSocket(
            id: ConnectionID(1), end: .init(code: 1012, at: second(9)))
        var play = Playbook(script.replay(sockets: [end]))
        play.on(#"0:init:{"name":"a"}"#, expect: "1< 0:auth:x")
        play.on("0:cv:1", expect: "1< 0:c:[]", "close 1 1012")
    }

    @Test func `a socket that a fault ended for its client ends without a word`() {
        let script = Script([#"1> 0:init:{"name":"a"}"#, "1< 0:auth:x", "1> 0:cv:1"])
        let broken = RecordedSocket(id: ConnectionID(1), brokenAt: second(9))
        var play = Playbook(script.replay(sockets: [broken]))
        play.on(#"0:init:{"name":"a"}"#, expect: "1< 0:auth:x")
        play.on("0:cv:1", expect: "close 1 0")
    }

    @Test func `a server that went silent stays so, and one that was cut off does not`() {
        let opening = [#"1> 0:init:{"name":"a"}"#, "1< 0:auth:x"]
        var silent = Playbook(Script(opening + ["1> h:1", "1> h:3"]).replay())
        silent.on(#"0:init:{"name":"a"}"#, expect: "1< 0:auth:x")
        for number in [1, 3, 5] { silent.on("h:\(number)") }
        var cut = Playbook(Script(opening + ["1> h:1", "1< h:2", "1> h:3"]).replay())
        cut.on(#"0:init:{"name":"a"}"#, expect: "1< 0:auth:x")
        cut.on("h:1", expect: "1< h:2")
        cut.on("h:3")
        cut.on("h:5", expect: "1< h:6")
    }

    @Test func `recorded delays are kept up to the longest`() {
        let pace = ReplayPace.recorded(maximumNanoseconds: 2_000_000_000)
        #expect(pace.due(1_000_000_000, after: second(1)) == second(2))
        #expect(pace.due(9_000_000_000, after: second(1)) == second(3))
        #expect(pace.due(-1, after: second(1)) == second(1))
    }

    @Test func `hostile text does no harm`() {
        for text in [
            "", ":", "0", "0:", "99999999999999999999:init:{}", "0:init:", "0:init:{\"name\":1}",
            "0:c:[[[", "\u{0}", "h:", "0:e:", "0:e:.", "log",
            "0:init:" + String(repeating: "[", count: 5_000),
        ] {
            var replay = Script(Self.opening + ["1> \(text)", "1< \(text)"]).replay(.lenient)
            _ = replay.handle(.received(socket: 1, text: bytes(text)), at: second(1))
            _ = replay.handle(.received(socket: 1, text: bytes(Self.live)), at: second(2))
            _ = replay.handle(.received(socket: 1, text: bytes(text)), at: second(3))
            _ = replay.handle(.closed(socket: 2), at: second(4))
            #expect(replay.matched >= 1)
        }
    }
}
