import Wire

@testable import Diagnosis

/// Rules about edits that are made twice, taken back or left out.
enum EditCases {
    typealias R = SimperiumChangeRules

    static let text = SessionScript.text
    static let more = SessionScript.text + " more"

    static let all: [RuleCase] =
        doubled + doubledAtOnce + takenBack + takenBackAtOnce + broughtBack + ownUndone + forgotten
        + forgottenAmongOthers + goneOn + halves

    static func number(_ value: Int) -> String { #"{"n":{"o":"r","v":\#(value)}}"# }

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

    /// The client appends the same again and again, so long after each acknowledgement.
    private static func repeatItself(_ script: inout SessionScript, wait: Double) {
        let c = script.ready()
        for number in 0..<8 {
            let at = 1 + Double(number)
            let old = text + SessionScript.suffix(number)
            let v = SessionScript.delta(old, old + " more")
            script.edit(c, "a\(number)", v, sv: 3 + number, at: at + (number == 0 ? 0 : wait - 0.9))
            script.made(c, "a\(number)", v, sv: 3 + number, ev: 4 + number, at: at + 0.1)
        }
    }

    /// The client appends a text, and the same again so long after the acknowledgement.
    private static func appendTwice(
        _ script: inout SessionScript, _ added: String, wait: Double
    ) {
        let c = script.ready()
        let first = SessionScript.delta(text, text + added)
        script.edit(c, "a1", first, at: 5)
        script.made(c, "a1", first, at: 5.1)
        let second = SessionScript.delta(text + added, text + added + added)
        script.edit(c, "a2", second, sv: 4, at: 5.1 + wait)
    }

    private static let doubledAtOnce: [RuleCase] = [
        RuleCase(R.repeatsInsert, .breaks, "at the moment of each acknowledgement") {
            repeatItself(&$0, wait: 0.01)
        },
        RuleCase(R.repeatsInsert, .breaks, "a long text, once") {
            appendTwice(&$0, " and so on", wait: 0.01)
        },
        RuleCase(R.repeatsInsert, .behaves, "somebody types a long text again") {
            appendTwice(&$0, " and so on", wait: 0.5)
        } unlike: {
            appendTwice(&$0, " and so on", wait: 0.01)
        },
        RuleCase(R.repeatsInsert, .behaves, "a short text that waited for the acknowledgement") {
            appendTwice(&$0, " more", wait: 0.01)
        } unlike: {
            appendTwice(&$0, " and so on", wait: 0.01)
        },
        RuleCase(R.repeatsInsert, .behaves, "somebody types the same again and again") {
            repeatItself(&$0, wait: 0.5)
        } unlike: {
            repeatItself(&$0, wait: 0.01)
        },
    ]

    // MARK: Brought back

    /// The object is removed, and the client makes it with this text.
    private static func bringBack(
        _ script: inout SessionScript, text: String = Self.text, by client: String = "c-2",
        wait: Double = 0.5, _ between: (inout SessionScript, ConnectionID) -> Void = { _, _ in }
    ) {
        let c = script.ready()
        if client == "c-1" { script.edit(c, "f1", nil, sv: nil, o: "-", at: 1.9) }
        script.made(c, "f1", nil, sv: 3, ev: 4, o: "-", by: client, at: 2)
        between(&script, c)
        let v =
            #"{"text":{"o":"+","v":"\#(text)"},"n":{"o":"+","v":1},"on":{"o":"+","v":true},"#
            + #""list":{"o":"+","v":[1,2]}}"#
        script.edit(c, "a1", v, sv: nil, at: 2 + wait)
    }

    private static let broughtBack: [RuleCase] = [
        RuleCase(R.broughtBack, .breaks, "at once") { bringBack(&$0) },
        RuleCase(R.broughtBack, .breaks, "after some seconds") { bringBack(&$0, wait: 4) },
        RuleCase(R.broughtBack, .behaves, "another one of that key") {
            bringBack(&$0, text: "another note")
        },
        RuleCase(R.broughtBack, .behaves, "much later") { bringBack(&$0, wait: 20) },
        RuleCase(R.broughtBack, .behaves, "what it removed itself") { bringBack(&$0, by: "c-1") },
        RuleCase(R.broughtBack, .silent, "bytes are missing") {
            bringBack(&$0) { $0.gap($1, at: 2.1) }
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

    static func with(_ operations: String, _ other: String) -> String {
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
            script.beat(ConnectionID(1), from: 20, through: 40)
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

    /// A change of another client comes while the client's own is on its way, and is taken back so
    /// long after the acknowledgement.
    private static func takeBackAfterOwn(
        _ script: inout SessionScript, _ mine: String = "Oh: ", wait: Double = 0.01
    ) {
        let c = script.ready()
        script.edit(c, "a1", at: 1)
        script.made(
            c, "f1", SessionScript.delta(text, mine + text), sv: 3, ev: 4, by: "c-2", at: 1.2)
        let v = SessionScript.delta(mine + text, mine + more)
        script.made(c, "a1", v, sv: 4, ev: 5, at: 1.3)
        script.edit(c, "a2", SessionScript.delta(mine + more, more), sv: 5, at: 1.3 + wait)
    }

    private static let takenBackAtOnce: [RuleCase] = [
        RuleCase(R.takesBack, .breaks, "at the moment of its own acknowledgement") {
            takeBackAfterOwn(&$0)
        },
        RuleCase(R.takesBack, .breaks, "a longer text, a second later") {
            takeBackAfterOwn(&$0, "And now for it: ", wait: 1)
        },
        RuleCase(R.takesBack, .behaves, "somebody deletes a word") {
            takeBackAfterOwn(&$0, wait: 1)
        } unlike: {
            takeBackAfterOwn(&$0)
        },
        RuleCase(R.takesBack, .behaves, "somebody deletes two letters") {
            takeBackAfterOwn(&$0, "O ")
        } unlike: {
            takeBackAfterOwn(&$0)
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
}
