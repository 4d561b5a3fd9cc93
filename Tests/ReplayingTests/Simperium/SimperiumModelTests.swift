import Notation
import Replaying
import Testing
import Wire

struct SimperiumModelTests {
    private static func opening(
        _ channel: Int, _ bucket: String = "note", client: String, token: String = "rec-token"
    ) -> String {
        #"\#(channel):init:{"name":"\#(bucket)","clientid":"\#(client)","api":"1.1","#
            + #""token":"\#(token)","app_id":"app","library":"l","version":"1"}"#
    }

    private static func live(
        _ channel: Int, _ bucket: String = "note", client: String = "L"
    )
        -> String
    {
        opening(channel, bucket, client: client, token: "live-token")
    }

    /// One client that reads the index, makes an object and changes it twice.
    private static let session = [
        "1> \(opening(0, client: "R"))", "1< 0:auth:ann", "1> 0:i:1:::10",
        #"1< 0:i:{"current":"cv0","index":[{"id":"old","v":4,"d":{"a":1}},{"id":"bare","v":2,"d":{}}]}"#,
        #"1> 0:c:{"id":"rec-key-1","o":"M","v":{"n":{"o":"+","v":1}},"ccid":"r1"}"#,
        #"1< 0:c:[{"clientid":"R","id":"rec-key-1","o":"M","v":{"n":{"o":"+","v":1}},"ev":1,"cv":"cv1","ccids":["r1"]}]"#,
        #"1> 0:c:{"id":"rec-key-1","o":"M","sv":1,"v":{"n":{"o":"r","v":2}},"ccid":"r2"}"#,
        #"1< 0:c:[{"clientid":"R","id":"rec-key-1","o":"M","sv":1,"v":{"n":{"o":"r","v":2}},"ev":2,"cv":"cv2","ccids":["r2"]}]"#,
        #"1> 0:c:{"id":"old","o":"M","sv":4,"v":{"a":{"o":"r","v":9}},"ccid":"r3"}"#,
        #"1< 0:c:[{"clientid":"R","id":"old","o":"M","sv":4,"v":{"a":{"o":"r","v":9}},"ev":5,"cv":"cv3","ccids":["r3"]}]"#,
    ]

    /// Plays the session up to and with the second change, with other names.
    private static func playbook() -> Playbook {
        var play = Playbook(Script(session).replay(.model))
        play.on(live(3), expect: "1< 3:auth:ann")
        play.on(
            "3:i:1:::10",
            expect:
                #"1< 3:i:{"current":"cv0","index":[{"id":"old","v":4,"d":{"a":1}},{"id":"bare","v":2,"d":{}}]}"#
        )
        play.on(
            #"3:c:{"id":"live-key-1","o":"M","v":{"n":{"o":"+","v":1}},"ccid":"l1"}"#,
            expect:
                #"1< 3:c:[{"clientid":"L","id":"live-key-1","o":"M","v":{"n":{"o":"+","v":1}},"ev":1,"cv":"cv1","ccids":["l1"]}]"#
        )
        play.on(
            #"3:c:{"id":"live-key-1","o":"M","sv":1,"v":{"n":{"o":"r","v":2}},"ccid":"l2"}"#,
            expect:
                #"1< 3:c:[{"clientid":"L","id":"live-key-1","o":"M","sv":1,"v":{"n":{"o":"r","v":2}},"ev":2,"cv":"cv2","ccids":["l2"]}]"#
        )
        return play
    }

    @Test func `the model has what the recorded server took without telling anybody`() {
        func change(_ ccid: String) -> String {
            ##"0:c:{"id":"old","o":"M","sv":4,"v":{"a":{"o":"r","v":9}},"ccid":"\##(ccid)"}"##
        }
        let page = #"0:i:{"current":"cv0","index":[{"id":"old","v":4,"d":{"a":1}}]}"#
        let session = [
            "1> \(Self.opening(0, client: "R"))", "1< 0:auth:ann", "1> 0:i:1:::10", "1< \(page)",
            "1> \(change("r1"))", "2> \(Self.opening(0, client: "R"))", "2< 0:auth:ann",
            "2> \(change("r1"))", #"2< 0:c:[{"id":"old","ccids":["r1"],"error":409}]"#,
        ]
        var play = Playbook(Script(session).replay(.model))
        play.on(Self.live(0), expect: "1< 0:auth:ann")
        play.on("0:i:1:::10", expect: "1< \(page)")
        play.on(change("l1"))
        play.now = 200
        _ = play.replay.handle(.closed(socket: 1), at: second(play.now))
        play.on(Self.live(0), socket: 2, expect: "2< 0:auth:ann")
        // The recorded client sent it again instead.
        let asked = SimperiumReplayEvent.received(socket: 2, text: bytes("0:cv:cv0"))
        let output = play.replay.handle(asked, at: second(300)).map(Playbook.line)
        #expect(output.first == "model note")
        #expect(output.last?.contains(#""ev":5"#) == true)
        #expect(output.last?.contains(#""ccids":["l1"]"#) == true)
    }

