import Wire

@testable import Diagnosis

/// Cases of rules about single commands: a wrong one, a right one that comes close, and a right one
/// that became wrong on its way.
enum SessionFormCases {
    private static func table(
        _ rule: Rule, _ wrong: String, _ right: String, asked: String? = nil,
        also: Set<String> = []
    ) -> [RuleCase] {
        let isClient = rule.blames == .client
        let short = String(wrong.prefix(40))
        @Sendable func begin(_ script: inout SessionScript) -> ConnectionID {
            let socket = script.synced()
            guard let asked else { return socket }
            if isClient {
                script.server(socket, asked, at: 0.9)
            } else {
                script.client(socket, asked, at: 0.9)
            }
            return socket
        }
        return [
            RuleCase(rule, .breaks, short, also: also) {
                let socket = begin(&$0)
                if isClient {
                    $0.client(socket, wrong, at: 1)
                } else {
                    $0.server(socket, wrong, at: 1)
                }
            },
            RuleCase(rule, .behaves, String(right.prefix(40))) {
                let socket = begin(&$0)
                if isClient {
                    $0.client(socket, right, at: 1)
                } else {
                    $0.server(socket, right, at: 1)
                }
            },
            RuleCase(rule, .silent, "Tapedeck made it so: \(short)") {
                let socket = begin(&$0)
                $0.lose(socket, rule.blames, right, at: 1)
                $0.inject(socket, rule.blames, wrong, at: 1.01)
            },
        ]
    }

    private typealias C = SimperiumSessionRules
    private typealias S = SimperiumServerRules

    private static let state = #"0:index:{"current":"cv0","index":[{"id":"a","v":1}],"pending":[]}"#

