import Simperium
import Testing
import Wire

struct SessionCommandTests {
    private func opening(_ json: String) -> (InitRequest, SimperiumCommand)? {
        let command = read("0:init:\(json)", from: .client)
        guard case .initialize(let request) = command.body else { return nil }
        return (request, command)
    }

    @Test func `init of the specification's example`() throws {
        let (request, command) = try #require(
            opening(
                #"{"api":1,"client_id":"android-1.0","token":"abc123","#
                    + #""app_id":"abusers-headset","name":"notes"}"#))
        #expect(request.bucket == "notes")
        #expect(request.app == "abusers-headset")
        #expect(request.clientID == "android-1.0")
        #expect(request.api == "1")
        #expect(request.command == nil)
        #expect(
            command.reported
                == [
                    "client-id-spelling", "number-as-text/api", "init-without-library", "init-api",
                ])
        #expect(command.notes.first?.offset == 28)
    }

    @Test func `init of node and iOS`() throws {
        let (node, quiet) = try #require(
            opening(
                #"{"name":"note","clientid":"node-1","api":"1.1","token":"t","app_id":"a","#
                    + #""library":"node-simperium","version":"0.0.1"}"#))
        #expect(quiet.notes == [])
        #expect(node.library == "node-simperium")
        #expect(node.version == "0.0.1")
        let (ios, _) = try #require(
            opening(
                #"{"clientid":"i","api":1.1,"app_id":"a","token":"t","name":"n","#
                    + #""library":"ios","version":"1.9.0","username":"u"}"#))
        #expect(ios.api == "1.1")
        #expect(ios.username == "u")
    }

    @Test func `init of Android and simperium-js with a command`() throws {
        let start = #"{"name":"n","clientid":"c","api":"1.1","token":"t","app_id":"a","#
        let (index, quiet) = try #require(
            opening(start + #""library":"android","version":"1","cmd":"i::::50"}"#))
        #expect(index.request == .index(IndexRequest(wantsData: false, limit: 50)))
        #expect(quiet.notes == [])
        let (changes, _) = try #require(opening(start + #""version":0,"cmd":"cv:abc:d"}"#))
        #expect(changes.request == .changesSince(cv: "abc:d"))
        let (other, noted) = try #require(opening(start + #""cmd":"x"}"#))
        #expect(other.request == .other)
        #expect(noted.reported == ["init-without-library", "init-command"])
        let (sjs, bare) = try #require(
            opening(#"{"name":"n","app_id":"a","token":"t","clientid":"c","cmd":"i:1:::40"}"#))
        #expect(sjs.request == .index(IndexRequest(wantsData: true, limit: 40)))
        #expect(bare.reported == ["init-missing/api", "init-without-library"])
    }

    @Test func `init with fields missing, twice, and of the wrong kind`() throws {
        let (empty, noted) = try #require(opening("{}"))
        #expect(empty == InitRequest())
        #expect(
            noted.reported == [
                "init-missing/name", "init-missing/app_id", "init-missing/token",
                "init-missing/clientid", "init-missing/api", "init-without-library",
            ])
        let text = #"{"name":"a","name":"b","token":["x"],"clientid":"\ud800"}"#
        let (odd, command) = try #require(opening(text))
        #expect(odd.bucket == "b")
        #expect(odd.token == nil)
        #expect(slice("0:init:" + text, odd.tokenRange) == #"["x"]"#)
        #expect(odd.clientID == "\u{FFFD}")
        #expect(command.reported.contains("duplicate-key/name"))
        #expect(command.reported.contains("not-text/token"))
        #expect(command.reported.contains("lone-surrogate/clientid"))
    }

    @Test(
        arguments: [
            ("ender@example.com", .accepted("ender@example.com"), []),
            ("a:b", .accepted("a:b"), []), ("expired", .expired, ["auth-expired"]),
            ("12345", .accepted("12345"), ["auth-looks-like-json"]),
            ("", .accepted(""), ["auth-empty"]),
            (
                #"{"msg":"Token invalid", "code":401}"#,
                .refused(code: 401, message: "Token invalid"), []
            ),
            (#" {"code":"400"}"#, .refused(code: 400, message: nil), ["error-as-string"]),
            (#"{"code":null}"#, .refused(code: nil, message: nil), ["auth-without-code"]),
            (
                #"{"code":"x","msg":1}"#, .refused(code: nil, message: "1"),
                ["error-unreadable", "number-as-text/msg"]
            ),
            ("{}", .refused(code: nil, message: nil), ["auth-without-code"]),
        ] as [(String, AuthReply, [String])])
    func `auth`(payload: String, reply: AuthReply, notes: [String]) {
        let command = read("0:auth:\(payload)", from: .server)
        #expect(command.body == .auth(reply))
        #expect(command.reported == notes)
    }

    @Test func `the code of a refusal is the error of the command`() {
        #expect(read(#"0:auth:{"code":401}"#, from: .server).error == 401)
        #expect(read("0:auth:a", from: .server).error == nil)
    }

    @Test(arguments: [
        (
            #"{"expose_namespace":true,"namespace":"x"}"#,
            ChannelOptions(exposesNamespace: true, namespace: "x")
        ),
        ("{}", ChannelOptions(exposesNamespace: nil, namespace: nil)),
    ])
    func `options`(payload: String, options: ChannelOptions) {
        let command = read("0:o:\(payload)", from: .server)
        #expect(command.body == .options(options))
        #expect(command.reported == ["options"])
    }

    @Test(
        arguments: [("h:0", 0), ("h:1", 1), ("h:9223372036854775807", .max)] as [(String, Int64)])
    func `heartbeat`(text: String, count: Int64) {
        #expect(read(text, from: .client).body == .heartbeat(count))
        #expect(read(text, from: .client).notes == [])
    }

    @Test func `log`() {
        #expect(read("log:1", from: .server).body == .logLevel(1))
        #expect(read("log:7", from: .server).reported == ["log-level"])
        let command = read(#"log:{"log":"a:b","bucket":"n"}"#, from: .client)
        #expect(command.body == .log(LogMessage(text: "a:b", bucket: "n")))
        #expect(command.notes == [])
        #expect(read("log:{}", from: .client).reported == ["log-without-text"])
    }
}
