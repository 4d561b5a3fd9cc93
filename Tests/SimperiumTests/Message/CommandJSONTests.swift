import Notation
import Simperium
import Testing
import Wire

struct CommandJSONTests {
    private func described(_ text: String, _ sender: Peer) -> String {
        read(text, from: sender).describedAsJSON(in: Array(text.utf8)).text()
    }

    @Test(
        arguments: [
            (
                "0:cv:abc", .client,
                #""channel":0,"command":"cv","kind":"changes_since","cv":"abc""#
            ),
            ("h:1", .client, #""channel":null,"command":"h","kind":"heartbeat","number":1"#),
            ("0:index", .server, #""channel":0,"command":"index","kind":"index_state_request""#),
            (
                "0:e:a_b.3", .client,
                #""channel":0,"command":"e","kind":"entity_request","key":"a_b","version":3"#
            ),
            (
                "0:e:q.1\n{\"data\":{\"a\":1.0}}", .server,
                #""channel":0,"command":"e","kind":"entity","key":"q","version":1,"#
                    + #""is_missing":false,"data":{"a":1.0},"without_data":null"#
            ),
            (
                "0:e:q.1\n?", .server,
                #""channel":0,"command":"e","kind":"entity","key":"q","version":1,"#
                    + #""is_missing":true,"data":null,"without_data":null"#
            ),
            (
                "0:i:1:MARK::500", .client,
                #""channel":0,"command":"i","kind":"index_request","wants_data":true,"#
                    + #""mark":"MARK","second_slot":"MARK","third_slot":"","limit":500"#
            ),
            (
                #"0:i:{"current":"c","index":[{"id":"k","v":1}]}"#, .server,
                #""channel":0,"command":"i","kind":"index_page","current":"c","entries":"#
                    + #"[{"key":"k","version":1,"data":null}],"mark":null,"count":null"#
            ),
            (
                "0:cv:?", .server,
                #""channel":0,"command":"cv","kind":"unknown_change_version","is_legacy":false"#
            ),
            (
                #"0:c:{"id":"k","o":"M","v":{"t":{"o":"+","v":1}},"ccid":"ab"}"#, .client,
                #""channel":0,"command":"c","kind":"changes","changes":[{"key":"k","operation":"M","#
                    + #""sv":null,"ev":null,"cv":null,"ccids":["ab"],"client_id":null,"error":null,"#
                    + #""error_text":null,"value":{"t":{"o":"+","v":1}},"data":null}]"#
            ),
            (
                #"0:c:[{"ccids":["ab"],"id":"k","clientid":"c","error":440}]"#, .server,
                #""channel":0,"command":"c","kind":"changes","changes":[{"key":"k","#
                    + #""operation":null,"sv":null,"ev":null,"cv":null,"ccids":["ab"],"#
                    + #""client_id":"c","error":440,"error_text":"invalid diff","value":null,"#
                    + #""data":null}]"#
            ),
            (
                "0:auth:a@b", .server,
                #""channel":0,"command":"auth","kind":"auth","result":"accepted","user":"a@b","#
                    + #""code":null,"message":null"#
            ),
            (
                #"0:auth:{"msg":"m","code":401}"#, .server,
                #""channel":0,"command":"auth","kind":"auth","result":"refused","user":null,"#
                    + #""code":401,"message":"m""#
            ),
            (
                #"0:init:{"name":"n","clientid":"c","api":"1.1","token":"t","app_id":"a","#
                    + #""library":"l","version":"1","cmd":"cv:x"}"#, .client,
                #""channel":0,"command":"init","kind":"init","bucket":"n","app_id":"a","token":"t","#
                    + #""client_id":"c","api":"1.1","library":"l","version":"1","username":null,"#
                    + #""cmd":"cv:x","request":{"kind":"changes_since","cv":"x"}"#
            ),
            (
                #"0:index:{"current":"c","index":[],"pending":[{"id":"a","sv":1,"ccid":"ab"}]}"#,
                .client,
                #""channel":0,"command":"index","kind":"index_state","current":"c","entries":[],"#
                    + #""pending":[{"key":"a","sv":1,"ccid":"ab"}],"extra":null"#
            ),
            ("log:1", .server, #""channel":null,"command":"log","kind":"log_level","level":1"#),
            (
                #"log:{"log":"x"}"#, .client,
                #""channel":null,"command":"log","kind":"log","log":"x","bucket":null"#
            ),
        ] as [(String, Peer, String)])
    func `describes`(text: String, sender: Peer, expected: String) {
        #expect(
            described(text, sender)
                == "{\"sender\":\"\(sender)\",\(expected),\"notes\":[],\"problem\":null}")
    }

    @Test(
        arguments: [
            ("?", .server, #""command":"?","kind":"not_understood""#),
            ("0:i:?", .server, #""command":"i","kind":"unknown_mark""#),
            ("0:c:?", .server, #""kind":"unknown_change_version","is_legacy":true"#),
            ("0:auth:expired", .server, #""result":"expired","user":null"#),
            (
                #"0:o:{"expose_namespace":true}"#, .server,
                #""kind":"options","expose_namespace":true,"namespace":null"#
            ),
            ("0:presence:x", .client, #""command":"presence","kind":"other","payload":"x""#),
            (
                "0:e:a.b.1", .client,
                #""notes":[{"code":"simperium.dotted-key","text":"the key has dots, the version "#
                    + #"follows the last","field":null,"offset":4}]"#
            ),
            (
                "0:e:key.undefined", .client,
                #""payload":"key.undefined","notes":[],"problem":{"text":"the version of the "#
                    + #"entity is not a number","offset":8}}"#
            ),
            (
                "hello", .client,
                #""channel":null,"command":"","kind":"unreadable","payload":"hello","#
            ),
            (
                #"0:init:{"cmd":"i::::5"}"#, .client,
                #""request":{"kind":"index_request","wants_data""#
            ),
        ] as [(String, Peer, String)])
    func `describes in part`(text: String, sender: Peer, expected: String) {
        #expect(described(text, sender).contains(expected))
    }

    @Test func `describes bytes that are no text`() throws {
        let bytes = Array("0:x:".utf8) + [0xFF, 0x0A]
        let text = SimperiumCommand.parse(bytes, from: .server).describedAsJSON(in: bytes).text()
        #expect(text.contains(#""payload":"\#u{FFFD}\n""#))
        #expect(try JSONValue(parsing: text)["kind"] == .string("other"))
        // Of another message: total all the same.
        let command = read(#"0:c:{"id":"k","v":{}}"#, from: .client)
        #expect(command.describedAsJSON(in: [])["kind"] == .string("changes"))
    }
}