    @Test func `the model goes on from where the recording was`() {
        var play = Self.playbook()
        // The change version of a known point, and one of the future.
        play.on(
            "3:cv:cv1", expect: "model note",
            #"1< 3:c:[{"clientid":"L","id":"live-key-1","o":"M","v":{"n":{"o":"r","v":2}},"sv":1,"ev":2,"cv":"cv2","ccids":["l2"]}]"#
        )
        play.on("3:cv:cv2", expect: "1< 3:c:[]")
        play.on("3:cv:cv3", expect: "1< 3:cv:?")
        // Versions of objects, old ones too.
        play.on("3:e:live-key-1.1", expect: "1< 3:e:live-key-1.1\n{\"data\":{\"n\":1}}")
        play.on("3:e:live-key-1.2", expect: "1< 3:e:live-key-1.2\n{\"data\":{\"n\":2}}")
        play.on("3:e:old.4", expect: "1< 3:e:old.4\n{\"data\":{\"a\":1}}")
        play.on("3:e:old.5", expect: "1< 3:e:old.5\n?")
        play.on(
            "3:i::::10",
            expect:
                #"1< 3:i:{"current":"cv2","index":[{"id":"old","v":4},{"id":"bare","v":2},{"id":"live-key-1","v":2}]}"#
        )
        // A change that came before is known again.
        play.on(
            #"3:c:{"id":"live-key-1","o":"M","sv":1,"v":{"n":{"o":"r","v":2}},"ccid":"l2"}"#,
            expect: #"1< 3:c:[{"ccids":["l2"],"id":"live-key-1","clientid":"L","error":409}]"#)
        // Heartbeats and logs stay with the replay.
        play.on("h:4", expect: "1< h:5")
        play.on(#"log:{"log":"x"}"#)
        #expect(play.replay.missed == 0)
        #expect(play.replay.matched == 4)
        #expect(play.replay.relinquished == 1)
        #expect(play.replay.unused == 0)
        #expect(play.replay.unused(limit: 9).isEmpty)
        #expect(play.replay.modelled == 9)
        #expect(play.replay.handOvers.map(\.bucket) == ["note"])
        #expect(play.replay.handOvers.map(\.user) == ["ann"])
        #expect(
            play.replay.handOvers[0].description.contains("bucket note of ann")
                && play.replay.handOvers[0].description.contains("the recording continues"))
    }

    @Test func `what others open on the bucket is the model's as well`() {
        var play = Self.playbook()
        _ = play.replay.handle(
            .received(socket: 1, text: bytes("3:e:old.1")), at: second(200))
        play.now = 200
        play.on(Self.live(0, client: "M"), socket: 2, expect: "2< 0:auth:ann")
        play.on("0:cv:cv2", socket: 2, expect: "2< 0:c:[]")
        let output = play.replay.handle(
            .received(
                socket: 2,
                text: bytes(
                    #"0:c:{"id":"old","o":"M","sv":4,"v":{"a":{"o":"r","v":3}},"ccid":"m1"}"#)),
            at: second(300)
        ).map(Playbook.line)
        #expect(output.count == 2)
        for (text, place) in zip(output, ["1< 3:c:[{", "2< 0:c:[{"]) {
            #expect(text.hasPrefix(place))
            #expect(text.contains("\"ev\":5") && text.contains("\"ccids\":[\"m1\"]"))
        }
        // Whoever is gone hears nothing.
        _ = play.replay.handle(.closed(socket: 1), at: second(301))
        let rest = play.replay.handle(
            .received(socket: 2, text: bytes(#"0:c:{"id":"old","o":"-","sv":5,"ccid":"m2"}"#)),
            at: second(302))
        #expect(rest.map(Playbook.line).count == 1)
    }

    @Test func `other buckets go on as recorded`() {
        var script = Script(Self.session)
        script.add("1> \(Self.opening(1, "tag", client: "R"))")
        script.add("1< 1:auth:ann")
        script.add("1> 1:cv:t")
        script.add("1< 1:c:[]")
        var play = Playbook(script.replay(.model))
        play.on(Self.live(0), expect: "1< 0:auth:ann")
        play.on("0:cv:cv0", expect: "model note", "1< 0:c:[]")
        play.on(Self.live(1, "tag"), expect: "1< 1:auth:ann")
        play.on("1:cv:t", expect: "1< 1:c:[]")
        #expect(play.replay.matched == 3)
        #expect(play.replay.unused == 0)
        // Nobody recorded this one: it is empty.
        play.on(Self.live(2, "none"), expect: "model none", "1< 2:auth:ann")
        let page = play.replay.handle(
            .received(socket: 1, text: bytes("2:i::::")), at: second(500))
        #expect(page.map(Playbook.line).first?.contains("\"index\":[]") == true)
        // The channel may go from one to the other.
        play.on(Self.live(0, "note"), expect: "1< 0:auth:ann")
        play.on("9:cv:1", expect: "1< 9:?")
    }

    @Test func `objects that the recording shows later were there already`() {
        var play = Playbook(
            Script([
                "1> \(Self.opening(0, client: "R"))", "1< 0:auth:ann", "1> 0:cv:cv7",
                "1< 0:c:[]", "1> 0:e:seen.3", "1< 0:e:seen.3\n{\"data\":{\"a\":3}}",
                #"1> 0:c:{"id":"known","o":"M","sv":6,"v":{"b":{"o":"+","v":1}},"ccid":"r1"}"#,
                #"1< 0:c:[{"clientid":"R","id":"known","o":"M","sv":6,"v":{"b":{"o":"+","v":1}},"ev":7,"cv":"cv8","ccids":["r1"]}]"#,
                #"1> 0:c:{"id":"made","o":"M","v":{},"ccid":"r2"}"#,
                #"1< 0:c:[{"clientid":"R","id":"made","o":"M","v":{},"ev":1,"cv":"cv9","ccids":["r2"]}]"#,
                "1> 0:i::::100",
                #"1< 0:i:{"current":"cv9","index":[{"id":"seen","v":3},{"id":"known","v":7},{"id":"made","v":1},{"id":"listed","v":5}]}"#,
                "1> 0:e:known.6", "1< 0:e:known.6\n{\"data\":{\"k\":6}}",
            ]).replay(.model))
        play.on(Self.live(0), expect: "1< 0:auth:ann")
        play.on("0:cv:cv7", expect: "1< 0:c:[]")
        play.on(
            "0:i:1:::100", expect: "model note",
            #"1< 0:i:{"current":"cv7","index":[{"id":"seen","v":3,"d":{"a":3}},{"id":"known","v":6,"d":{"k":6}},{"id":"listed","v":5,"d":{}}]}"#
        )
        play.on("0:cv:cv7", expect: "1< 0:c:[]")
    }

    @Test func `what was asked and not answered is answered by the model`() {
        // The recorded client asked for two things before the first answer came.
        var play = Playbook(
            Script([
                "1> \(Self.opening(0, client: "R"))", "1< 0:auth:ann", "1> 0:i::::10",
                "1> 0:cv:cv0", #"1< 0:i:{"current":"cv0","index":[{"id":"a","v":1}]}"#,
                "1< 0:c:[]",
            ]).replay(.model))
        play.on(Self.live(0), expect: "1< 0:auth:ann")
        play.on("0:i::::10")
        play.on(
            "0:e:a.1", expect: "model note",
            #"1< 0:i:{"current":"cv0","index":[{"id":"a","v":1}]}"#,
            "1< 0:e:a.1\n{\"data\":{}}")
    }

    @Test func `a change that was made and not told yet is told`() {
        // The second client makes a change, of which the first hears after its own next command.
        let change =
            #"c:[{"clientid":"B","id":"k","o":"M","v":{},"ev":1,"cv":"cv1","ccids":["b1"]}]"#
        let rewritten =
            #"c:[{"clientid":"B2","id":"k2","o":"M","v":{},"ev":1,"cv":"cv1","ccids":["c1"]}]"#
        let sorted =
            #"c:[{"ccids":["c1"],"clientid":"B2","cv":"cv1","ev":1,"id":"k2","o":"M","v":{}}]"#
        var play = Playbook(
            Script([
                "1> \(Self.opening(0, client: "A"))", "1< 0:auth:ann", "1> 0:cv:cv0", "1< 0:c:[]",
                "2> \(Self.opening(0, client: "B"))", "2< 0:auth:ann", "2> 0:cv:cv0", "2< 0:c:[]",
                #"2> 0:c:{"id":"k","o":"M","v":{},"ccid":"b1"}"#, "2< 0:\(change)",
                "1> 0:cv:cv0", "1< 0:\(change)",
            ]).replay(.model))
        play.on(Self.live(0, client: "A2"), socket: 1, expect: "1< 0:auth:ann")
        play.on("0:cv:cv0", socket: 1, expect: "1< 0:c:[]")
        play.on(Self.live(0, client: "B2"), socket: 2, expect: "2< 0:auth:ann")
        play.on("0:cv:cv0", socket: 2, expect: "2< 0:c:[]")
        play.on(
            #"0:c:{"id":"k2","o":"M","v":{},"ccid":"c1"}"#, socket: 2,
            expect: "2< 0:\(rewritten)")
        let output = play.replay.handle(
            .received(socket: 2, text: bytes("0:e:k2.1")), at: second(900)
        ).map(Playbook.line)
        #expect(output.count == 3)
        #expect(output.first == "model note")
        #expect(output.last == "2< 0:e:k2.1\n{\"data\":{}}")
        let reported = output[1].dropFirst("1< 0:c:".count)
        let expected = sorted.dropFirst("c:".count)
        #expect(
            (try? JSONValue(parsing: String(reported)))?.isSame(
                as: (try? JSONValue(parsing: String(expected))) ?? .null) == true)
    }

    @Test func `pages of the recording are gone on with`() {
        var play = Playbook(
            Script([
                "1> \(Self.opening(0, client: "R"))", "1< 0:auth:ann", "1> 0:i:::2",
                #"1< 0:i:{"current":"cv0","mark":"here","index":[{"id":"a","v":1},{"id":"b","v":1}]}"#,
                "1> 0:i::here::2",
                #"1< 0:i:{"current":"cv0","index":[{"id":"c","v":1},{"id":"d","v":1}]}"#,
            ]).replay(.model))
        play.on(Self.live(0), expect: "1< 0:auth:ann")
        play.on(
            "0:i:::2",
            expect:
                #"1< 0:i:{"current":"cv0","mark":"here","index":[{"id":"a","v":1},{"id":"b","v":1}]}"#
        )
        play.on(
            "0:i::here::7", expect: "model note",
            #"1< 0:i:{"current":"cv0","index":[{"id":"c","v":1},{"id":"d","v":1}]}"#)
        play.on("0:i::there::7", expect: "1< 0:i:?")
    }

    @Test func `users are told apart`() {
        var play = Playbook(
            Script([
                "1> \(Self.opening(0, client: "A", token: "ta"))", "1< 0:auth:ann",
                "1> 0:i::::9", #"1< 0:i:{"current":"x","index":[{"id":"ann's","v":1}]}"#,
                "2> \(Self.opening(0, client: "B", token: "tb"))", "2< 0:auth:bob",
                "2> 0:i::::9", #"2< 0:i:{"current":"y","index":[{"id":"bob's","v":1}]}"#,
            ]).replay(.model))
        play.replay.introduce(token: "new", user: "cyd")
        play.on(
            Self.opening(0, client: "N", token: "new"), socket: 1, expect: "1< 0:auth:ann")
        play.on(
            Self.opening(1, client: "N", token: "tb"), socket: 1, expect: "model note",
            "1< 1:auth:bob")
        let page = #"1:i:{"current":"y","index":[{"id":"bob's","v":1}]}"#
        play.on("1:i::::5", socket: 1, expect: "1< \(page)")
        play.on("0:i::::9", expect: #"1< 0:i:{"current":"x","index":[{"id":"ann's","v":1}]}"#)
    }
}