    static let client: [RuleCase] =
        table(C.unknownCommand, "0:x:1", "0:cv:cv0")
        + table(C.unknownCommand, "hello there", "0:cv:cv0")
        + table(C.badPrefix, "cv:cv0", "0:cv:cv0")
        + table(C.badPrefix, "99999999999999999999:cv:cv0", "0:cv:cv0")
        + table(C.wrongDirection, "0:auth:me", "0:cv:cv0")
        + table(C.wrongDirection, "0:i:{\"index\":[]}", "0:i:1:::100")
        + table(C.sockJSFrame, #"["0:cv:cv0"]"#, "0:cv:cv0")
        + table(C.unreadable, "0:index:[]", state)
        + table(
            C.versionAsString,
            #"0:c:{"id":"a","o":"M","sv":"1","v":{"t":{"o":"r","v":"y"}},"ccid":"aa01"}"#,
            SessionScript.sent())
        + table(C.entityMalformed, "0:e:a.undefined", "0:e:a.1")
        + table(C.entityMalformed, "0:e:a", "0:e:a.1")
        + table(C.entityMalformed, "0:e:a.NaN", "0:e:a.b.1")
        + table(C.heartbeatOnChannel, "0:h:1", "h:1")
        + table(C.heartbeatNumber, "h:x", "h:1")
        + table(C.heartbeatNumber, "h", "h:0")
        + table(C.logOnChannel, #"0:log:{"log":"x"}"#, #"log:{"log":"x"}"#, asked: "log:1")
        + table(
            C.logForm, #"log:{"text":"x"}"#, #"log:{"log":"x","bucket":"note"}"#, asked: "log:1")
        + table(C.limit, "0:i:1:::0", "0:i:1:::1000")
        + table(C.limit, "0:i:1:::1001", "0:i:1:::1")
        + table(C.limit, "0:i:1:::", "0:i:1:::500")
        + table(C.requestForm, "0:i:yes:::100", "0:i::::100")
        + table(C.markSlot, "0:i:::m1:100", "0:i::m1::100")
        + table(C.placeholder, "0:cv:", "0:cv:cv0")
        + table(C.placeholder, "0:cv:null", "0:cv:nullable")
        + table(
            C.indexForm, #"0:index:{"current":"cv0","index":[{"a":1}],"pendings":[]}"#, state)
        + table(
            C.indexForm, #"0:index:{"current":"cv0","index":[],"pending":[{"id":"a"}]}"#,
            #"0:index:{"current":"cv0","index":[],"pending":[{"id":"a","ccid":"aa01"}]}"#)
        + table(
            C.initIncomplete,
            #"1:init:{"name":"tag","clientid":"c-1","api":"1.1","app_id":"app","library":"l","version":"1"}"#,
            SessionScript.initiation())
        + table(
            C.clientIDSpelling, SessionScript.initiation(clientID: #""client_id":"c-1""#),
            SessionScript.initiation())
        + table(
            C.initWithoutLibrary,
            SessionScript.initiation(rest: #","library":"android","version":0"#),
            SessionScript.initiation())
        + table(
            C.initVersion, SessionScript.initiation(api: #""api":1.1"#),
            SessionScript.initiation())
        + table(
            C.initVersion, SessionScript.initiation(api: #""api":"1""#), SessionScript.initiation())
        + table(C.initUnreadable, "1:init:tag", SessionScript.initiation())
        + table(
            C.initCommand,
            SessionScript.initiation(rest: #","library":"l","version":"1","cmd":"e:a.1""#),
            SessionScript.initiation(rest: #","library":"l","version":"1","cmd":"i::::50""#))

    private static func element(_ fields: String) -> String {
        #"0:c:[{\#(fields)}]"#
    }

    private static let good =
        #""clientid":"x","id":"b","o":"M","ev":1,"v":{"t":{"o":"+","v":1}},"cv":"cv9""#

    static let server: [RuleCase] =
        table(S.ackWithoutCcids, element(good), element(good + #","ccids":["b1"]"#))
        + table(
            S.ackWithoutCcids, element(good + #","ccid":"b1""#),
            element(good + #","ccids":["b1","b2"]"#))
        + table(
            S.changeIncomplete,
            #"0:c:[{"clientid":"x","id":"b","o":"M","ev":1,"v":{"t":{"o":"+","v":1}},"ccids":["b1"]}]"#,
            element(good + #","ccids":["b1"]"#))
        + table(
            S.changeIncomplete, "0:c:[1]",
            #"0:c:[{"clientid":"x","id":"b","o":"-","ev":2,"cv":"cv9","ccids":["b1"]}]"#,
            also: ["simperium.server.ack-without-ccids"])
        + table(
            S.changeNotInArray, "0:c:{\(good),\"ccids\":[\"b1\"]}",
            element(good + #","ccids":["b1"]"#))
        + table(
            S.versionsDescend, element(good + #","sv":1,"ccids":["b1"]"#),
            #"0:c:[{"clientid":"x","id":"b","o":"M","sv":3,"ev":7,"v":{"t":{"o":"r","v":1}},"cv":"cv9","ccids":["b1","b2"]}]"#
        )
        + table(
            S.versionForm,
            #"0:c:[{"clientid":"x","id":"b","o":"M","ev":"1","v":{"t":{"o":"+","v":1}},"cv":"cv9","ccids":["b1"]}]"#,
            element(good + #","ccids":["b1"]"#))
        + table(
            S.errorForm, #"0:c:[{"clientid":"c-1","id":"a","error":"401","ccids":["b1"]}]"#,
            #"0:c:[{"clientid":"c-1","id":"a","error":401,"ccids":["b1"]}]"#)
        + table(
            S.errorUnknown, #"0:c:[{"clientid":"c-1","id":"a","error":418,"ccids":["b1"]}]"#,
            #"0:c:[{"clientid":"c-1","id":"a","error":503,"ccids":["b1"]}]"#)
        + table(
            S.unknownOperation,
            #"0:c:[{"clientid":"x","id":"b","o":"X","ev":1,"cv":"cv9","ccids":["b1"]}]"#,
            #"0:c:[{"clientid":"x","id":"b","o":"-","ev":1,"cv":"cv9","ccids":["b1"]}]"#)
        + table(
            S.diffMalformed,
            #"0:c:[{"clientid":"x","id":"b","o":"M","ev":1,"v":{"t":{"o":"?","v":1}},"cv":"cv9","ccids":["b1"]}]"#,
            element(good + #","ccids":["b1"]"#))
        + table(S.notUnderstood, "0:?", "0:c:[]")
        + table(S.notUnderstood, "?", "0:c:[]")
        + table(
            S.pageCurrent, #"0:i:{"index":[]}"#, #"0:i:{"current":"cv1","index":[]}"#,
            asked: "0:i:1:::100")
        + table(
            S.pageForm, #"0:i:{"current":"cv0"}"#, #"0:i:{"current":"cv0","index":[]}"#,
            asked: "0:i:1:::100")
        + table(
            S.emptyMark, #"0:i:{"current":"cv0","index":[],"mark":""}"#,
            #"0:i:{"current":"cv0","index":[]}"#, asked: "0:i:1:::100")
        + table(
            S.entityForm, "0:e:a.1\n{\"d\":{}}", "0:e:a.1\n{\"data\":{\"t\":\"x\"}}",
            asked: "0:e:a.1")
        + table(S.unknownCommand, "0:x:1", "0:c:[]")
        + table(S.unknownCommand, "hello there", "0:c:[]")
        + table(S.wrongDirection, "0:e:a.1", "0:c:[]", also: ["simperium.server.unasked"])
        + table(S.badPrefix, "0:h:1", "0:c:[]")
        + table(S.badPrefix, "0:log:1", "log:1")
        + table(
            S.badPrefix, #"c:[{"clientid":"c-1","id":"a","error":401,"ccids":["b1"]}]"#,
            #"0:c:[{"clientid":"c-1","id":"a","error":401,"ccids":["b1"]}]"#)
        + table(S.logLevel, "log:3", "log:2")
        + table(S.sockJSFrame, #"a["0:c:[]"]"#, "0:c:[]")
        + table(S.unreadable, "0:c:[", "0:c:[]")
}
