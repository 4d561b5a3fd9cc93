import Wire

@testable import Diagnosis

/// Rules that need the text of the command alone.
enum FormCases {
    private static let good = SessionScript.change("a1", SessionScript.append(), sv: 3)

    private static func table() -> [(Rule, bad: String, good: String)] {
        func c(_ v: String) -> String { SessionScript.change("a1", v, sv: 3) }
        func delta(_ text: String) -> String { c(#"{"text":{"o":"d","v":"\#(text)"}}"#) }
        let length = SessionScript.text.utf16.count
        return [
            (
                SimperiumChangeRules.arrayFromClient,
                #"0:c:[{"id":"k","o":"M","v":\#(SessionScript.append()),"sv":3,"ccid":"a1"}]"#,
                good
            ),
            (SimperiumChangeRules.unreadable, #"0:c:{"id":"k","o":"M""#, good),
            (
                SimperiumChangeRules.missingField,
                #"0:c:{"id":"k","o":"M","v":\#(SessionScript.append()),"sv":3}"#, good
            ),
            (
                SimperiumChangeRules.serverField,
                #"0:c:{"id":"k","o":"M","v":\#(SessionScript.append()),"sv":3,"ev":4,"ccid":"a1"}"#,
                #"0:c:{"id":"k","o":"M","v":\#(SessionScript.append()),"sv":3,"clientid":"c-1","ccid":"a1"}"#
            ),
            (
                SimperiumChangeRules.unknownOperation,
                SessionScript.change("a1", nil, sv: nil, o: "X"),
                SessionScript.change("a1", nil, sv: nil, o: "-")
            ),
            (
                SimperiumChangeRules.wrappedData,
                SessionScript.change(
                    "a1", SessionScript.append(), sv: 3, d: #"{"version":3,"data":{"text":"a"}}"#),
                SessionScript.change(
                    "a1", #"{"version":{"o":"+","v":3}}"#, sv: 3,
                    d: SessionScript.object.dropLast() + #","version":3}"#)
            ),
            (
                SimperiumChangeRules.removeWithValue,
                SessionScript.change("a1", "{}", sv: nil, o: "-"),
                SessionScript.change("a1", nil, sv: nil, o: "-")
            ),
            (
                SimperiumChangeRules.keyGrammar,
                SessionScript.change("a1", #"{"n":{"o":"+","v":1}}"#, sv: nil, key: "my tag"),
                SessionScript.change("a1", #"{"n":{"o":"+","v":1}}"#, sv: nil, key: "my%20tag")
            ),
            (
                SimperiumChangeRules.ccidGrammar,
                SessionScript.change("change one", SessionScript.append(), sv: 3),
                SessionScript.change("a1b2-c3", SessionScript.append(), sv: 3)
            ),
            (SimperiumChangeRules.malformedDelta, delta(#"=2\t(null)"#), good),
            (SimperiumChangeRules.unusualDelta, delta(#"=0\t=\#(length)\t+%c3%a9"#), good),
            (
                SimperiumChangeRules.unknownFieldOperation, c(#"{"n":{"o":"x","v":1}}"#),
                c(#"{"n":{"o":"I","v":1}}"#)
            ),
            (
                SimperiumChangeRules.malformedOperation, c(#"{"n":{"v":1}}"#),
                c(#"{"n":{"o":"r","v":2}}"#)
            ),
        ]
    }

    static let all: [RuleCase] =
        table().flatMap { rule, bad, good in
            [
                RuleCase(rule, .breaks, "sends it") { script in
                    let c = script.ready()
                    script.client(c, bad, at: 1)
                },
                RuleCase(rule, .behaves, "sends what is nearly that") { script in
                    let c = script.ready()
                    script.client(c, good, at: 1)
                },
                RuleCase(rule, .silent, "Tapedeck sent it to the server") { script in
                    let c = script.ready()
                    script.inject(c, .client, bad, at: 1)
                },
            ]
        } + bucket

    private static let bucket: [RuleCase] = [
        RuleCase(SimperiumChangeRules.bucketGrammar, .breaks, "a space") { script in
            let c = script.socket(at: 0)
            script.open(c, bucket: "my notes", at: 0.1)
        },
        RuleCase(SimperiumChangeRules.bucketGrammar, .behaves, "a percent sign") { script in
            let c = script.socket(at: 0)
            script.open(c, bucket: "my%20notes", at: 0.1)
        },
        RuleCase(SimperiumChangeRules.bucketGrammar, .silent, "Tapedeck opens it") { script in
            let c = script.socket(at: 0)
            script.inject(
                c, .client,
                #"0:init:{"name":"my notes","clientid":"c-1","api":"1.1","token":"t","app_id":"app"}"#,
                at: 0.1)
        },
    ]
}
