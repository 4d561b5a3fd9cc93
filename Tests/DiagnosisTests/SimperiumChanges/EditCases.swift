import Wire

@testable import Diagnosis

/// Rules about edits that are made twice, taken back or left out.
enum EditCases {
    private typealias R = SimperiumChangeRules

    private static let text = SessionScript.text
    private static let more = SessionScript.text + " more"

    static let all: [RuleCase] = doubled + takenBack + ownUndone + forgotten + goneOn

    private static func number(_ value: Int) -> String { #"{"n":{"o":"r","v":\#(value)}}"# }

    // MARK: Doubled

    /// The client appends ` more`, which the server makes; something happens; it appends `second`.
    private static func double(
        _ script: inout SessionScript, second: String = " more", sv: Int = 4, wait: Double = 1,
        isAnswered: Bool = true, _ between: (inout SessionScript, inout ConnectionID) -> Void
    ) {
        var c = script.ready()
        script.edit(c, "a1", at: 1)
        if isAnswered { script.made(c, "a1", at: 1.1) }
        between(&script, &c)
        let v = SessionScript.delta(more, more + second)
        script.edit(c, "a2", v, sv: sv, at: 5 + wait)
        script.made(c, "a2", v, sv: sv, ev: sv + 1, at: 5.1 + wait)
    }

    private static func acknowledgeAgain(_ script: inout SessionScript, _ c: ConnectionID) {
        let text = SessionScript.acknowledgement("a1", SessionScript.append(), sv: 3, ev: 4)
        script.inject(c, .server, "0:c:[\(text)]", at: 5)
    }

    /// The connection ends, and the client reads the whole index on the next one.
    private static func load(_ script: inout SessionScript, _ c: inout ConnectionID) {
        script.close(c, at: 2)
        c = script.socket(at: 3)
        script.open(c, at: 3.1)
        script.client(c, "0:i:1:::100", at: 3.2)
        let object = SessionScript.object.replacing(text, with: more)
        script.server(
            c, #"0:i:{"current":"cv4","index":[{"id":"k","v":4,"d":\#(object)}]}"#, at: 5)
    }

    /// The server makes the change, and an error is what the client hears.
    private static func refuse(_ script: inout SessionScript, _ c: ConnectionID) {
        script.rule("command:c sender:client => error 500 forwarded", at: 1)
        script.made(c, "a1", at: 1.1)
        script.client(c, "0:e:k.4", at: 4.9)
        let object = SessionScript.object.replacing(text, with: more)
        script.server(c, "0:e:k.4\n{\"data\":\(object)}", at: 5)
    }

    private static let doubled: [RuleCase] = [
        RuleCase(R.repeatsInsert, .breaks, "the acknowledgement came twice") {
            double(&$0, wait: 30) { acknowledgeAgain(&$0, $1) }
        },
        RuleCase(R.repeatsInsert, .breaks, "an error came though it was made") {
            double(&$0, isAnswered: false) { refuse(&$0, $1) }
        },
        RuleCase(R.repeatsInsert, .breaks, "the object was loaded on a new connection") {
            double(&$0, wait: 30, isAnswered: false) { load(&$0, &$1) }
        },
        RuleCase(R.repeatsInsert, .breaks, "its duplicate was refused") {
            double(&$0, isAnswered: false) { script, c in
                script.close(c, at: 2)
                c = script.again(at: 3)
                script.edit(c, "a1", at: 4)
                script.refused(c, "a1", 409, at: 4.1)
                script.client(c, "0:cv:cv1", at: 4.2)
                let made = SessionScript.acknowledgement(
                    "a1", SessionScript.append(), sv: 3, ev: 4)
                script.server(c, "0:c:[\(made)]", at: 4.3)
            }
        },
        RuleCase(R.repeatsInsert, .breaks, "an element of a list") { script in
            let c = script.ready()
            let v = #"{"list":{"o":"r","v":[1,2,"urgent"]}}"#
            script.edit(c, "a1", v, at: 1)
            script.made(c, "a1", v, at: 1.1)
            script.made(c, "f1", number(5), sv: 4, ev: 5, by: "c-2", at: 2)
            script.edit(
                c, "a2", #"{"list":{"o":"r","v":[1,2,"urgent","urgent"]}}"#, sv: 5, at: 2.5)
        },
        RuleCase(R.repeatsInsert, .behaves, "types on after an acknowledgement that came twice") {
            double(&$0, second: " text") { acknowledgeAgain(&$0, $1) }
        },
        RuleCase(R.repeatsInsert, .behaves, "types the same much later") {
            double(&$0, wait: 30) { load(&$0, &$1) }
        },
        RuleCase(R.repeatsInsert, .behaves, "types the same when it has sent something else") {
            double(&$0, sv: 5, wait: 3) { script, c in
                acknowledgeAgain(&script, c)
                script.edit(c, "b1", number(7), sv: 4, at: 6.5)
                script.made(c, "b1", number(7), sv: 4, ev: 5, at: 6.6)
            }
        } unlike: {
            double(&$0) { acknowledgeAgain(&$0, $1) }
        },
        RuleCase(R.repeatsInsert, .silent, "bytes are missing") {
            double(&$0) { script, c in
                script.gap(c, at: 2)
                acknowledgeAgain(&script, c)
            }
        },
    ]

    // MARK: Taken back

    /// Another client makes a change, and the client sends another one.
    private static func takeBack(
        _ script: inout SessionScript, _ remote: String = SessionScript.append(),
        _ v: String = SessionScript.delta(more, text), sv: Int = 4, wait: Double = 0.5,
        hasData: Bool = true, _ between: (inout SessionScript, ConnectionID) -> Void = { _, _ in }
    ) {
        let c = script.ready(hasData: hasData)
        script.made(c, "f1", remote, sv: 3, ev: 4, by: "c-2", at: 2)
        between(&script, c)
        script.edit(c, "a1", v, sv: sv, at: 2 + wait)
    }

    private static let addition = SessionScript.delta(text, text + " and so on")
    private static let deletion = SessionScript.delta(text + " and so on", text)

    private static func with(_ operations: String, _ other: String) -> String {
        operations.dropLast() + "," + other.dropFirst()
    }

    private static let takenBack: [RuleCase] = [
        RuleCase(R.takesBack, .breaks, "at once") { takeBack(&$0, addition, deletion) },
        RuleCase(R.takesBack, .breaks, "after some seconds") {
            takeBack(&$0, addition, deletion, wait: 4)
        },
        RuleCase(R.takesBack, .breaks, "with its next edit, again and again") { script in
            takeBack(&script, addition, with(deletion, number(7)), wait: 40)
            script.made(ConnectionID(1), "a1", with(deletion, number(7)), sv: 4, ev: 5, at: 42.6)
            script.made(ConnectionID(1), "f2", addition, sv: 5, ev: 6, by: "c-2", at: 50)
            script.edit(ConnectionID(1), "a2", with(deletion, number(8)), sv: 6, at: 60)
        },
        RuleCase(R.takesBack, .behaves, "keeps it") {
            takeBack(&$0, addition, number(7))
        },
        RuleCase(R.takesBack, .behaves, "somebody removes it later") {
            takeBack(&$0, addition, deletion, wait: 30)
        },
        RuleCase(R.takesBack, .behaves, "somebody makes the object anew") {
            takeBack(
                &$0, #"{"link":{"o":"+","v":{"is":"something"}}}"#,
                #"{"link":{"o":"-"},"list":{"o":"-"},"on":{"o":"-"},"n":{"o":"r","v":5}}"#)
        } unlike: {
            takeBack(
                &$0, #"{"link":{"o":"+","v":{"is":"something"}}}"#,
                #"{"link":{"o":"-"},"n":{"o":"r","v":5}}"#)
        },
        RuleCase(R.takesBack, .behaves, "somebody removes a part of it") {
            takeBack(
                &$0, addition, SessionScript.delta(text + " and so on", text + " and"))
        },
        RuleCase(R.takesBack, .behaves, "somebody turns a switch back") {
            takeBack(
                &$0, #"{"on":{"o":"r","v":false}}"#, #"{"on":{"o":"r","v":true}}"#)
        },
        RuleCase(R.takesBack, .behaves, "somebody has edited in between") {
            takeBack(&$0, addition, deletion, sv: 5, wait: 1.5) { script, c in
                script.edit(c, "b1", number(7), sv: 4, at: 2.5)
                script.made(c, "b1", number(7), sv: 4, ev: 5, at: 2.6)
            }
        } unlike: {
            takeBack(&$0, addition, deletion, wait: 1.5)
        },
        RuleCase(R.takesBack, .silent, "the data were not seen") {
            takeBack(&$0, addition, deletion, hasData: false)
        },
        RuleCase(R.takesBack, .silent, "bytes are missing") {
            takeBack(&$0, addition, deletion) { $0.gap($1, at: 2.2) }
        },
    ]

    /// The client's own text is acknowledged twice, and deleted.
    private static func undoOwn(_ script: inout SessionScript, again: Bool, wait: Double = 1) {
        let c = script.ready()
        script.edit(c, "a1", addition, at: 1)
        script.made(c, "a1", addition, at: 1.1)
        if again {
            let said = SessionScript.acknowledgement("a1", addition, sv: 3, ev: 4)
            script.inject(c, .server, "0:c:[\(said)]", at: 5)
        }
        script.edit(c, "a2", deletion, sv: 4, at: 5 + wait)
    }

    private static let ownUndone: [RuleCase] = [
        RuleCase(R.undoesOwnMember, .breaks, "the acknowledgement came twice") {
            undoOwn(&$0, again: true)
        },
        RuleCase(R.undoesOwnMember, .behaves, "somebody deletes what was typed") {
            undoOwn(&$0, again: false)
        },
        RuleCase(R.undoesOwnMember, .behaves, "somebody deletes it later") {
            undoOwn(&$0, again: true, wait: 20)
        },
    ]

    // MARK: Forgotten

    /// A change is refused, and the next one is sent.
    private static func forget(
        _ script: inout SessionScript, _ code: Int = 503, _ next: String = number(2),
        sv: Int = 3, wait: Double = 2, hasData: Bool = true,
        _ between: (inout SessionScript, ConnectionID) -> Void = { _, _ in }
    ) {
        let c = script.ready(hasData: hasData)
        script.edit(c, "a1", at: 1)
        script.refused(c, "a1", code, at: 1.1)
        between(&script, c)
        script.edit(c, "a2", next, sv: sv, at: 1.1 + wait)
    }

    /// A change is not answered before the connection ends, and the next one is sent.
    private static func lose(
        _ script: inout SessionScript, _ next: String = number(2), isSent: Bool = false,
        hasGap: Bool = false
    ) {
        var c = script.ready()
        script.edit(c, "a1", at: 1)
        if hasGap { script.gap(c, at: 1.5) }
        script.close(c, at: 2)
        c = script.again(at: 3)
        if isSent {
            script.edit(c, "a1", at: 4)
            script.made(c, "a1", at: 4.1)
        }
        script.edit(c, "a2", next, sv: isSent ? 4 : 3, at: 5)
    }

    private static let forgotten: [RuleCase] =
        [440, 500, 503].map { code in
            RuleCase(R.forgotten, .breaks, "after \(code)") { script in
                forget(&script, code) { script, c in
                    // It may load the object, and has to send its edit all the same.
                    script.client(c, "0:e:k.3", at: 1.3)
                    script.server(c, "0:e:k.3\n{\"data\":\(SessionScript.object)}", at: 1.4)
                }
            }
        } + [
            RuleCase(R.forgotten, .breaks, "on the next connection") { lose(&$0) },
            RuleCase(R.forgotten, .breaks, "edits the same text elsewhere") {
                forget(&$0, 503, SessionScript.delta(text, "Oh: " + text))
            },
            RuleCase(R.forgotten, .behaves, "sends both together") {
                forget(&$0, 503, with(SessionScript.append(), number(2)))
            },
            RuleCase(R.forgotten, .behaves, "writes something else in its place") {
                forget(&$0, 503, SessionScript.delta(text, text + " or less"))
            },
            RuleCase(R.forgotten, .behaves, "somebody makes the object anew") {
                forget(&$0, 503, #"{"n":{"o":"-"},"on":{"o":"-"}}"#)
            } unlike: {
                forget(&$0, 503)
            },
            RuleCase(R.forgotten, .behaves, "has not read the answer yet") {
                forget(&$0, wait: 0.4)
            },
            RuleCase(R.forgotten, .behaves, "sends it again on the next connection") {
                lose(&$0, isSent: true)
            },
            RuleCase(R.forgotten, .behaves, "what was larger than allowed is given up") {
                forget(&$0, 413)
            } unlike: {
                forget(&$0, 503)
            },
            RuleCase(R.forgotten, .behaves, "another client replaced the text") {
                forget(&$0, 503, number(2), sv: 4) { script, c in
                    let v = #"{"text":{"o":"r","v":"Something of another that is not like it"}}"#
                    script.made(c, "f1", v, sv: 3, ev: 4, by: "c-2", at: 2)
                }
            } unlike: {
                forget(&$0, 503)
            },
            RuleCase(R.forgotten, .silent, "the data were not seen") {
                forget(&$0, hasData: false)
            },
            RuleCase(R.forgotten, .silent, "bytes are missing") { lose(&$0, hasGap: true) },
        ]

    // MARK: Other objects instead

    /// The connection ends before an answer, and other objects are changed on the next one.
    private static func goOn(
        _ script: inout SessionScript, _ count: Int, from start: Double,
        refusedWith code: Int? = nil,
        isSent: Bool = false
    ) {
        var c = script.ready()
        script.edit(c, "a1", number(2), at: 1)
        if let code { script.refused(c, "a1", code, at: 1.1) }
        script.close(c, at: 2)
        c = script.again(at: 3)
        if isSent {
            script.edit(c, "a1", number(2), at: 4)
            script.made(c, "a1", number(2), at: 4.1)
        }
        script.elsewhere(c, count, at: start)
    }

    private static let goneOn: [RuleCase] = [
        RuleCase(R.neverResent, .breaks, "another object after a while") {
            goOn(&$0, 1, from: 30)
        },
        RuleCase(R.neverResent, .breaks, "two other objects") { goOn(&$0, 2, from: 22) },
        RuleCase(R.neverResent, .breaks, "after a server error") {
            goOn(&$0, 1, from: 30, refusedWith: 503)
        },
        RuleCase(R.neverResent, .behaves, "sends it before others") {
            goOn(&$0, 2, from: 22, isSent: true)
        },
        RuleCase(R.neverResent, .behaves, "sends others first") { goOn(&$0, 2, from: 3.5) },
        RuleCase(R.stuckKey, .breaks, "three other objects in half a minute") { stick(&$0) },
        RuleCase(R.stuckKey, .behaves, "sends it again after a while") {
            stick(&$0, isSent: true)
        },
    ]

    /// A server error, and other objects.
    private static func stick(_ script: inout SessionScript, isSent: Bool = false) {
        let c = script.ready()
        script.edit(c, "a1", number(2), at: 1)
        script.refused(c, "a1", 503, at: 1.1)
        script.elsewhere(c, 3, at: 5)
        if isSent {
            script.edit(c, "a1", number(2), at: 25)
            script.made(c, "a1", number(2), at: 25.1)
        }
        script.beat(c, from: 20, through: 40)
    }
}
