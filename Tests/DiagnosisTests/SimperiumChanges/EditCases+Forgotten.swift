import Wire

@testable import Diagnosis

/// Cases about changes that are refused or lost, and left out later.
extension EditCases {
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

    /// A removal is not answered before the connection ends, and the object is edited.
    private static func unremove(_ script: inout SessionScript, isSent: Bool = false) {
        var c = script.ready()
        script.edit(c, "a1", nil, sv: nil, o: "-", at: 1)
        script.close(c, at: 2)
        c = script.again(at: 3)
        guard isSent else { return script.edit(c, "a2", number(2), at: 5) }
        script.edit(c, "a1", nil, sv: nil, o: "-", at: 4)
        script.made(c, "a1", nil, sv: 3, ev: 4, o: "-", at: 4.1)
        script.edit(c, "a2", #"{"m":{"o":"+","v":1}}"#, sv: nil, at: 5)
    }

    static let forgotten: [RuleCase] =
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
            RuleCase(R.forgotten, .breaks, "edits what it has removed") { unremove(&$0) },
            RuleCase(R.forgotten, .behaves, "removes it first, and makes it anew") {
                unremove(&$0, isSent: true)
            } unlike: {
                unremove(&$0)
            },
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

    /// Another client edits the same text before the next change.
    private static func forgetAmongOthers(
        _ script: inout SessionScript, _ next: String = number(2)
    ) {
        forget(&script, 503, next, sv: 4) { script, c in
            let v = SessionScript.delta(text, "Oh: " + text)
            script.made(c, "f1", v, sv: 3, ev: 4, by: "c-2", at: 2)
        }
    }

    static let forgottenAmongOthers: [RuleCase] = [
        RuleCase(R.forgotten, .breaks, "another client edited the same text") {
            forgetAmongOthers(&$0)
        },
        RuleCase(R.forgotten, .behaves, "sends it with what another client did") {
            forgetAmongOthers(
                &$0, with(SessionScript.delta("Oh: " + text, "Oh: " + more), number(2)))
        },
        RuleCase(R.forgotten, .breaks, "after 404") { forget(&$0, 404) },
        RuleCase(R.forgotten, .breaks, "after 405") { forget(&$0, 405) },
        RuleCase(R.forgotten, .behaves, "reads the object again after 405") {
            forget(&$0, 405) { script, c in
                script.client(c, "0:e:k.3", at: 1.3)
                script.server(c, "0:e:k.3\n{\"data\":\(SessionScript.object)}", at: 1.4)
            }
        } unlike: {
            forget(&$0, 405)
        },
    ]

    // MARK: Half objects

    /// A change is refused with 440, and sent again with the object.
    private static func sendWhole(_ script: inout SessionScript, _ d: String) {
        let c = script.ready()
        script.edit(c, "a1", number(2), at: 1)
        script.refused(c, "a1", 440, at: 1.1)
        script.edit(c, "a1", number(2), d: d, at: 1.3)
    }

    static let halves: [RuleCase] = [
        RuleCase(R.dataDiffers, .breaks, "only the member that was edited, under the same ccid") {
            sendWhole(&$0, #"{"n":2}"#)
        },
        RuleCase(R.dataDiffers, .behaves, "the whole object, under the same ccid") {
            sendWhole(&$0, SessionScript.object.replacing(#""n":1,"#, with: #""n":2,"#))
        } unlike: {
            sendWhole(&$0, #"{"n":2}"#)
        },
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

    static let goneOn: [RuleCase] = [
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
