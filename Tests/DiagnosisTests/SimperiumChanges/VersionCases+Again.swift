import Wire

@testable import Diagnosis

/// Rules about what is said again, by the client itself and by others.
extension VersionCases {
    /// The same edit under two identifiers.
    private static func twice(
        _ script: inout SessionScript, second: String = SessionScript.append(), sv: Int = 3,
        isRefused: Bool = false, isMade: Bool = false
    ) {
        let c = script.ready()
        script.edit(c, "a1", at: 1)
        if isRefused {
            let said =
                "0:c:[" + SessionScript.acknowledgement("a1", SessionScript.append(), sv: 3, ev: 4)
                + "]"
            script.rule("command:c sender:client => error 500 forwarded", at: 1)
            script.server(c, said, at: 1.1)
        } else {
            script.made(c, "a1", at: 1.1)
        }
        script.edit(c, "a2", second, sv: sv, at: 2)
        guard isMade else { return }
        script.made(c, "a2", second, sv: 4, ev: 5, at: 2.1)
    }

    static let repetition: [RuleCase] = [
        RuleCase(R.duplicateEdit, .breaks, "the same edit") { twice(&$0) },
        RuleCase(R.duplicateEdit, .behaves, "the next edit") {
            twice(
                &$0,
                second: SessionScript.delta(
                    SessionScript.text + " more", SessionScript.text + " more!"), sv: 4)
        },
        RuleCase(R.duplicateEdit, .silent, "it received an error") {
            twice(&$0, isRefused: true)
        },
        RuleCase(SimperiumFindingGroups.doubleText, .breaks, "the server takes it") {
            twice(&$0, isMade: true)
        },
        RuleCase(
            SimperiumFindingGroups.doubleText, .behaves, "the server refuses it",
            also: ["simperium.change.duplicate-edit"]
        ) { twice(&$0) },
        RuleCase(SimperiumFindingGroups.doubleText, .silent, "it received an error") {
            twice(&$0, isRefused: true, isMade: true)
        },
    ]

    private static func removeAgain(
        _ script: inout SessionScript, wait: Double, hasGap: Bool = false
    ) {
        let c = script.ready()
        script.made(c, "f1", nil, sv: 3, ev: 4, o: "-", by: "c-2", at: 1)
        if hasGap { script.gap(c, at: 1.1) }
        script.beat(c, from: 2, through: 42)
        script.edit(c, "a1", nil, sv: nil, o: "-", at: 1 + wait)
        script.refused(c, "a1", 404, at: 1.1 + wait)
    }

    static let removal: [RuleCase] = [
        RuleCase(R.echoOfRemoval, .breaks, "long after") { removeAgain(&$0, wait: 50) },
        RuleCase(R.echoOfRemoval, .behaves, "before it received it") {
            removeAgain(&$0, wait: -0.01)
        },
        RuleCase(R.echoOfRemoval, .silent, "bytes are missing") {
            removeAgain(&$0, wait: 50, hasGap: true)
        },
    ]

    private static func echo(
        _ script: inout SessionScript, _ v: String = number(5), sv: Int = 4
    ) {
        let c = script.ready(hasData: false)
        let change = SessionScript.acknowledgement("f1", number(5), sv: 3, ev: 4, by: "c-2")
        script.server(c, "0:c:[\(change)]", at: 1)
        script.edit(c, "a1", v, sv: sv, at: 2)
    }

    static let remote: [RuleCase] = [
        RuleCase(R.echo, .breaks, "the same number") { echo(&$0) },
        RuleCase(R.echo, .behaves, "another number") { echo(&$0, number(6)) },
        RuleCase(R.echo, .silent, "both may have done it") { echo(&$0, sv: 3) },
    ]
}
