import Simperium
import Testing

struct ServerOpeningTests {
    static let hello = ServerPlaybook.initialize("c1")
    static let user = ServerPlaybook.user

    @Test func `lets a client in`() {
        #expect(
            play(
                """
                open 1 app
                > 1 0:\(Self.hello)
                < 1 0:auth:\(Self.user)
                > 1 7:\(Self.hello)
                < 1 7:auth:\(Self.user)
                """) == [])
    }

    @Test(arguments: [
        ("i::::10", #"i:{"current":"cv0","index":[]}"#), ("cv:cv0", "c:[]"), ("cv:x", "cv:?"),
        ("e:a.1", "e:a.1⏎?"), ("nonsense", "?"), ("init:{}", "?"), ("", "?"),
    ])
    func `carries a command out as if it came after the auth`(cmd: String, reply: String) {
        let hello = ServerPlaybook.initialize("c1", cmd: cmd)
        let script = """
            open 1 app
            > 1 3:\(hello)
            < 1 3:auth:\(Self.user)
            < 1 3:\(reply)
            """
        #expect(play(script) == [])
    }

    @Test func `says auth, options and the result of the command in this order`() {
        let script = """
            open 1 app
            > 1 0:\(ServerPlaybook.initialize("c1", cmd: "cv:cv0"))
            < 1 0:auth:\(Self.user)
            < 1 0:o:{"expose_namespace":false,"namespace":"n"}
            < 1 0:c:[]
            """
        #expect(
            play(script) {
                $0.channelOptions = ChannelOptions(exposesNamespace: false, namespace: "n")
            } == [])
    }

    @Test(arguments: [
        (#"{"name":"n","api":"1.1","app_id":"app"}"#, 400, "Token malformed"),
        (#"{"name":"n","api":"1.1","app_id":"app","token":"short"}"#, 400, "Token malformed"),
        (
            #"{"name":"n","api":"1.1","app_id":"app","token":"0123456789abcdef0123456789abcde!"}"#,
            400, "Token malformed"
        ),
        (
            #"{"api":"1.1","app_id":"app","token":"0123456789abcdef0123456789abcdef"}"#, 500,
            "Bucket name is not valid"
        ),
        (
            #"{"name":"a b","api":"1.1","token":"0123456789abcdef0123456789abcdef"}"#, 500,
            "Bucket name is not valid"
        ),
        (
            #"{"name":"n","api":"1.1","app_id":"o","token":"0123456789abcdef0123456789abcdef"}"#,
            500, "app_id is not that of the socket"
        ),
    ])
    func `refuses an init, after which the channel is dead`(json: String, code: Int, text: String) {
        let script = """
            open 1 app
            > 1 3:init:\(json)
            < 1 3:auth:{"msg":"\(text)","code":\(code)}
            > 1 3:i::::10
            < 1 3:?
            > 1 3:\(Self.hello)
            < 1 3:auth:\(Self.user)
            > 1 3:init:\(json)
            < 1 3:auth:{"msg":"\(text)","code":\(code)}
            > 1 3:cv:cv0
            < 1 3:?
            """
        #expect(play(script) == [])
    }

    @Test func `needs an application, of the path or of the init`() {
        let none = #"init:{"name":"n","api":"1.1","token":"\#(ServerPlaybook.token)"}"#
        let script = """
            open 1 -
            > 1 0:\(none)
            < 1 0:auth:{"msg":"app_id is missing or not valid","code":500}
            > 1 0:\(Self.hello)
            < 1 0:auth:\(Self.user)
            open 2 APP
            > 2 0:\(Self.hello)
            < 2 0:auth:\(Self.user)
            """
        #expect(play(script) == [])
    }

    @Test func `lets in whom the decision lets in`() {
        var book = ServerPlaybook()
        book.admit = { request in
            request.clientID == "bad"
                ? .invalidToken
                : .admitted(user: "a@b", account: ServerPlaybook.token, mayWrite: false)
        }
        let script = """
            open 1 app
            > 1 0:\(ServerPlaybook.initialize("bad"))
            < 1 0:auth:{"msg":"Token invalid","code":401}
            > 1 0:\(ServerPlaybook.initialize("good"))
            < 1 0:auth:a@b
            > 1 0:c:{"id":"k","o":"M","v":{},"ccid":"1"}
            < 1 0:c:[{"ccids":["1"],"id":"k","clientid":"good","error":401}]
            > 1 0:i::::10
            < 1 0:i:{"current":"cv0","index":[]}
            """
        #expect(book.play(script) == [])
    }

    @Test(arguments: [
        (#""api":"1""#, true), (#""api":1"#, true), (#""api":1.0"#, true), (#""x":1"#, true),
        (#""api":"1.1""#, false), (#""api":1.1"#, false), (#""api":"2""#, false),
    ])
    func `says to old clients first that they expired`(api: String, isOld: Bool) {
        let script = """
            open 1 app
            > 1 0:init:{"name":"n",\(api),"token":"short"}
            \(isOld ? "< 1 0:auth:expired\n" : "")< 1 0:auth:{"msg":"Token malformed","code":400}
            """
        #expect(play(script) == [])
        let never = script.replacing("< 1 0:auth:expired\n", with: "")
        #expect(play(never) { $0.legacyRefusal = .never } == [])
    }

    @Test(arguments: [
        (#""api":"1.1","library":"x","version":"0.0.1""#, false),
        (#""api":"1.1","library":"x","version":1"#, false),
        (#""api":"1.1","library":"x","version":0"#, true), (#""api":"1.1","library":"x""#, true),
        (#""api":"1.1","version":"1""#, true), (#""api":"1","library":"x","version":"1""#, true),
        (#""library":"x","version":"1""#, true),
    ])
    func `answers old clients with the old reply`(fields: String, isOld: Bool) {
        let hello =
            #"init:{"name":"notes","app_id":"app","token":"\#(ServerPlaybook.token)",\#(fields)}"#
        func script(_ reply: String) -> String {
            """
            open 1 app
            > 1 0:\(hello)
            < 1 0:auth:\(Self.user)
            > 1 0:cv:gone
            < 1 0:\(reply):?
            """
        }
        #expect(play(script(isOld ? "c" : "cv")) == [])
        #expect(play(script("cv")) { $0.legacyChangeVersion = .never } == [])
        #expect(play(script("c")) { $0.legacyChangeVersion = .always } == [])
    }

    @Test func `counts heartbeats on and answers what it does not understand`() {
        let script = """
            open 1 app
            > 1 h:0
            < 1 h:1
            > 1 h:9223372036854775807
            < 1 ?
            > 1 h:x
            < 1 ?
            > 1 \u{20}
            < 1 ?
            > 1 0:i::::10
            < 1 0:?
            > 1 0:\(Self.hello)
            < 1 0:auth:\(Self.user)
            > 1 0:nonsense:1
            < 1 0:?
            > 1 0:c:{
            < 1 0:?
            > 1 0:c:[]
            < 1 0:?
            > 1 0:e:nodot
            < 1 0:?
            > 1 0:h:1
            < 1 0:?
            > 1 log:{"log":"x"}
            > 1 0:index:{"current":"cv0","index":[],"pending":[]}
            > 1 0:?
            > 1 ?
            > 99 h:0
            """
        #expect(play(script) == [])
        #expect(
            play("open 1 app\n> 1 0:i::::10\n< 1 ?") { $0.answersWithoutChannel = true } == [])
    }

    @Test func `asks for state and logs when told to`() {
        var book = ServerPlaybook()
        #expect(book.play("join 1 c1\njoin 2 c2") == [])
        #expect(
            book.show([book.server.askForState(of: ServerPlaybook.notes)])
                == ["<* 1 0:index", "<* 2 0:index"])
        #expect(book.show([book.server.askForState(SocketID(2), channel: 0)]) == ["< 2 0:index"])
        #expect(book.show([book.server.askForLog(SocketID(1), level: 2)]) == ["< 1 log:2"])
    }

    @Test func `bounds channels and buckets`() {
        let full = #"auth:{"msg":"Bucket limit reached","code":500}"#
        let other = Self.hello.replacing("\"notes\"", with: "\"other\"")
        let script = """
            open 1 app
            > 1 0:\(Self.hello)
            < 1 0:auth:\(Self.user)
            > 1 0:\(Self.hello)
            < 1 0:auth:\(Self.user)
            > 1 1:\(Self.hello)
            < 1 1:\(full)
            """
        #expect(play(script) { $0.channels = 1 } == [])
        #expect(play("open 1 app\n> 1 0:\(other)\n< 1 0:\(full)") { $0.buckets = 1 } == [])
    }
}
