import Notation
import Simperium
import Testing
import Wire

struct ServerChangeTests {
    @Test func `tells everybody of a change, the author too, in one order`() {
        let script = """
            join 1 c1
            join 2 c2
            > 2 5:\(ServerPlaybook.initialize("c2"))
            < 2 5:auth:\(ServerPlaybook.user)
            > 1 0:c:{"id":"a.b","o":"M","v":{"t":{"o":"+","v":"x"}},"ccid":"1"}
            <* 1 0:c:[{"clientid":"c1","id":"a.b","o":"M","v":{"t":{"o":"+","v":"x"}},"ev":1,"cv":"cv1","ccids":["1"]}]
            <* 2 0:c:[{"clientid":"c1","id":"a.b","o":"M","v":{"t":{"o":"+","v":"x"}},"ev":1,"cv":"cv1","ccids":["1"]}]
            <* 2 5:c:[{"clientid":"c1","id":"a.b","o":"M","v":{"t":{"o":"+","v":"x"}},"ev":1,"cv":"cv1","ccids":["1"]}]
            close 2
            > 1 0:c:{"id":"a.b","o":"M","sv":1,"v":{"t":{"o":"d","v":"=1\\t+y"}},"ccid":"2"}
            <* 1 0:c:[{"clientid":"c1","id":"a.b","o":"M","v":{"t":{"o":"d","v":"=1\\t+y"}},"sv":1,"ev":2,"cv":"cv2","ccids":["2"]}]
            > 1 0:e:a.b.1
            < 1 0:e:a.b.1⏎{"data":{"t":"x"}}
            > 1 0:e:a.b.2
            < 1 0:e:a.b.2⏎{"data":{"t":"xy"}}
            > 1 0:e:a.b.3
            < 1 0:e:a.b.3⏎?
            > 1 0:e:none.1
            < 1 0:e:none.1⏎?
            """
        #expect(play(script) == [])
    }

