import Diagnosis
import Sessions

extension RuleTopic {
    /// Whether there was traffic that the rules of this topic are about: a rule that nothing
    /// could have broken has not passed.
    func isExercised(by counts: EvidenceCounts) -> Bool {
        let kinds = counts.kinds
        func has(_ beginnings: String...) -> Bool {
            kinds.contains { kind in beginnings.contains { kind.hasPrefix($0) } }
        }
        func hasCommand(_ names: String...) -> Bool {
            names.contains { kinds.contains("simperium:\($0)") }
        }
        return switch id {
        case "http": counts.exchanges > 0
        case "websocket": has("message", "websocket", "simperium:")
        case "commcare.submit", "commcare.form": has("commcare.submit", "openrosa.submit")
        case "commcare.sync":
            has("commcare.restore", "commcare.admin-restore", "commcare.case-restore")
        case "simperium.change", "simperium.diff", "simperium.remote": hasCommand("c")
        case "simperium.cv": hasCommand("cv", "c")
        case "simperium.entity": hasCommand("e")
        case "simperium.index": hasCommand("i")
        case "simperium.heartbeat": hasCommand("h")
        case _ where id.hasPrefix("commcare."): has("commcare.")
        case _ where id.hasPrefix("openrosa"): has("openrosa.", "commcare.")
        case _ where id.hasPrefix("simperium."): has("simperium")
        default: counts.connections > 0
        }
    }
}
