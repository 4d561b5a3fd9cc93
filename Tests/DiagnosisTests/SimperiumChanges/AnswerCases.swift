import Wire

@testable import Diagnosis

/// Rules about what follows an answer, or the lack of one.
enum AnswerCases {
    private typealias R = SimperiumChangeRules

    static let all: [RuleCase] = again + differs + late + rates + owed

    private static func number(_ value: Int) -> String { #"{"n":{"o":"r","v":\#(value)}}"# }

    private static let whole = SessionScript.object.replacing(#""n":1"#, with: #""n":2"#)

    /// A change is refused and something follows.
    private static func refuse(
        _ script: inout SessionScript, _ code: Int, reconnects: Bool = false,
        isMade: Bool = false, _ next: (inout SessionScript, ConnectionID) -> Void
    ) {
        var c = script.ready()
        script.edit(c, "a1", number(2), at: 1)
        script.refused(c, "a1", code, at: 1.1, made: isMade)
        if reconnects {
            script.close(c, at: 1.2)
            c = script.again(at: 1.5)
        }
        next(&script, c)
    }

    /// Codes after which the same change must not be sent.
    private static let again: [RuleCase] = [
        (R.afterDuplicate, 409), (R.afterEmpty, 412), (R.afterTooLarge, 413),
        (R.afterInvalid, 400), (R.sameToken, 401), (R.diffAfterNotFound, 404),
        (R.diffAfterBadVersion, 405), (R.diffAfterInvalidDiff, 440),
    ].flatMap { rule, code -> [RuleCase] in
        // After these, no change of the object may follow unless something was asked for.
        let isAboutAny = [401, 404, 405, 440].contains(code)
        return [
            RuleCase(rule, .breaks, "the same once more") { script in
                refuse(&script, code) { $0.edit($1, "a1", number(2), at: 2) }
            },
            RuleCase(rule, .breaks, "where Tapedeck refused it") { script in
                refuse(&script, code, isMade: true) { $0.edit($1, "a1", number(2), at: 2) }
            },
            isAboutAny
                ? RuleCase(rule, .behaves, "something else, after asking") { script in
                    refuse(&script, code) { script, c in
                        script.client(c, "0:cv:cv1", at: 1.2)
                        script.server(c, "0:c:[]", at: 1.3)
                        script.edit(c, "a2", number(3), at: 2)
                        script.made(c, "a2", number(3), at: 2.1)
                    }
                } unlike: { script in
                    refuse(&script, code) { $0.edit($1, "a1", number(3), at: 2) }
                }
                : RuleCase(rule, .behaves, "something else") { script in
                    refuse(&script, code) { script, c in
                        script.edit(c, "a2", number(3), at: 2)
                        script.made(c, "a2", number(3), at: 2.1)
                    }
                } unlike: { script in
                    refuse(&script, code) { script, c in
                        script.edit(c, "a2", number(2), at: 2)
                        script.made(c, "a2", number(2), at: 2.1)
                    }
                },
            RuleCase(rule, .silent, "it may not have got the answer") { script in
                refuse(&script, code, reconnects: true) { $0.edit($1, "a1", number(2), at: 2) }
            } unlike: { script in
                refuse(&script, code) { $0.edit($1, "a1", number(2), at: 2) }
            },
        ]
    }

    private static let differs: [RuleCase] = [
        RuleCase(R.afterDuplicate, .breaks, "under another ccid") { script in
            refuse(&script, 409) { $0.edit($1, "a2", number(2), at: 2) }
        },
        RuleCase(R.afterTooLarge, .behaves, "a smaller object") { script in
            refuse(&script, 413) { $0.edit($1, "a2", #"{"text":{"o":"-"}}"#, at: 2) }
        },
        RuleCase(R.diffAfterNotFound, .behaves, "the whole object") { script in
            refuse(&script, 404) { $0.edit($1, "a1", number(2), d: whole, at: 2) }
        },
        RuleCase(R.diffAfterBadVersion, .breaks, "another edit for the same version") { script in
            refuse(&script, 405) { $0.edit($1, "a2", number(3), at: 2) }
        },
        RuleCase(R.diffAfterBadVersion, .behaves, "asks for the object first") { script in
            refuse(&script, 405) { script, c in
                script.client(c, "0:e:k.3", at: 1.2)
                script.server(c, "0:e:k.3\n" + #"{"data":\#(SessionScript.object)}"#, at: 1.3)
                script.edit(c, "a2", number(2), at: 2)
            }
        },
        RuleCase(R.diffAfterInvalidDiff, .breaks, "after 417") {
            refuse(&$0, 417) { $0.edit($1, "a1", number(2), at: 2) }
        },
        RuleCase(R.diffAfterInvalidDiff, .behaves, "the whole object under another ccid") {
            refuse(&$0, 440) { $0.edit($1, "a2", number(2), d: whole, at: 2) }
        },
        RuleCase(R.sameToken, .behaves, "another token") { script in
            refuse(&script, 401) { script, c in
                script.client(
                    c,
                    #"0:init:{"name":"note","clientid":"c-1","api":"1.1","token":"other","app_id":"app","library":"lib","version":"1","cmd":"cv:cv1"}"#,
                    at: 1.2)
                script.server(c, "0:auth:user@example.com", at: 1.3)
                script.server(c, "0:c:[]", at: 1.4)
                script.edit(c, "a1", number(2), at: 2)
            }
        },
        RuleCase(R.sameToken, .breaks, "one object after the other") { script in
            let c = script.ready()
            for index in 0..<6 {
                let at = Double(index) + 1
                script.edit(
                    c, "a\(index)", #"{"n":{"o":"+","v":1}}"#, sv: nil, key: "l\(index)", at: at)
                script.refused(c, "a\(index)", 401, key: "l\(index)", at: at + 0.1)
            }
        },
    ]

    /// A change is refused, and the client only says that it is there.
    private static func leave(
        _ script: inout SessionScript, _ code: Int, through: Double, elsewhere: Int = 0,
        closes: Bool = false, isFaulted: Bool = false,
        _ next: (inout SessionScript, ConnectionID) -> Void = { _, _ in }
    ) {
        refuse(&script, code) { script, c in
            script.elsewhere(c, elsewhere, at: 5)
            next(&script, c)
            script.beat(c, from: 20, through: through)
            if isFaulted { script.act(c, "latency 1s", at: 30) }
            if closes { script.close(c, at: 25) }
            script.end = closes ? 30 : through + 1
        }
    }

    /// Two objects that the server does not have.
    private static func leaveTwo(_ script: inout SessionScript, through: Double) {
        refuse(&script, 404) { script, c in
            script.edit(c, "b1", #"{"n":{"o":"r","v":2}}"#, sv: 7, key: "l", at: 2)
            script.refused(c, "b1", 404, key: "l", at: 2.1)
            script.beat(c, from: 20, through: through)
            script.end = through + 1
        }
    }

    /// A change is refused, and others are made at these times.
    private static func goOn(
        _ script: inout SessionScript, _ code: Int, _ times: [Double], asks: Bool = false,
        asksLater: Bool = false, sends: Bool = false
    ) {
        let c = script.ready()
        script.edit(c, "a1", number(2), at: 1)
        script.refused(c, "a1", code, at: 1.1)
        if asks {
            script.client(c, "0:cv:cv1", at: 1.2)
            script.server(c, "0:c:[]", at: 1.3)
        }
        for time in times { script.elsewhere(c, 1, at: time, named: "a\(Int(time * 10))") }
        if asksLater {
            script.client(c, "0:cv:cv1", at: 2)
            script.server(c, "0:c:[]", at: 2.1)
        }
        if sends {
            script.edit(c, "a1", number(2), d: whole, at: 9)
            script.made(c, "a1", number(2), at: 9.1)
        }
        script.close(c, at: 10)
    }

    private static let late: [RuleCase] = [
        RuleCase(R.noCatchUp, .breaks, "asks nothing") { leave(&$0, 409, through: 400) },
        RuleCase(R.noCatchUp, .breaks, "goes on with another object") {
            goOn(&$0, 409, [3])
        },
        RuleCase(R.noCatchUp, .behaves, "goes on after it has asked for the changes") {
            goOn(&$0, 409, [3], asks: true)
        } unlike: {
            goOn(&$0, 409, [3])
        },
        RuleCase(R.noCatchUp, .silent, "another change crosses the answer") {
            goOn(&$0, 409, [1.5], asksLater: true)
        } unlike: {
            goOn(&$0, 409, [3])
        },
        RuleCase(R.notSentWhole, .breaks, "goes on with three others") {
            goOn(&$0, 440, [3, 5, 8])
        },
        RuleCase(R.notSentWhole, .behaves, "goes on with one other, and sends it") {
            goOn(&$0, 440, [3], sends: true)
        } unlike: {
            goOn(&$0, 440, [3, 5, 8])
        },
        RuleCase(R.noCatchUp, .behaves, "asks for the object") {
            leave(&$0, 409, through: 400) {
                $0.client($1, "0:e:k.4", at: 3)
                $0.server($1, "0:e:k.4\n" + #"{"data":\#(whole)}"#, at: 3.1)
            }
        },
        RuleCase(R.noCatchUp, .silent, "the connection ends") {
            leave(&$0, 409, through: 20, closes: true)
        } unlike: {
            leave(&$0, 409, through: 400)
        },
        RuleCase(R.noCatchUp, .silent, "Tapedeck delays it") {
            leave(&$0, 409, through: 400, isFaulted: true)
        },
        RuleCase(R.notSentWhole, .breaks, "once") { leave(&$0, 404, through: 200) },
        RuleCase(R.notSentWhole, .breaks, "each time") { leaveTwo(&$0, through: 200) },
        RuleCase(R.notSentWhole, .behaves, "sends it") {
            leave(&$0, 440, through: 200) {
                $0.edit($1, "a2", number(2), d: whole, at: 3)
                $0.made($1, "a2", number(2), at: 3.1)
            }
        },
        RuleCase(R.notSentWhole, .silent, "the connection ends") {
            leave(&$0, 404, through: 20, closes: true)
        } unlike: {
            leave(&$0, 404, through: 200)
        },
        RuleCase(R.stuckKey, .breaks, "a server error") {
            leave(&$0, 503, through: 700, elsewhere: 5)
        },
        RuleCase(R.stuckKey, .behaves, "nothing else is sent either") {
            leave(&$0, 503, through: 700)
        } unlike: {
            leave(&$0, 503, through: 700, elsewhere: 5)
        },
        RuleCase(R.stuckKey, .behaves, "sends it again") {
            leave(&$0, 503, through: 700, elsewhere: 5) {
                $0.edit($1, "a1", number(2), at: 30)
                $0.made($1, "a1", number(2), at: 30.1)
            }
        },
        RuleCase(R.stuckKey, .silent, "the connection ends") {
            leave(&$0, 503, through: 20, elsewhere: 5, closes: true)
        } unlike: {
            leave(&$0, 503, through: 700, elsewhere: 5)
        },
    ]

    private static func burst(_ script: inout SessionScript, _ count: Int, made: Bool = false) {
        let c = script.ready()
        for index in 0..<count {
            let at = 1 + Double(index) / 1000
            let text = SessionScript.change(
                "a\(index)", #"{"n":{"o":"+","v":1}}"#, sv: nil, key: "l\(index)")
            if made {
                script.inject(c, .client, text, at: at)
            } else {
                script.client(c, text, at: at)
            }
        }
    }

    private static func retry(
        _ script: inout SessionScript, pause: Double, reconnects: Bool = false
    ) {
        var c = script.ready()
        var at = 1.0
        for _ in 0..<5 {
            script.edit(c, "a1", number(2), at: at)
            script.refused(c, "a1", 503, at: at + 0.1)
            at += 0.1 + pause
            guard reconnects else { continue }
            script.close(c, at: at - 0.04)
            c = script.socket(at: at - 0.03)
            script.open(c, command: "cv:cv1", at: at - 0.02)
            script.server(c, "0:c:[]", at: at - 0.01)
        }
    }

    private static let rates: [RuleCase] = [
        RuleCase(R.rate, .breaks, "300 at once") { burst(&$0, 300) },
        RuleCase(R.rate, .behaves, "200 at once") { burst(&$0, 200) },
        RuleCase(R.rate, .silent, "Tapedeck sends them") { burst(&$0, 300, made: true) },
        RuleCase(R.retryAtOnce, .breaks, "at once") { retry(&$0, pause: 0.05) },
        RuleCase(R.retryAtOnce, .behaves, "after a second") { retry(&$0, pause: 1) },
        RuleCase(R.retryAtOnce, .silent, "on other connections") {
            retry(&$0, pause: 0.05, reconnects: true)
        } unlike: {
            retry(&$0, pause: 0.05)
        },
    ]

    private static func lose(
        _ script: inout SessionScript, isSent: Bool = false, isReported: Bool = false,
        closes: Bool = false, hasGap: Bool = false, isFaulted: Bool = false
    ) {
        let c = script.ready()
        script.edit(c, "a1", number(2), at: 1)
        if hasGap { script.gap(c, at: 1.5) }
        script.close(c, at: 2)
        let change = SessionScript.acknowledgement("a1", number(2), sv: 3, ev: 4)
        let again = script.again(at: 3, answer: isReported ? "[\(change)]" : "[]")
        if isSent {
            script.edit(again, "a1", number(2), at: 10)
            script.made(again, "a1", number(2), at: 10.1)
        }
        if isFaulted { script.rule("kind:message sender:client => drop", at: 20) }
        script.beat(again, from: 20, through: closes ? 40 : 300)
        if closes { script.close(again, at: 60) }
    }

    private static let owed: [RuleCase] = [
        RuleCase(R.neverResent, .breaks, "forgets it") { lose(&$0) },
        RuleCase(R.neverResent, .behaves, "sends it again") { lose(&$0, isSent: true) },
        RuleCase(R.neverResent, .behaves, "receives that it was made") {
            lose(&$0, isReported: true)
        },
        RuleCase(R.neverResent, .silent, "the connection ends") {
            lose(&$0, closes: true)
        } unlike: {
            lose(&$0)
        },
        RuleCase(R.neverResent, .silent, "bytes are missing") { lose(&$0, hasGap: true) },
        RuleCase(R.neverResent, .silent, "Tapedeck takes something") {
            lose(&$0, isFaulted: true)
        },
    ]
}