    @Test func `goes on with the version after a removal`() {
        let script = """
            join 1 c1
            > 1 0:c:{"id":"a","o":"M","v":{"t":{"o":"+","v":"x"}},"ccid":"1"}
            <* 1 0:c:[{"clientid":"c1","id":"a","o":"M","v":{"t":{"o":"+","v":"x"}},"ev":1,"cv":"cv1","ccids":["1"]}]
            > 1 0:c:{"id":"a","o":"-","ccid":"2"}
            <* 1 0:c:[{"clientid":"c1","id":"a","o":"-","sv":1,"ev":2,"cv":"cv2","ccids":["2"]}]
            > 1 0:e:a.1
            < 1 0:e:a.1⏎?
            > 1 0:c:{"id":"a","o":"M","sv":1,"v":{"t":{"o":"r","v":"y"}},"ccid":"3"}
            < 1 0:c:[{"ccids":["3"],"id":"a","clientid":"c1","error":404}]
            > 1 0:c:{"id":"a","o":"M","v":{"t":{"o":"+","v":"z"}},"ccid":"4"}
            <* 1 0:c:[{"clientid":"c1","id":"a","o":"M","v":{"t":{"o":"+","v":"z"}},"ev":3,"cv":"cv3","ccids":["4"]}]
            > 1 0:c:{"id":"a","o":"M","sv":1,"v":{"t":{"o":"r","v":"y"}},"ccid":"5"}
            < 1 0:c:[{"ccids":["5"],"id":"a","clientid":"c1","error":405}]
            """
        #expect(play(script) == [])
        let kept = script.replacing("e:a.1⏎?", with: #"e:a.1⏎{"data":{"t":"x"}}"#)
        #expect(play(kept) { $0.bucket.keepsVersionsOfRemoved = true } == [])
    }

    @Test func `rebases a change of an old version and tells it rebased`() {
        let script = """
            join 1 c1
            > 1 0:c:{"id":"a","o":"M","v":{"t":{"o":"+","v":"middle"},"n":{"o":"+","v":1}},"ccid":"1"}
            <* 1 0:c:[{"clientid":"c1","id":"a","o":"M","v":{"t":{"o":"+","v":"middle"},"n":{"o":"+","v":1}},"ev":1,"cv":"cv1","ccids":["1"]}]
            > 1 0:c:{"id":"a","o":"M","sv":1,"v":{"t":{"o":"d","v":"+the \\t=6"}},"ccid":"2"}
            <* 1 0:c:[{"clientid":"c1","id":"a","o":"M","v":{"t":{"o":"d","v":"+the \\t=6"}},"sv":1,"ev":2,"cv":"cv2","ccids":["2"]}]
            > 1 0:c:{"id":"a","o":"M","sv":1,"v":{"t":{"o":"d","v":"=6\\t+ of it"}},"ccid":"3"}
            <* 1 0:c:[{"clientid":"c1","id":"a","o":"M","v":{"t":{"o":"d","v":"=10\\t+ of it"}},"sv":2,"ev":3,"cv":"cv3","ccids":["3"]}]
            > 1 0:c:{"id":"a","o":"M","sv":1,"d":{"t":"Middle","n":1},"ccid":"4"}
            <* 1 0:c:[{"clientid":"c1","id":"a","o":"M","v":{"t":{"o":"d","v":"=4\\t-1\\t+M\\t=11"}},"sv":3,"ev":4,"cv":"cv4","ccids":["4"]}]
            > 1 0:e:a.4
            < 1 0:e:a.4⏎{"data":{"t":"the Middle of it","n":1}}
            """
        #expect(play(script) == [])
    }

    @Test(arguments: [1, 2, 1000])
    func `rebases over any number of steps`(steps: Int) {
        var book = ServerPlaybook()
        var options = BucketOptions()
        options.rebaseSteps = steps
        book.seed(ServerBucket(name: "notes", options: options, versions: ServerPlaybook.versions))
        _ = book.play("join 1 c1")
        _ = book.say(#"0:c:{"id":"a","o":"M","v":{"t":{"o":"+","v":""}},"ccid":"0"}"#)
        for number in 1...20 {
            _ = book.say(
                #"0:c:{"id":"a","o":"M","sv":\#(number),"#
                    + #""v":{"t":{"o":"d","v":"\#(number == 1 ? "" : "=\(number - 1)\\t")+x"}},"#
                    + #""ccid":"\#(number)"}"#)
        }
        let late = book.say(
            #"0:c:{"id":"a","o":"M","sv":5,"v":{"t":{"o":"d","v":"+<\t=4\t+>"}},"ccid":"z"}"#)
        #expect(late.first?.contains(#""sv":21,"ev":22"#) == true)
        let text = book.server.buckets[ServerPlaybook.notes]?.object("a")?.data["t"]?.string ?? ""
        #expect(text.hasPrefix("<xxxx"))
        #expect(text.filter { $0 == "x" }.count == 20)
        #expect(text.contains(">"))
    }

    /// What the object `a` is at before each: 1 `{"t":"x","n":1}`, 2 `{"t":"xy","n":1}`.
    @Test(arguments: [
        (#"{"id":"a/b","o":"M","d":{},"ccid":"9"}"#, 400), (#"{"o":"M","d":{},"ccid":"9"}"#, 400),
        (#"{"id":"","o":"M","d":{},"ccid":"9"}"#, 400), (#"{"id":"a","o":"M","d":{}}"#, 400),
        (#"{"id":"a","o":"M","d":{},"ccid":""}"#, 400), (#"{"id":"a","d":{},"ccid":"9"}"#, 400),
        (#"{"id":"a","o":"M","d":{},"ccids":["8","9"]}"#, 400),
        (#"{"id":"a","o":"DROP","ccid":"9"}"#, 400), (#"{"id":"a","o":"EMPTY","ccid":"9"}"#, 400),
        (#"{"id":"a","o":"M","ccid":"9"}"#, 400),
        (#"{"id":"a","o":"M","sv":1,"d":[],"ccid":"9"}"#, 400),
        (#"{"id":"gone","o":"-","ccid":"9"}"#, 404),
        (#"{"id":"gone","o":"M","sv":1,"v":{"t":{"o":"+","v":1}},"ccid":"9"}"#, 404),
        (#"{"id":"a","o":"M","v":{"t":{"o":"+","v":1}},"ccid":"9"}"#, 405),
        (#"{"id":"a","o":"M","sv":7,"v":{"t":{"o":"r","v":1}},"ccid":"9"}"#, 405),
        (#"{"id":"a","o":"M","sv":0,"v":{"t":{"o":"r","v":1}},"ccid":"9"}"#, 405),
        (#"{"id":"a","o":"M","sv":7,"d":{"t":"new"},"ccid":"9"}"#, 405),
        (#"{"id":"a","o":"-","sv":7,"ccid":"9"}"#, 405),
        (#"{"id":"a","o":"M","sv":2,"v":{"t":{"o":"r","v":"w"}},"ccid":"1"}"#, 409),
        (#"{"id":"gone","o":"-","ccid":"1"}"#, 409),
        (#"{"id":"a","o":"M","sv":2,"v":{},"ccid":"9"}"#, 412),
        (#"{"id":"a","o":"M","sv":2,"v":{"n":{"o":"r","v":1.0}},"ccid":"9"}"#, 412),
        (#"{"id":"a","o":"M","sv":1,"v":{"t":{"o":"r","v":"xy"}},"ccid":"9"}"#, 412),
        (#"{"id":"a","o":"M","d":{"n":1,"t":"xy"},"ccid":"9"}"#, 412),
        (#"{"id":"a","o":"M","sv":2,"v":{"t":{"o":"d","v":"=9\t+Q"}},"ccid":"9"}"#, 440),
        (#"{"id":"a","o":"M","sv":1,"v":{"t":{"o":"d","v":"=2\t+Q"}},"ccid":"9"}"#, 440),
        (#"{"id":"a","o":"M","sv":2,"v":{"t":{"o":"O","v":{}}},"ccid":"9"}"#, 440),
        (#"{"id":"a","o":"M","sv":2,"v":{"q":{"o":"-"}},"ccid":"9"}"#, 440),
        (#"{"id":"a","o":"M","sv":2,"v":[],"ccid":"9"}"#, 440),
        (#"{"id":"b","o":"M","v":{"t":{"o":"d","v":"+Q"}},"ccid":"9"}"#, 440),
    ])
    func `refuses a change for its own reason`(json: String, code: Int) {
        var book = ServerPlaybook()
        _ = book.play("join 1 c1\njoin 2 c2")
        _ = book.say(#"0:c:{"id":"a","o":"M","d":{"t":"x","n":1},"ccid":"1"}"#)
        _ = book.say(#"0:c:{"id":"a","o":"M","sv":1,"v":{"t":{"o":"d","v":"=1\t+y"}},"ccid":"2"}"#)
        let before = book.server
        let said = book.say("0:c:\(json)")
        #expect(said.count == 1)
        #expect(said.first?.hasPrefix("< 1 0:c:[{") == true)
        #expect(said.first?.hasSuffix(#""clientid":"c1","error":\#(code)}]"#) == true)
        #expect(book.server == before)
    }

    @Test func `takes a change for another's where only the identifier is the same`() {
        let script = """
            join 1 c1
            join 2 c2
            > 1 0:c:{"id":"a","o":"M","v":{},"ccid":"1"}
            <* 1 0:c:[{"clientid":"c1","id":"a","o":"M","v":{},"ev":1,"cv":"cv1","ccids":["1"]}]
            <* 2 0:c:[{"clientid":"c1","id":"a","o":"M","v":{},"ev":1,"cv":"cv1","ccids":["1"]}]
            > 2 0:c:{"id":"b","o":"M","v":{},"ccid":"1","clientid":"c1"}
            <* 1 0:c:[{"clientid":"c2","id":"b","o":"M","v":{},"ev":1,"cv":"cv2","ccids":["1"]}]
            <* 2 0:c:[{"clientid":"c2","id":"b","o":"M","v":{},"ev":1,"cv":"cv2","ccids":["1"]}]
            > 2 0:c:{"id":"c","o":"M","v":{},"ccid":"1"}
            < 2 0:c:[{"ccids":["1"],"id":"c","clientid":"c2","error":409}]
            """
        #expect(play(script) == [])
    }

    @Test func `takes the whole object, also for what is gone`() {
        let script = """
            join 1 c1
            > 1 0:c:{"id":"a","o":"M","sv":4,"d":{"t":"x"},"v":{"t":{"o":"d","v":"=9"}},"ccid":"1"}
            <* 1 0:c:[{"clientid":"c1","id":"a","o":"M","v":{"t":{"o":"+","v":"x"}},"ev":1,"cv":"cv1","ccids":["1"]}]
            > 1 0:c:{"id":"a","o":"M","sv":"1","d":{"t":"x","n":null},"ccid":"2"}
            <* 1 0:c:[{"clientid":"c1","id":"a","o":"M","v":{"n":{"o":"+","v":null}},"sv":1,"ev":2,"cv":"cv2","ccids":["2"]}]
            > 1 0:c:{"id":"a","o":"M","d":{"n":null},"ccid":"3"}
            <* 1 0:c:[{"clientid":"c1","id":"a","o":"M","v":{"t":{"o":"-"}},"sv":2,"ev":3,"cv":"cv3","ccids":["3"]}]
            """
        #expect(play(script) == [])
        let unknown = """
            join 1 c1
            > 1 0:c:{"id":"a","o":"M","d":{"t":1},"ccid":"1"}
            <* 1 0:c:[{"clientid":"c1","id":"a","o":"M","v":{"t":{"o":"+","v":1}},"ev":1,"cv":"cv1","ccids":["1"]}]
            > 1 0:c:{"id":"a","o":"M","sv":9,"d":{"t":2},"ccid":"2"}
            <* 1 0:c:[{"clientid":"c1","id":"a","o":"M","v":{"t":{"o":"r","v":2}},"sv":1,"ev":2,"cv":"cv2","ccids":["2"]}]
            """
        #expect(play(unknown) { $0.bucket.overwritesUnknownVersions = true } == [])
    }

    @Test func `makes several changes in their order, each with its own answer`() {
        let script = """
            join 1 c1
            > 1 0:c:[{"id":"a","o":"M","v":{},"ccid":"1"},{"id":"a","o":"M","sv":9,"v":{},"ccid":"2"},{"id":"a","o":"-","ccid":"3"}]
            <* 1 0:c:[{"clientid":"c1","id":"a","o":"M","v":{},"ev":1,"cv":"cv1","ccids":["1"]}]
            < 1 0:c:[{"ccids":["2"],"id":"a","clientid":"c1","error":405}]
            <* 1 0:c:[{"clientid":"c1","id":"a","o":"-","sv":1,"ev":2,"cv":"cv2","ccids":["3"]}]
            """
        #expect(play(script) == [])
        let two = #"{"id":"a","o":"-","ccid":"3"},{"id":"a","o":"-","ccid":"4"}"#
        #expect(play("join 1 c1\n> 1 0:c:[\(two)]\n< 1 0:?") { $0.changes = 1 } == [])
    }

    @Test func `empties a bucket`() {
        let made = """
            join 1 c1
            > 1 0:c:{"id":"notes","o":"EMPTY","ccid":"0"}
            < 1 0:c:[{"ccids":["0"],"id":"notes","clientid":"c1","error":412}]
            > 1 0:c:{"id":"a","o":"M","v":{},"ccid":"1"}
            <* 1 0:c:[{"clientid":"c1","id":"a","o":"M","v":{},"ev":1,"cv":"cv1","ccids":["1"]}]
            > 1 0:c:{"id":"b","o":"M","v":{},"ccid":"2"}
            <* 1 0:c:[{"clientid":"c1","id":"b","o":"M","v":{},"ev":1,"cv":"cv2","ccids":["2"]}]

            """
        let rest = """
            > 1 0:c:{"id":"notes","o":"EMPTY","ccid":"3"}
            <* 1 0:c:[{"clientid":"c1","id":"notes","o":"EMPTY","cv":"cv3","ccids":["3"]}]
            > 1 0:i::::10
            < 1 0:i:{"current":"cv3","index":[]}
            > 1 0:c:{"id":"a","o":"M","v":{},"ccid":"4"}
            <* 1 0:c:[{"clientid":"c1","id":"a","o":"M","v":{},"ev":3,"cv":"cv4","ccids":["4"]}]
            """
        #expect(play(made + rest) == [])
        let refused = """
            join 1 c1
            > 1 0:c:{"id":"notes","o":"EMPTY","ccid":"3"}
            < 1 0:c:[{"ccids":["3"],"id":"notes","clientid":"c1","error":400}]
            """
        #expect(play(refused) { $0.bucket.emptying = .refused } == [])
    }

    @Test func `demands a mark before a removal where it is told to`() {
        let script = """
            join 1 c1
            > 1 0:c:{"id":"a","o":"M","v":{"deleted":{"o":"+","v":false}},"ccid":"1"}
            <* 1 0:c:[{"clientid":"c1","id":"a","o":"M","v":{"deleted":{"o":"+","v":false}},"ev":1,"cv":"cv1","ccids":["1"]}]
            > 1 0:c:{"id":"a","o":"-","ccid":"2"}
            < 1 0:c:[{"ccids":["2"],"id":"a","clientid":"c1","error":400}]
            > 1 0:c:{"id":"a","o":"M","sv":1,"v":{"deleted":{"o":"r","v":true}},"ccid":"3"}
            <* 1 0:c:[{"clientid":"c1","id":"a","o":"M","v":{"deleted":{"o":"r","v":true}},"sv":1,"ev":2,"cv":"cv2","ccids":["3"]}]
            > 1 0:c:{"id":"a","o":"-","ccid":"2"}
            <* 1 0:c:[{"clientid":"c1","id":"a","o":"-","sv":2,"ev":3,"cv":"cv3","ccids":["2"]}]
            """
        #expect(play(script) { $0.bucket.removalMark = "deleted" } == [])
    }

    @Test func `writes keys with the namespace that it exposes`() {
        let script = """
            join 1 c1
            > 1 0:c:{"id":"n/a","o":"M","v":{},"ccid":"1"}
            <* 1 0:c:[{"clientid":"c1","id":"n/a","o":"M","v":{},"ev":1,"cv":"cv1","ccids":["1"]}]
            > 1 0:c:{"id":"a","o":"M","v":{},"ccid":"2"}
            < 1 0:c:[{"ccids":["2"],"id":"a","clientid":"c1","error":400}]
            > 1 0:i::::10
            < 1 0:i:{"current":"cv1","index":[{"id":"n/a","v":1}]}
            > 1 0:e:n/a.1
            < 1 0:e:n/a.1⏎{"data":{}}
            > 1 0:e:a.1
            < 1 0:e:a.1⏎?
            > 1 0:cv:cv0
            < 1 0:c:[{"clientid":"c1","id":"n/a","o":"M","v":{},"ev":1,"cv":"cv1","ccids":["1"]}]
            > 1 0:c:{"id":"notes","o":"EMPTY","ccid":"3"}
            <* 1 0:c:[{"clientid":"c1","id":"notes","o":"EMPTY","cv":"cv2","ccids":["3"]}]
            """
        #expect(
            play(script) {
                $0.channelOptions = ChannelOptions(exposesNamespace: true, namespace: "n")
            } == [])
    }

    @Test func `makes changes of its own`() {
        var book = ServerPlaybook()
        _ = book.play("join 1 c1")
        let change = SimperiumChange<JSONValue>(
            key: "a", operation: .modify, ccids: ["1"], value: .object(JSONObject()))
        let author = ChangeAuthor(clientID: "server")
        let made = book.server.make(change, by: author, in: ServerPlaybook.notes)
        #expect(
            book.show(made?.replies ?? []) == [
                #"<* 1 0:c:[{"clientid":"server","id":"a","o":"M","v":{},"ev":1,"cv":"cv1","ccids":["1"]}]"#
            ])
        let again = book.server.make(change, by: author, in: ServerPlaybook.notes)
        #expect(again?.replies == [])
        guard case .refused(_, .duplicate)? = again?.outcome else {
            Issue.record("made twice")
            return
        }
    }
}
