import Notation
import Serving
import Testing
import Wire

@testable import SyncServers

struct SimperiumServerTests {
    /// Conversations: what is sent, and everything that comes of it.
    struct Play {
        var server = SimperiumServer()
        var random = SplitMix64(seed: 7)
        static let token = "0123456789abcdef0123456789abcdef"

        mutating func say(_ text: String, from connection: Int = 1) -> [String] {
            server.receive(
                Array(text.utf8), from: connection, random: &random
            ).map { "\($0.connection) \($0.text)" }
        }

        /// Lets a client in on channel 0.
        mutating func join(
            _ connection: Int = 1, client: String = "c1", cmd: String? = nil
        )
            -> [String]
        {
            server.open(connection, app: "app")
            let more = cmd.map { ",\"cmd\":\"\($0)\"" } ?? ""
            return say(
                "0:init:{\"clientid\":\"\(client)\",\"api\":\"1.1\",\"token\":\"\(Self.token)\","
                    + "\"app_id\":\"app\",\"name\":\"notes\",\"library\":\"x\",\"version\":\"1\"\(more)}",
                from: connection)
        }

        /// Sends a change and gives the error, or nil where it was made.
        mutating func change(_ json: String) -> Int? {
            let replies = say("0:c:\(json)")
            let text = replies.first.map { String($0.dropFirst("1 0:c:".count)) } ?? ""
            guard case .array(let list) = try? JSONValue(parsing: text),
                case .number(let error) = list.first?["error"]
            else { return nil }
            return Int(error)
        }
    }

