import Wire

@testable import Diagnosis

/// Signatures that join several findings, or several steps.
enum FindingGroupCases {
    private typealias S = SimperiumFindingGroups

    private static func number(_ value: Int) -> String { #"{"n":{"o":"r","v":\#(value)}}"# }

    static let all: [RuleCase] = ghosts + lost + echoes + stuck + storms + loops + doubles

    /// Others change the text, and the client inserts what it inserted before, again and again.
    private static func haunt(
        _ script: inout SessionScript, times: Int, hasData: Bool = true
    ) {
        let c = script.ready(hasData: hasData)
        script.edit(c, "a0", at: 1)
        script.made(c, "a0", at: 1.1)
        var now = SessionScript.text + " more"
        var version = 4
        for index in 1...times {
            let at = Double(index) * 10
            let remote = SessionScript.delta(now, "\(index)" + now)
            script.made(c, "f\(index)", remote, sv: version, ev: version + 1, by: "c-2", at: at)
            now = "\(index)" + now
            let v = SessionScript.delta(now, now + " more")
            script.edit(c, "a\(index)", v, sv: version + 1, at: at + 1)
            script.made(c, "a\(index)", v, sv: version + 1, ev: version + 2, at: at + 1.1)
            now += " more"
            version += 2
        }
    }

    private static let ghosts: [RuleCase] = [
        RuleCase(S.ghostWriting, .breaks, "three times") { haunt(&$0, times: 3) },
        RuleCase(
            S.ghostWriting, .behaves, "once is a finding of its own",
            also: ["simperium.diff.repeats-insert"]
        ) { haunt(&$0, times: 1) },
        RuleCase(S.ghostWriting, .silent, "the text was not seen") {
            haunt(&$0, times: 3, hasData: false)
        },
    ]

    /// Changes that nobody answers are not sent again.
    private static func forget(
        _ script: inout SessionScript, _ count: Int, hasGap: Bool = false
    ) {
        let c = script.ready()
        for index in 0..<count {
            script.edit(
                c, "a\(index)", #"{"n":{"o":"+","v":1}}"#, sv: nil, key: "l\(index)", at: 1)
        }
        if hasGap { script.gap(c, at: 1.5) }
        script.close(c, at: 2)
        let again = script.again(at: 3)
        script.beat(again, from: 20, through: 300)
    }

    private static let lost: [RuleCase] = [
        RuleCase(S.lostEdit, .breaks, "three objects") { forget(&$0, 3) },
        RuleCase(
            S.lostEdit, .behaves, "one is a finding of its own",
            also: ["simperium.change.never-resent"]
        ) { forget(&$0, 1) },
        RuleCase(S.lostEdit, .silent, "bytes are missing") { forget(&$0, 3, hasGap: true) },
    ]

    private static func repeatOthers(
        _ script: inout SessionScript, _ count: Int, made: Bool = false
    ) {
        let c = script.ready(hasData: false)
        for index in 0..<count {
            let at = Double(index + 1)
            let (sv, ev) = (3 + 2 * index, 4 + 2 * index)
            let v = number(10 + index)
            script.made(c, "f\(index)", v, sv: sv, ev: ev, by: "c-2", at: at)
            if made {
                script.inject(
                    c, .client, SessionScript.change("a\(index)", v, sv: ev), at: at + 0.1)
            } else {
                script.edit(c, "a\(index)", v, sv: ev, at: at + 0.1)
            }
            script.made(c, "a\(index)", v, sv: ev, ev: ev + 1, at: at + 0.2)
        }
    }

    private static let echoes: [RuleCase] = [
        RuleCase(S.echo, .breaks, "three changes") { repeatOthers(&$0, 3) },
        RuleCase(S.echo, .behaves, "one is a finding of its own", also: ["simperium.remote.echo"]) {
            repeatOthers(&$0, 1)
        },
        RuleCase(S.echo, .silent, "Tapedeck sends them") { repeatOthers(&$0, 3, made: true) },
    ]

    /// The same change is refused and left, several times.
    private static func stick(
        _ script: inout SessionScript, times: Int, closes: Bool = false
    ) {
        let c = script.ready()
        for index in 0..<times {
            let at = 1 + Double(index) * 800
            script.edit(c, "a\(index)", number(2 + index), at: at)
            script.refused(c, "a\(index)", 503, at: at + 0.1)
            for other in 0..<5 {
                script.edit(
                    c, "b\(index)\(other)", #"{"n":{"o":"+","v":1}}"#, sv: nil,
                    key: "l\(index)\(other)", at: at + 40)
                script.made(
                    c, "b\(index)\(other)", #"{"n":{"o":"+","v":1}}"#, sv: nil, ev: 1,
                    key: "l\(index)\(other)", at: at + 40.1)
            }
            if closes { script.close(c, at: at + 60) }
            if closes { break }
        }
        script.beat(c, from: 20, through: closes ? 50 : 2000)
    }

    private static let stuck: [RuleCase] = [
        RuleCase(S.stuckKey, .breaks, "twice") { stick(&$0, times: 2) },
        RuleCase(
            S.stuckKey, .behaves, "once is a finding of its own",
            also: ["simperium.change.stuck-key"]
        ) {
            stick(&$0, times: 1)
        } unlike: {
            stick(&$0, times: 2)
        },
        RuleCase(S.stuckKey, .silent, "the connection ends") {
            stick(&$0, times: 2, closes: true)
        } unlike: {
            stick(&$0, times: 2)
        },
    ]

    /// The same change is sent after each 409.
    private static func storm(
        _ script: inout SessionScript, _ count: Int, reconnects: Bool = false
    ) {
        var c = script.ready()
        for index in 0..<count {
            let at = Double(index + 1)
            script.edit(c, "a\(index)", number(2), at: at)
            script.refused(c, "a\(index)", 409, at: at + 0.1)
            guard reconnects else { continue }
            script.close(c, at: at + 0.2)
            c = script.socket(at: at + 0.3)
            script.open(c, command: "cv:cv1", at: at + 0.4)
            script.server(c, "0:c:[]", at: at + 0.5)
        }
    }

    private static let storms: [RuleCase] = [
        RuleCase(S.duplicateStorm, .breaks, "five times") { storm(&$0, 5) },
        RuleCase(
            S.duplicateStorm, .behaves, "once is a finding of its own",
            also: ["simperium.change.resend-after-409"]
        ) { storm(&$0, 2) },
        RuleCase(S.duplicateStorm, .silent, "it may not have got the answers") {
            storm(&$0, 5, reconnects: true)
        } unlike: {
            storm(&$0, 5)
        },
    ]

    /// The whole object is refused again and again.
    private static func loop(
        _ script: inout SessionScript, _ count: Int, made: Bool = false
    ) {
        let c = script.ready()
        let d = SessionScript.object.replacing(#""n":1"#, with: #""n":2"#)
        for index in 0..<count {
            let at = Double(index + 1)
            script.edit(c, "a\(index)", number(2), d: d, at: at)
            script.refused(c, "a\(index)", 405, at: at + 0.1, made: made)
        }
    }

    private static let loops: [RuleCase] = [
        RuleCase(S.fullResendLoop, .breaks, "six times") { loop(&$0, 6) },
        RuleCase(S.fullResendLoop, .behaves, "three times") { loop(&$0, 3) },
        RuleCase(S.fullResendLoop, .silent, "Tapedeck refuses it") { loop(&$0, 6, made: true) },
    ]

    private static let doubles = VersionCases.all.filter { $0.rule == S.doubleText }
}
