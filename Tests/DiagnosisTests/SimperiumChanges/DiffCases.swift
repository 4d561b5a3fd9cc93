import Wire

@testable import Diagnosis

/// Rules that need the data of the object.
enum DiffCases {
    private typealias R = SimperiumChangeRules

    private static let text = SessionScript.text
    private static let length = SessionScript.text.utf16.count

    /// A change that breaks a rule where the object is known, and one that does not.
    private static let table: [(Rule, bad: String, good: String, d: String?)] = [
        (
            R.dataDiffers, #"{"n":{"o":"r","v":2}}"#, #"{"n":{"o":"r","v":1.50}}"#,
            SessionScript.object.replacing(#""n":1,"#, with: #""n":1.5,"#)
        ),
        (
            R.deltaLength, #"{"text":{"o":"d","v":"=5\t+x"}}"#,
            #"{"text":{"o":"d","v":"=\#(length)\t+x"}}"#, nil
        ),
        (R.nothing, #"{"n":{"o":"r","v":1.0}}"#, #"{"n":{"o":"r","v":1.1}}"#, nil),
        (R.doesNotApply, #"{"n":{"o":"d","v":"=1\t+x"}}"#, #"{"n":{"o":"I","v":2}}"#, nil),
        (R.overwrites, #"{"n":{"o":"+","v":2}}"#, #"{"m":{"o":"+","v":2}}"#, nil),
        (
            R.wholeText, #"{"text":{"o":"r","v":"\#(text)!"}}"#,
            #"{"text":{"o":"r","v":"Something that has nothing to do with the old"}}"#, nil
        ),
    ]

    static let all: [RuleCase] =
        table.flatMap { rule, bad, good, d in
            [
                RuleCase(rule, .breaks, "sends it") { script in
                    let c = script.ready()
                    script.edit(c, "a1", bad, d: d, at: 1)
                },
                RuleCase(rule, .behaves, "sends what is nearly that") { script in
                    let c = script.ready()
                    script.edit(c, "a1", good, d: d, at: 1)
                },
                RuleCase(rule, .silent, "the data were not seen") { script in
                    let c = script.ready(hasData: false)
                    script.edit(c, "a1", bad, d: d, at: 1)
                },
                RuleCase(rule, .silent, "bytes are missing") { script in
                    let c = script.ready()
                    script.gap(c, at: 0.5)
                    script.edit(c, "a1", bad, d: d, at: 1)
                },
            ]
        } + pairs + ghosts + undoing

    private static let smile = #"{"text":"Hello 😀 world"}"#

    private static let pairs: [RuleCase] = [
        RuleCase(R.halfPair, .breaks, "inserts into a character") { script in
            let c = script.ready(object: smile)
            script.edit(c, "a1", #"{"text":{"o":"d","v":"=7\t+x\t=7"}}"#, at: 1)
        },
        RuleCase(R.halfPair, .behaves, "inserts beside a character") { script in
            let c = script.ready(object: smile)
            script.edit(c, "a1", #"{"text":{"o":"d","v":"=8\t+x\t=6"}}"#, at: 1)
        },
        RuleCase(R.halfPair, .silent, "the data were not seen") { script in
            let c = script.ready(hasData: false)
            script.edit(c, "a1", #"{"text":{"o":"d","v":"=7\t+x\t=7"}}"#, at: 1)
        },
        RuleCase(R.deltaLength, .breaks, "counts code points") { script in
            let c = script.ready(object: smile)
            script.edit(c, "a1", #"{"text":{"o":"d","v":"=13\t+x"}}"#, at: 1)
        },
        RuleCase(R.deltaLength, .silent, "Tapedeck told it another text") { script in
            let c = script.ready(object: smile)
            let v = #"{"text":{"o":"d","v":"=14\t+!"}}"#
            let said =
                "0:c:[" + SessionScript.acknowledgement("f1", v, sv: 3, ev: 4, by: "c-2") + "]"
            script.rule("command:c sender:server => malformed-delta", at: 1)
            script.server(c, said, at: 1)
            script.edit(c, "a1", #"{"text":{"o":"d","v":"=9\t+x"}}"#, sv: 4, at: 2)
        },
    ]

    /// The client inserts ` more`, another changes the text, and then the client inserts it again.
    private static func ghost(
        _ script: inout SessionScript, hasRemote: Bool = true, hasData: Bool = true,
        second: String = " more"
    ) {
        let c = script.ready(hasData: hasData)
        script.edit(c, "a1", at: 1)
        script.made(c, "a1", at: 1.1)
        var now = text + " more"
        var version = 4
        if hasRemote {
            let v = SessionScript.delta(now, "!" + now)
            now = "!" + now
            version = 5
            script.made(c, "f1", v, sv: 4, ev: 5, by: "c-2", at: 2)
        }
        let v = #"{"text":{"o":"d","v":"=\#(now.utf16.count)\t+\#(second)"}}"#
        script.edit(c, "a2", v, sv: version, at: 3)
        script.made(c, "a2", v, sv: version, ev: version + 1, at: 3.1)
    }

    private static let ghosts: [RuleCase] = [
        RuleCase(R.repeatsInsert, .breaks, "after a change of another client") {
            ghost(&$0)
        },
        RuleCase(R.repeatsInsert, .behaves, "somebody pastes twice") {
            ghost(&$0, hasRemote: false)
        },
        RuleCase(R.repeatsInsert, .behaves, "another text") { ghost(&$0, second: " less") },
        RuleCase(R.repeatsInsert, .silent, "the text was not seen") {
            ghost(&$0, hasData: false)
        },
    ]

    private static func undo(
        _ script: inout SessionScript, remote: String = #"{"on":{"o":"r","v":false}}"#,
        wait: Double = 1, hasGap: Bool = false
    ) {
        let c = script.ready()
        let v = #"{"color":{"o":"+","v":"red"}}"#
        script.edit(c, "a1", v, at: 1)
        script.made(c, "a1", v, at: 1.1)
        script.made(c, "f1", remote, sv: 4, ev: 5, by: "c-2", at: 2)
        if hasGap { script.gap(c, at: 2.5) }
        script.edit(c, "a2", #"{"color":{"o":"-"}}"#, sv: 5, at: 2 + wait)
    }

    private static let undoing: [RuleCase] = [
        RuleCase(R.undoesOwnMember, .breaks, "right after the other's change") { undo(&$0) },
        RuleCase(R.undoesOwnMember, .behaves, "much later") { undo(&$0, wait: 30) },
        RuleCase(R.undoesOwnMember, .behaves, "the other changed the same") {
            undo(&$0, remote: #"{"color":{"o":"r","v":"blue"}}"#)
        },
        RuleCase(R.undoesOwnMember, .silent, "bytes are missing") { undo(&$0, hasGap: true) },
    ]
}
