import Simperium
import Testing
import Wire

/// What shows in one message alone of how clients and servers misbehave.
struct ToleranceTests {
    private static let opening =
        #""name":"n","clientid":"c","token":"t","app_id":"a","api":"1.1","library":"l""#

    @Test(
        arguments: [
            ("a[\"0:c:[]\"]", .server, ["sockjs-frame"]), ("o", .server, ["sockjs-frame"]),
            ("h", .server, []), ("c[3000,\"Go away!\"]", .server, ["sockjs-frame"]),
            ("[\"0:init:{}\"]", .client, ["sockjs-frame"]), ("hello", .client, []),
            ("0:e:a.01", .client, ["leading-zeros"]), ("h:01", .client, ["leading-zeros"]),
            ("log:01", .server, ["leading-zeros"]), ("0:i::::050", .client, ["leading-zeros"]),
            ("0:i::::0", .client, ["index-limit-range"]),
            ("0:i::::1001", .client, ["index-limit-range"]), ("0:i::::1000", .client, []),
            ("0:i::::-5", .client, ["index-limit"]), ("0:i::::+5", .client, ["index-limit"]),
            ("0:cv:null", .client, ["cv-placeholder"]),
            ("0:cv:(null)", .client, ["cv-placeholder"]),
            ("0:cv:undefined", .client, ["cv-placeholder"]),
            ("0:e:ns/k.1", .client, ["key-characters"]), ("0:e:é.1", .client, ["key-characters"]),
            ("0:e:k_-%40.1", .client, []),
            (
                #"0:o:{"expose_namespace":1,"x":2}"#, .server,
                ["options", "unknown-field", "not-boolean/expose_namespace"]
            ),
            (#"log:{"log":null,"x":1}"#, .client, ["unknown-field", "log-without-text"]),
            (#"0:auth:{"code":402,"x":1}"#, .server, ["unknown-field", "error-unknown"]),
            ("0:e:a.1\n{\"data\":[]}", .server, ["not-an-object/data"]),
        ] as [(String, Peer, [String])])
    func `of commands`(text: String, sender: Peer, notes: [String]) {
        #expect(read(text, from: sender).reported == notes)
    }

    @Test(
        arguments: [
            (#""version":"0""#, ["init-without-library"]),
            (#""version":"""#, ["init-without-library"]),
            (#""version":0"#, ["number-as-text/version", "init-without-library"]),
            (#""version":"1","build":7"#, ["unknown-field"]),
            (#""version":"1","cmd":"cv:""#, ["cv-empty"]),
            (#""version":"1","cmd":"cv:0""#, ["cv-placeholder"]),
            (#""version":"1","cmd":"i:::""#, ["index-slots", "index-limit"]),
            (#""version":"1","api":"1""#, ["duplicate-key/api", "init-api"]),
            (#""version":"1","name":"a b""#, ["duplicate-key/name", "bucket-name"]),
            (#""version":"1","name":"""#, ["duplicate-key/name", "bucket-name"]),
            (#""version":"1","name":"\u0061""#, ["duplicate-key/name"]),
            (#""version":"1","app_id":"a@""#, ["duplicate-key/app_id", "app-id"]),
            (#""version":"1","clientid":"""#, ["duplicate-key/clientid", "client-id-length"]),
            (#""version":"1","token":null"#, ["duplicate-key/token", "init-missing/token"]),
        ] as [(String, [String])])
    func `of init`(rest: String, notes: [String]) {
        #expect(read("0:init:{\(Self.opening),\(rest)}", from: .client).reported == notes)
    }

    @Test(
        arguments: [
            (#"{"current":"a","index":[],"mark":""}"#, ["empty-mark"]),
            (#"{"current":"a","index":[],"count":"3"}"#, ["not-a-number/count"]),
            (#"{"current":"a","index":[],"next":"3"}"#, ["unknown-field"]),
            (
                #"{"current":"a","index":[{"id":"a b","v":1,"d":7}]}"#,
                ["key-characters", "not-an-object/d"]
            ),
            (#"{"current":"a","index":[{"id":"a","v":1,"x":7}]}"#, ["unknown-field"]),
        ] as [(String, [String])])
    func `of pages`(payload: String, notes: [String]) {
        #expect(read("0:i:\(payload)", from: .server).reported == notes)
    }

    @Test func `of states`() {
        let command = read(
            #"0:index:{"index":[],"pending":{"id":1},"more":1}"#, from: .client)
        #expect(command.reported == ["unknown-field", "not-an-array/pending"])
        #expect(
            read(#"0:index:{"index":[],"pending":[1,{"id":"k","ccid":"x"}]}"#, from: .client)
                .reported
                == [
                    "not-an-object/pending", "pending-incomplete/id", "pending-incomplete/sv",
                    "pending-incomplete/ccid", "ccid-characters",
                ])
    }

    @Test(
        arguments: [
            (#""o":"M","v":{"t":{"o":"+","v":1}}"#, []), (#""o":"M","v":{}"#, ["change-nothing"]),
            (#""o":"M","v":[]"#, ["not-an-object/v"]),
            (#""o":"-","v":{"t":{"o":"-"}}"#, ["remove-with-value"]),
            (#""o":"-","d":{}"#, ["remove-with-value"]), (#""o":"M","d":1"#, ["not-an-object/d"]),
            (#""o":"M","d":{"version":1,"data":{}}"#, ["data-wrapped"]),
            (#""o":"M","d":{"version":1,"data":{},"x":1}"#, []),
            (#""o":"M","v":{"t":{"o":"d","v":"=1"}}"#, ["change-without-sv"]),
            (#""o":"M","sv":0,"v":{"t":{"o":"-"}}"#, ["version-range/sv"]),
            (#""o":"M","sv":1,"v":{"t":{"o":"x"}}"#, ["operation-unknown"]),
            (#""o":"M","sv":1,"v":{"t":{"v":"x"}}"#, ["operation-malformed"]),
            (#""o":"M","sv":1,"v":{"t":1}"#, ["operation-malformed"]),
            (#""o":"M","sv":1,"v":{"t":{"o":"r"}}"#, ["operation-malformed"]),
            (#""o":"M","sv":1,"v":{"t":{"o":"I","v":"1"}}"#, ["operation-malformed"]),
            (#""o":"M","sv":1,"v":{"t":{"o":"O","v":{"u":{"o":"Q"}}}}"#, ["operation-unknown"]),
            (#""o":"M","sv":1,"v":{"t":{"o":"L","v":{"x":{"o":"-"}}}}"#, ["operation-malformed"]),
            (#""o":"M","sv":1,"v":{"t":{"o":"dL","v":"*"}}"#, ["delta-malformed"]),
            (#""o":"M","sv":1,"v":{"t":{"o":"r","v":1,"w":2}}"#, ["unknown-field/v"]),
            (#""o":"M","d":{},"ev":2,"cv":"a","error":400"#, ["server-field/error"]),
            (#""o":"M","d":{},"ev":2,"cv":"a""#, ["server-field/ev", "server-field/cv"]),
            (#""o":"M","d":{},"sv":2,"ev":2"#, ["server-field/ev", "versions-descend"]),
            (#""o":"M","d":{},"foo":1"#, ["unknown-field"]),
        ] as [(String, [String])])
    func `of changes`(rest: String, notes: [String]) {
        #expect(read("0:c:{\"id\":\"k\",\"ccid\":\"ab\",\(rest)}", from: .client).reported == notes)
    }

    @Test(
        arguments: [
            (#""id":"a:b","ccids":["ab"]"#, ["key-characters"]),
            (#""id":"k","ccids":["xyz"]"#, ["ccid-characters"]),
            (#""id":"k","ccids":"ab""#, ["not-an-array/ccids"]),
            (#""id":"k","ccids":["1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed"]"#, []),
            (#""id":"\u006b","ccids":["\u0061"]"#, []),
        ] as [(String, [String])])
    func `of identifiers`(rest: String, notes: [String]) {
        let text = #"0:c:[{"clientid":"c","o":"-","ev":2,"cv":"a",\#(rest)}]"#
        #expect(read(text, from: .server).reported == notes)
        let long = String(repeating: "k", count: 257)
        #expect(read("0:e:\(long).1", from: .client).reported == ["key-characters"])
        #expect(read("0:e:\(long.dropLast()).1", from: .client).reported == [])
    }

    @Test(
        arguments: [
            (#"=1\t+x\t-3"#, []), ("=10", []), (#"+%F0%9F%98%80 !~*'();/?:@&=+$,#"#, []),
            ("+%25", []),
            ("", ["delta-unusual"]), ("=0", ["delta-unusual"]), ("-0", ["delta-unusual"]),
            ("=01", ["delta-unusual"]), ("+", ["delta-unusual"]), (#"=1\t"#, ["delta-unusual"]),
            ("+é", ["delta-unusual"]), ("+[", ["delta-unusual"]), ("+%c3%a9", ["delta-unusual"]),
            ("+\\u0041", []), ("+\\n", ["delta-unusual"]), ("(null)", ["delta-malformed"]),
            ("=", ["delta-malformed"]), ("=x", ["delta-malformed"]), ("=1.5", ["delta-malformed"]),
            ("=1=2", ["delta-malformed"]), ("+%", ["delta-malformed"]),
            ("+%4", ["delta-malformed"]),
            ("+%zz", ["delta-malformed"]), ("+%C3", ["delta-malformed"]),
            (#"+%C3\t+%A9"#, ["delta-malformed"]), ("+%ED%A0%BD", ["delta-malformed"]),
            ("+%C0%80", ["delta-malformed"]), ("+%F4%90%80%80", ["delta-malformed"]),
        ] as [(String, [String])])
    func `of deltas`(delta: String, notes: [String]) {
        let text =
            #"0:c:{"id":"k","o":"M","sv":1,"ccid":"ab","v":{"t":{"o":"d","v":"\#(delta)"}}}"#
        #expect(read(text, from: .client).reported == notes)
    }
}
