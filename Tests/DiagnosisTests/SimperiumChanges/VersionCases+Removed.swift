import Wire

@testable import Diagnosis

/// Cases about objects that are removed and edited.
extension VersionCases {
    /// The object is removed, and edited.
    private static func remove(
        _ script: inout SessionScript, wait: Double, sv: Int? = 3, by client: String = "c-2"
    ) {
        let c = script.ready()
        if client == "c-1" { script.edit(c, "f1", nil, sv: nil, o: "-", at: 0.9) }
        script.made(c, "f1", nil, sv: 3, ev: 4, o: "-", by: client, at: 1)
        guard let sv else {
            let v = #"{"m":{"o":"+","v":1}}"#
            script.edit(c, "a1", v, sv: nil, at: 1 + wait)
            return script.made(c, "a1", v, sv: nil, ev: 5, at: 1.1 + wait)
        }
        script.edit(c, "a1", number(6), sv: sv, at: 1 + wait)
        script.refused(c, "a1", 404, at: 1.1 + wait)
    }

    static let removed: [RuleCase] = [
        RuleCase(R.editsRemoved, .breaks, "two seconds after another removed it") {
            remove(&$0, wait: 2)
        },
        RuleCase(R.editsRemoved, .breaks, "what it has removed itself") {
            remove(&$0, wait: 2, by: "c-1")
        },
        RuleCase(R.editsRemoved, .behaves, "makes it anew with what it knows") {
            remove(&$0, wait: 2, sv: nil)
        } unlike: {
            remove(&$0, wait: 2)
        },
        RuleCase(R.editsRemoved, .silent, "both may have crossed") {
            remove(&$0, wait: 0.5)
        } unlike: {
            remove(&$0, wait: 2)
        },
    ]
}
