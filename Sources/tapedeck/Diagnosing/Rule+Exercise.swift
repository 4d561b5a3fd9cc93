import Diagnosis
import Sessions

extension Rule {
    /// Whether there was traffic that could have broken it: that of its topic and, where it is about
    /// a status or an error code, one with that.
    func isExercised(by counts: EvidenceCounts) -> Bool {
        guard RuleTopic(of: self).isExercised(by: counts) else { return false }
        guard let code else { return true }
        return counts.kinds.contains { kind in
            let words = kind.split(separator: ":")
            guard words.count == 2, words[0] == "status" || words[0] == "error" else {
                return false
            }
            return code == "4xx" ? words[1].first == "4" : words[1] == code
        }
    }

    /// The status or error code that must have been answered before it can be broken.
    ///
    /// The name has it: `412` in `commcare.sync.incremental-after-412`. One that a peer should have
    /// given is none, as in `openrosa.server.head-not-204`.
    private var code: Substring? {
        let words = id.split { $0 == "." || $0 == "-" }
        for (place, word) in words.enumerated() where word.count == 3 {
            guard word == "4xx" || word.allSatisfy(\.isWholeNumber) else { continue }
            return place > 0 && words[place - 1] == "not" ? nil : word
        }
        return nil
    }
}
