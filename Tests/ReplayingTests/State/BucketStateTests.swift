import Notation
import Replaying
import Simperium
import Testing
import Wire

@Suite struct BucketStateTests {
    @Test func `holds what an index and changes say`() {
        var talk = Talk()
        talk.join("c1", index: #"{"current":"cv1","index":[{"id":"k","v":3,"d":{"a":0}}]}"#)
        #expect(talk.version("k") == 3 && talk.version("k", "c1") == 3)
        #expect(talk.bucket?.cv == "cv1" && talk.bucket?.client("c1")?.cv == "cv1")
        #expect(talk.bucket?.isComplete == true)
        talk.client(change("k", "x", sv: 3, sets(4)))
        #expect(talk.outcomes("k", "c1") == [.unanswered])
        #expect(talk.json("k", "c1") == #"{"a":4}"# && talk.json("k") == #"{"a":0}"#)
        #expect(talk.disagreements == ["c1 k unacknowledged"])
        talk.server(echo("k", "x", sv: 3, ev: 4, cv: "cv2", sets(4)))
        #expect(talk.outcomes("k", "c1") == [] && talk.disagreements == [])
        #expect(talk.version("k", "c1") == 4 && talk.json("k") == #"{"a":4}"#)
        #expect(talk.bucket?.cv == "cv2" && talk.bucket?.client("c1")?.cv == "cv2")
        talk.server(#"0:c:[{"id":"k","o":"-","ccids":["y"],"ev":5,"cv":"cv3"}]"#)
        #expect(talk.version("k") == nil && talk.version("k", "c1") == nil)
    }

    @Test func `tells clients and users apart`() {
        var talk = Talk()
        talk.join("c1")
        talk.join("c2", on: 2)
        talk.client(change("k", "x", creates))
        talk.server(echo("k", "x", ev: 1, cv: "cv1", creates))
        #expect(talk.disagreements == ["c2 k missing-on-client"])
        talk.server(echo("k", "x", ev: 1, cv: "cv1", creates), on: 2)
        #expect(talk.disagreements == [])
        talk.client(
            #"1:init:{"clientid":"c1","app_id":"app","name":"notes","token":"other"}"#, on: 3)
        talk.server("1:auth:bob", on: 3)
        talk.client("1:i:1:::10", on: 3)
        talk.server(#"1:i:{"current":"z","index":[]}"#, on: 3)
        #expect(talk.state.buckets.map(\.user) == ["ada", "bob"])
        #expect(talk.version("k", "c1") == 1)
    }

    @Test func `what comes in one piece with auth is of the same bucket`() {
        var talk = Talk()
        talk.client(
            #"0:init:{"clientid":"c1","app_id":"app","name":"notes","token":"t","cmd":"i:1:::9"}"#)
        let page = #"0:i:{"current":"cv1","index":[{"id":"k","v":3,"d":{"a":0}}]}"#
        for text in ["0:auth:ada", page] { talk.server(text, .made) }
        for text in ["0:auth:ada", page] { talk.server(text, .lost) }
        #expect(talk.state.buckets.filter { $0.user != nil }.map(\.user) == ["ada"])
        let bucket = talk.state.buckets.first { $0.user != nil }
        #expect(bucket?.object("k")?.version == 3)
        #expect(bucket?.client("c1")?.object("k")?.version == 3)
        #expect(bucket.map { $0.disagreements(with: $0.clients[0]).count } == 0)
    }

    @Test func `keeps a client over connections`() {
        var talk = Talk()
        talk.join("c1", index: #"{"current":"cv1","index":[{"id":"k","v":1,"d":{"a":0}}]}"#)
        talk.state.socketEnded(ConnectionID(1), at: .zero)
        #expect(talk.bucket?.client("c1")?.isConnected == false)
        talk.join("c1", on: 2, index: nil)
        talk.client("0:cv:cv1", on: 2)
        talk.server(echo("k", "y", sv: 1, ev: 2, cv: "cv2", sets(5)), on: 2)
        #expect(talk.version("k", "c1") == 2 && talk.json("k", "c1") == #"{"a":5}"#)
        #expect(talk.bucket?.clients.count == 1 && talk.bucket?.client("c1")?.isConnected == true)
    }

    @Test func `names a change that was lost, until the object comes`() {
        var talk = Talk()
        talk.join("c1", index: #"{"current":"cv1","index":[{"id":"k","v":1,"d":{"a":0}}]}"#)
        talk.server(echo("k", "y", sv: 1, ev: 2, cv: "cv2", sets(5)), .lost)
        #expect(talk.disagreements == ["c1 k version"])
        #expect(talk.bucket?.client("c1")?.missed[ExactText("k")]?.reason == .lost)
        // The next one does not fit, for the same reason.
        talk.server(echo("k", "z", sv: 2, ev: 3, cv: "cv3", sets(6)))
        #expect(talk.version("k", "c1") == 1 && talk.version("k") == 3)
        #expect(talk.bucket?.client("c1")?.missed[ExactText("k")]?.reason == .lost)
        talk.client("0:e:k.3")
        talk.server("0:e:k.3\n{\"data\":{\"a\":6}}")
        #expect(talk.disagreements == [])
        #expect(talk.bucket?.client("c1")?.missed.isEmpty == true)
    }

    @Test func `tells the outcomes of changes apart`() {
        var talk = Talk()
        talk.join("c1")
        talk.client(change("lost", "1", creates), .lost)
        talk.client(change("taken", "2", creates))
        talk.server(echo("taken", "2", ev: 1, cv: "cv1", creates), .lost)
        talk.client(change("refused", "3", creates))
        talk.server(#"0:c:[{"id":"refused","ccids":["3"],"error":440}]"#)
        talk.client(change("unheard", "4", creates))
        talk.server(#"0:c:[{"id":"unheard","ccids":["4"],"error":"503"}]"#, .lost)
        talk.client(change("known", "5", creates))
        talk.server(#"0:c:[{"id":"known","ccids":["5"],"error":409}]"#)
        talk.client(change("same", "6", creates))
        talk.server(#"0:c:[{"id":"same","ccids":["6"],"error":412}]"#)
        talk.client(change("open", "7", creates))
        #expect(talk.outcomes("lost", "c1") == [.lost])
        #expect(talk.outcomes("taken", "c1") == [.accepted(version: 1)])
        #expect(talk.outcomes("refused", "c1") == [.refused(code: 440)])
        #expect(talk.outcomes("unheard", "c1") == [.refusedUnseen(code: 503)])
        #expect(talk.outcomes("known", "c1") == [.duplicate])
        #expect(talk.outcomes("same", "c1") == [])
        #expect(talk.outcomes("open", "c1") == [.unanswered])
        // Sent anew, and taken.
        talk.client(change("lost", "1", creates))
        #expect(talk.outcomes("lost", "c1") == [.unanswered])
        talk.server(echo("lost", "1", ev: 1, cv: "cv2", creates))
        #expect(talk.outcomes("lost", "c1") == [] && talk.version("lost", "c1") == 1)
    }

    @Test func `lets each side have what it had`() {
        var talk = Talk()
        talk.join("c1", index: #"{"current":"cv1","index":[{"id":"k","v":1,"d":{"a":0}}]}"#)
        talk.server(
            echo("k", "y", sv: 1, ev: 2, cv: "cv2", sets(5)),
            .altered(echo("k", "y", sv: 1, ev: 2, cv: "cv2", sets(6))))
        #expect(talk.json("k") == #"{"a":5}"# && talk.json("k", "c1") == #"{"a":6}"#)
        #expect(talk.disagreements == ["c1 k data"])
        talk.server(echo("k", "w", sv: 2, ev: 3, cv: "cv3", sets(7)), .made)
        #expect(talk.version("k") == 2 && talk.version("k", "c1") == 3)
        // Held back, and let go later.
        talk.client(change("new", "n", creates), .lost)
        #expect(talk.outcomes("new", "c1") == [.lost])
        talk.client(change("new", "n", creates), .made)
        #expect(talk.outcomes("new", "c1") == [.unanswered])
    }

    @Test func `believes what was told to another client first, once`() {
        var talk = Talk()
        talk.join("c1")
        talk.join("c2", on: 2)
        for (version, socket) in [(1, 1), (2, 1), (1, 2), (2, 2)] as [(Int64, Int64)] {
            talk.server(
                echo(
                    "k", "x\(version)", sv: version == 1 ? nil : 1, ev: version, cv: "cv\(version)",
                    version == 1 ? creates : sets(2)), on: socket)
            #expect(talk.version("k") == (socket == 1 ? version : 2))
        }
        #expect(talk.bucket?.cv == "cv2" && talk.disagreements == [])
    }

    @Test func `what a client catches up with is not the newest`() {
        var talk = Talk()
        talk.join("c1", index: #"{"current":"cv3","index":[{"id":"k","v":3,"d":{"a":3}}]}"#)
        talk.join("c2", on: 2, index: nil)
        talk.client("0:cv:cv1", on: 2)
        talk.server(
            #"""
            0:c:[{"id":"k","o":"M","ccids":["x"],"sv":1,"ev":2,"cv":"cv2","v":\#(sets(2))},
            {"id":"k","o":"M","ccids":["y"],"sv":2,"ev":3,"cv":"cv3","v":\#(sets(3))}]
            """#, on: 2)
        #expect(talk.bucket?.cv == "cv3" && talk.version("k") == 3)
        #expect(talk.bucket?.client("c2")?.cv == "cv3")
    }

    @Test func `an index to its end takes away what it does not list`() {
        var talk = Talk()
        talk.join(
            "c1",
            index: #"{"current":"1","index":[{"id":"a","v":1,"d":{}},{"id":"b","v":1,"d":{}}]}"#)
        talk.client("0:i:1:::1")
        talk.server(#"0:i:{"current":"2","index":[{"id":"b","v":1,"d":{}}],"mark":"m"}"#)
        #expect(talk.version("a") == 1)
        talk.server(echo("late", "x", ev: 1, cv: "3", creates))
        talk.client("0:i:1:m::1")
        talk.server(#"0:i:{"current":"2","index":[{"id":"c","v":1,"d":{}}]}"#)
        #expect(talk.version("a") == nil && talk.version("a", "c1") == nil)
        #expect(talk.version("b") == 1 && talk.version("c", "c1") == 1)
        #expect(talk.version("late") == 1 && talk.version("late", "c1") == 1)
    }

    @Test func `an emptied bucket is all there is, for whoever hears of it`() {
        var talk = Talk()
        talk.join("c1", index: nil)
        talk.join("c2", on: 2, index: nil)
        talk.server(#"0:c:[{"id":"notes","o":"EMPTY","ccids":["x"],"cv":"1"}]"#)
        talk.server(echo("k", "y", ev: 1, cv: "2", creates), .lost)
        talk.client("0:cv:1", on: 2)
        #expect(talk.bucket?.isComplete == true)
        #expect(talk.bucket?.clients.map(\.isComplete) == [true, false])
    }

    @Test func `what is not known is no disagreement`() {
        var talk = Talk()
        talk.join("c1", index: nil)
        talk.client("0:cv:old")
        talk.server(echo("k", "x", sv: 6, ev: 7, cv: "new", sets(1)))
        #expect(talk.version("k") == 7 && talk.json("k") == nil)
        talk.join("c2", on: 2, index: nil)
        #expect(talk.disagreements == ["c1 k missing-on-client"])
        // A client that tells its state is believed.
        talk.client(#"0:index:{"current":"new","index":[{"id":"k","v":7}],"pending":[]}"#)
        #expect(talk.version("k", "c1") == 7 && talk.disagreements == [])
    }

    @Test func `survives what makes no sense`() {
        var talk = Talk()
        for line in [
            "", "0:c:[]", "0:c:{}", "0:c:[{}]", "9:i:{}", "0:init:{}", "0:init:", "h:1", "0:auth:x",
            "0:i:{\"index\":[{}]}", "0:e:k.1\n?", "0:c:[{\"o\":\"EMPTY\"}]", "0:index",
        ] {
            talk.client(line)
            talk.server(line)
            talk.server(line, .made)
            talk.client(line, .lost)
        }
        #expect(talk.state.unassigned > 0)
    }
}