    @Test func `merges changes in answers to cv where that is wanted`() throws {
        var behavior = SimperiumServer.Behavior()
        behavior.mergesChanges = true
        var play = Play(server: SimperiumServer(behavior: behavior))
        _ = play.join()
        let before = try #require(
            play.say("0:i::::1").first?.firstMatch(of: /"current":"(\w+)"/)?.1)
        for (ccid, change) in [
            ("a1", #""v":{"t":{"o":"+","v":"a"}}"#),
            ("a2", #""sv":1,"v":{"t":{"o":"d","v":"=1\t+b"}}"#),
            ("a3", #""sv":2,"v":{"t":{"o":"d","v":"=2\t+c"}}"#),
        ] {
            #expect(play.change(#"{"id":"n","o":"M","ccid":"\#(ccid)",\#(change)}"#) == nil)
        }
        let answer = try #require(play.say("0:cv:\(before)").first)
        #expect(answer.contains(#""ev":3"#))
        #expect(answer.contains(#""ccids":["a1","a2","a3"]"#))
        #expect(answer.matches(of: /"id":"n"/).count == 1)
    }

    @Test func `answers every other change with an error of the server's where that is wanted`() {
        var behavior = SimperiumServer.Behavior()
        behavior.changeError = 503
        behavior.changeErrorEvery = 2
        var play = Play(server: SimperiumServer(behavior: behavior))
        _ = play.join()
        let second = #"{"id":"n","o":"M","ccid":"a2","sv":1,"v":{"t":{"o":"r","v":"b"}}}"#
        #expect(
            play.change(#"{"id":"n","o":"M","ccid":"a1","v":{"t":{"o":"+","v":"a"}}}"#) == nil)
        #expect(play.change(second) == 503)
        // The same again, which was not made before.
        #expect(play.change(second) == nil)
        #expect(play.change(second) == 503)
        #expect(play.change(second) == 409)
    }

    @Test func `lets a client in and carries out its command`() {
        var play = Play()
        let replies = play.join(cmd: "i:1:::10")
        #expect(replies.first == "1 0:auth:01234567@simperium.invalid")
        #expect(replies.count == 2)
        #expect(replies.last?.hasPrefix("1 0:i:{\"current\":\"") == true)
        #expect(replies.last?.hasSuffix("\"index\":[]}") == true)
    }

    @Test(arguments: [
        ("{\"token\":\"short\",\"name\":\"n\"}", 400), ("{\"name\":\"n\"}", 400),
        ("{\"token\":\"0123456789abcdef0123456789abcde!\",\"name\":\"n\"}", 400),
        ("{\"token\":\"0123456789abcdef0123456789abcdef\"}", 500),
        ("{\"token\":\"0123456789abcdef0123456789abcdef\",\"name\":\"a b\"}", 500),
        ("{\"token\":\"0123456789abcdef0123456789abcdef\",\"name\":\"n\",\"app_id\":\"o\"}", 500),
    ])
    func `refuses an init`(json: String, code: Int) {
        var play = Play()
        play.server.open(1, app: "app")
        let replies = play.say("3:init:\(json)")
        #expect(replies.count == 1)
        #expect(replies.first?.hasPrefix("1 3:auth:{\"msg\":\"") == true)
        #expect(replies.first?.hasSuffix("\"code\":\(code)}") == true)
        #expect(play.say("3:i::::10") == ["1 3:?"])
    }

    @Test func `tells everybody of a change, in one order`() {
        var play = Play()
        _ = play.join(1)
        _ = play.join(2, client: "c2")
        let replies = play.say(
            "0:c:{\"id\":\"k.1\",\"o\":\"M\",\"v\":{\"t\":{\"o\":\"+\",\"v\":\"abc\"}},\"ccid\":\"01\"}"
        )
        #expect(replies.count == 2)
        #expect(
            replies.first?.hasPrefix(
                "1 0:c:[{\"clientid\":\"c1\",\"id\":\"k.1\",\"o\":\"M\","
                    + "\"v\":{\"t\":{\"o\":\"+\",\"v\":\"abc\"}},\"ev\":1,\"cv\":\"") == true)
        #expect(replies.first?.hasSuffix("\"ccids\":[\"01\"]}]") == true)
        #expect(replies.last?.dropFirst() == replies.first?.dropFirst())
        play.server.close(2)
        #expect(
            play.say("0:c:{\"id\":\"k.1\",\"o\":\"-\",\"ccid\":\"02\"}").count == 1)
    }

    @Test func `keeps versions and answers for each`() {
        var play = Play()
        _ = play.join()
        #expect(play.change(#"{"id":"a.b","o":"M","v":{"t":{"o":"+","v":"x"}},"ccid":"1"}"#) == nil)
        #expect(
            play.change(#"{"id":"a.b","o":"M","sv":1,"v":{"t":{"o":"d","v":"=1\t+y"}},"ccid":"2"}"#)
                == nil)
        #expect(play.say("0:e:a.b.1") == ["1 0:e:a.b.1\n{\"data\":{\"t\":\"x\"}}"])
        #expect(play.say("0:e:a.b.2") == ["1 0:e:a.b.2\n{\"data\":{\"t\":\"xy\"}}"])
        #expect(play.say("0:e:a.b.3") == ["1 0:e:a.b.3\n?"])
        // After a removal the version goes on.
        #expect(play.change(#"{"id":"a.b","o":"-","ccid":"3"}"#) == nil)
        #expect(play.say("0:e:a.b.2") == ["1 0:e:a.b.2\n?"])
        let again = play.say(#"0:c:{"id":"a.b","o":"M","d":{"t":"z"},"ccid":"4"}"#)
        #expect(again.first?.contains("\"ev\":4") == true)
        #expect(again.first?.contains("\"sv\"") == false)
    }

    @Test(arguments: [
        (#"{"id":"a/b","o":"M","d":{},"ccid":"9"}"#, 400), (#"{"id":"a","o":"M","d":{}}"#, 400),
        (#"{"id":"a","o":"Q","d":{},"ccid":"9"}"#, 400), (#"{"id":"a","o":"M","ccid":"9"}"#, 400),
        (#"{"id":"a","o":"M","sv":1,"d":[],"ccid":"9"}"#, 400),
        (#"{"id":"gone","o":"-","ccid":"9"}"#, 404),
        (#"{"id":"gone","o":"M","sv":1,"v":{"t":{"o":"+","v":1}},"ccid":"9"}"#, 404),
        (#"{"id":"a","o":"M","v":{"t":{"o":"+","v":1}},"ccid":"9"}"#, 405),
        (#"{"id":"a","o":"M","sv":7,"v":{"t":{"o":"r","v":1}},"ccid":"9"}"#, 405),
        (#"{"id":"a","o":"M","sv":1,"v":{"t":{"o":"r","v":"w"}},"ccid":"1"}"#, 409),
        (#"{"id":"a","o":"M","sv":2,"v":{},"ccid":"9"}"#, 412),
        (#"{"id":"a","o":"M","sv":2,"v":{"n":{"o":"r","v":1.0}},"ccid":"9"}"#, 412),
        (#"{"id":"a","o":"M","d":{"t":"xy","n":1},"ccid":"9"}"#, 412),
        (#"{"id":"a","o":"M","sv":2,"v":{"t":{"o":"d","v":"=9\t+Q"}},"ccid":"9"}"#, 440),
        (#"{"id":"a","o":"M","sv":2,"v":{"t":{"o":"O","v":{}}},"ccid":"9"}"#, 440),
        (#"{"id":"a","o":"M","sv":2,"v":[],"ccid":"9"}"#, 440),
    ])
    func `refuses a change for its own reason`(json: String, code: Int) {
        var play = Play()
        _ = play.join()
        #expect(play.change(#"{"id":"a","o":"M","d":{"t":"x","n":1},"ccid":"1"}"#) == nil)
        #expect(
            play.change(#"{"id":"a","o":"M","sv":1,"v":{"t":{"o":"d","v":"=1\t+y"}},"ccid":"2"}"#)
                == nil)
        #expect(play.change(json) == code)
        #expect(play.say("0:e:a.2") == ["1 0:e:a.2\n{\"data\":{\"t\":\"xy\",\"n\":1}}"])
    }

    @Test func `refuses an object that is too large`() {
        var play = Play()
        _ = play.join()
        let text = String(repeating: "x", count: 1 << 20)
        #expect(
            play.change("{\"id\":\"a\",\"o\":\"M\",\"d\":{\"t\":\"\(text)\"},\"ccid\":\"1\"}")
                == 413)
    }

    @Test func `rebases a change of other members`() {
        var play = Play()
        _ = play.join()
        #expect(play.change(#"{"id":"a","o":"M","d":{"t":"x","n":1},"ccid":"1"}"#) == nil)
        #expect(
            play.change(#"{"id":"a","o":"M","sv":1,"v":{"t":{"o":"r","v":"y"}},"ccid":"2"}"#) == nil
        )
        let replies = play.say(
            #"0:c:{"id":"a","o":"M","sv":1,"v":{"n":{"o":"r","v":5}},"ccid":"3"}"#)
        #expect(replies.first?.contains("\"sv\":2,\"ev\":3") == true)
        #expect(play.say("0:e:a.3") == ["1 0:e:a.3\n{\"data\":{\"t\":\"y\",\"n\":5}}"])
    }

    @Test func `pages the index`() throws {
        var play = Play()
        _ = play.join()
        for number in 10..<35 {
            #expect(
                play.change(
                    "{\"id\":\"k\(number)\",\"o\":\"M\",\"d\":{\"n\":\(number)},\"ccid\":\"\(number)\"}"
                )
                    == nil)
        }
        var keys: [String] = []
        var mark = ""
        var pages = 0
        repeat {
            let reply = try #require(play.say("0:i:1:\(mark)::10").first)
            let page = try JSONValue(parsing: String(reply.dropFirst("1 0:i:".count)))
            guard case .array(let entries) = page["index"] else { break }
            keys += entries.compactMap { $0["id"]?.string }
            #expect(entries.allSatisfy { $0["d"]?["n"] != nil })
            mark = page["mark"]?.string ?? ""
            pages += 1
        } while !mark.isEmpty && pages < 10
        #expect(pages == 3)
        #expect(keys == (10..<35).map { "k\($0)" })
        #expect(play.say("0:i::nonsense::10") == ["1 0:i:?"])
    }

    @Test func `tells the changes since a change version`() throws {
        var play = Play()
        let index = try #require(play.join(cmd: "i::::1").last)
        let start = try JSONValue(parsing: String(index.dropFirst("1 0:i:".count)))
        let cv = try #require(start["current"]?.string)
        #expect(play.say("0:cv:\(cv)") == ["1 0:c:[]"])
        #expect(play.change(#"{"id":"a","o":"M","d":{"t":1},"ccid":"1"}"#) == nil)
        #expect(play.change(#"{"id":"a","o":"-","ccid":"2"}"#) == nil)
        let replies = play.say("0:cv:\(cv)")
        let list = try JSONValue(parsing: String(try #require(replies.first).dropFirst(6)))
        guard case .array(let changes) = list else { return }
        #expect(changes.count == 2)
        let middle = try #require(changes.first?["cv"]?.string)
        #expect(play.say("0:cv:\(middle)").first?.contains("\"o\":\"-\"") == true)
        #expect(play.say("0:cv:unknown") == ["1 0:cv:?"])
    }

    @Test func `merges edits of one text that were made at the same time`() {
        var play = Play()
        _ = play.join()
        #expect(play.change(#"{"id":"a","o":"M","d":{"t":"x"},"ccid":"1"}"#) == nil)
        #expect(
            play.change(
                #"{"id":"a","o":"M","sv":1,"v":{"t":{"o":"d","v":"+the \t=1"}},"ccid":"2"}"#)
                == nil)
        #expect(
            play.change(
                #"{"id":"a","o":"M","sv":1,"v":{"t":{"o":"d","v":"=1\t+ of it"}},"ccid":"3"}"#)
                == nil)
        #expect(play.say("0:e:a.3") == ["1 0:e:a.3\n{\"data\":{\"t\":\"the x of it\"}}"])
    }

    @Test func `forgets old changes and says so`() throws {
        var play = Play()
        _ = play.join()
        let index = try #require(play.say("0:i::::1").first)
        let start = try JSONValue(parsing: String(index.dropFirst("1 0:i:".count)))
        let first = try #require(start["current"]?.string)
        for number in 0..<1001 {
            #expect(
                play.change(
                    "{\"id\":\"k\",\"o\":\"M\",\"d\":{\"n\":\(number)},\"ccid\":\"\(number)\"}")
                    == nil)
        }
        #expect(play.say("0:cv:\(first)") == ["1 0:cv:?"])
        #expect(play.say("0:e:k.900") == ["1 0:e:k.900\n{\"data\":{\"n\":899}}"])
        #expect(play.say("0:e:k.901") == ["1 0:e:k.901\n?"])
    }

    @Test func `gives other change versions when it is started anew`() throws {
        var versions: Set<String> = []
        for seed in 0..<10 as Range<UInt64> {
            var play = Play()
            play.random = SplitMix64(seed: seed)
            versions.insert(try #require(play.join(cmd: "i::::1").last))
        }
        #expect(versions.count == 10)
    }

    @Test func `answers a heartbeat and what it does not understand`() {
        var play = Play()
        play.server.open(1, app: nil)
        #expect(play.say("h:0") == ["1 h:1"])
        #expect(play.say("h:9223372036854775807") == ["1 ?"])
        #expect(play.say("h:x") == ["1 ?"])
        #expect(play.say("") == ["1 ?"])
        #expect(play.say("0:i::::10") == ["1 0:?"])
        #expect(play.say("h:0", from: 99) == [])
    }

    @Test func `gives out tokens that know their user`() throws {
        var play = Play()
        let answer = try #require(
            play.server.answer(
                ServedRequest(
                    "POST", "/1/app/authorize/",
                    body: Array(#"{"username":"a@b","password":"x"}"#.utf8)), random: &play.random))
        #expect(answer.status == 200)
        let json = try JSONValue(parsing: String(decoding: answer.body, as: UTF8.self))
        let token = try #require(json["access_token"]?.string)
        #expect(json["username"]?.string == "a@b")
        play.server.open(1, app: "app")
        #expect(
            play.say("0:init:{\"token\":\"\(token)\",\"name\":\"n\",\"app_id\":\"app\"}")
                == ["1 0:auth:a@b"])
        play.server.open(2, app: "other")
        #expect(
            play.say("0:init:{\"token\":\"\(token)\",\"name\":\"n\"}", from: 2)
                == ["2 0:auth:{\"msg\":\"Token invalid\",\"code\":401}"])
    }

    @Test(arguments: [
        ("POST", "/1/app/authorize/", "{}", 400), ("POST", "/1/app/authorize/", "x", 400),
        ("GET", "/1/app/authorize/", "", 405), ("GET", "/sock/1/app/info", "", 200),
        ("GET", "/sock/1/app/websocket", "", 400),
    ])
    func `answers on its paths`(method: String, target: String, body: String, status: Int) {
        var play = Play()
        let answer = play.server.answer(
            ServedRequest(method, target, body: Array(body.utf8)), random: &play.random)
        #expect(answer?.status == status)
    }

    @Test(arguments: 0..<200 as Range<UInt64>)
    func `survives any damage to a conversation`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var play = Play()
        _ = play.join()
        let lines = [
            #"0:c:{"id":"a","o":"M","d":{"t":"x","n":1,"l":[1,2]},"ccid":"1"}"#,
            #"0:c:{"id":"a","o":"M","sv":1,"v":{"t":{"o":"d","v":"=1\t+y"}},"ccid":"2"}"#,
            #"0:c:{"id":"a","o":"M","sv":1,"v":{"l":{"o":"L","v":{"0":{"o":"-"}}}},"ccid":"3"}"#,
            "0:i:1:k61::10", "0:e:a.1", "0:cv:", "h:1", "0:index:{}", "log:{}",
        ]
        for line in lines {
            var bytes = Array(line.utf8)
            for _ in 0..<Int.random(in: 0...2, using: &random) {
                bytes[Int.random(in: bytes.indices, using: &random)] = .random(
                    in: 0x20...0x7F, using: &random)
            }
            let replies = play.say(String(decoding: bytes, as: UTF8.self))
            #expect(replies.count <= 1)
        }
    }
}
