extension FaultSchedule: CustomStringConvertible {
    /// The schedule as plans write it; `always` where every event is hit.
    public var description: String {
        let words = words()
        return words.isEmpty ? "always" : words.joined(separator: " ")
    }

    /// The conditions as words; the end is named `schedule-to` where `to` means something else.
    fileprivate func words(isToTaken: Bool = false) -> [String] {
        let to = isToTaken ? "schedule-to" : "to"
        let pairs: [(String, String?)] = [
            ("first", first.map { "\($0)" }),
            ("every", every.map { "\($0)" }),
            ("nth", nth.isEmpty ? nil : nth.map { "\($0)" }.joined(separator: ",")),
            ("probability", probability.map { "\($0)" }),
            ("from", from.map(PlanText.written(nanoseconds:))),
            (to, self.to.map(PlanText.written(nanoseconds:))),
            ("after-mark", afterMark),
            ("before-mark", beforeMark),
            ("until", until?.text),
            ("until-waited", untilWaited.map(PlanText.written(nanoseconds:))),
            ("per", per?.rawValue),
            ("after", after == 0 ? nil : PlanText.written(nanoseconds: after)),
        ]
        return pairs.compactMap { key, value in value.map { "\(key)=\(PlanText.written($0))" } }
    }
}

extension FaultRule: CustomStringConvertible {
    /// The rule in the one-line form, with its name; read again, it is the same rule.
    public var description: String {
        let isToTaken = action.kind.specification.parameter("to") != nil
        var words = condition.text.isEmpty ? [] : [condition.text]
        words += ["=>", action.description]
        words += schedule.words(isToTaken: isToTaken)
        words.append("name=\(PlanText.written(name))")
        return words.joined(separator: " ")
    }
}

extension FaultPlan: CustomStringConvertible {
    /// The plan in YAML; read again, it is the same plan.
    public var yaml: String {
        var lines = seed.map { ["seed: \($0)"] } ?? []
        lines.append(rules.isEmpty ? "rules: []" : "rules:")
        for rule in rules {
            lines.append("  - name: \(Self.scalar(rule.name))")
            lines.append("    filter: \(Self.scalar(rule.condition.text))")
            lines.append("    action: \(Self.scalar(rule.action.description))")
            let schedule = rule.schedule.words()
            guard !schedule.isEmpty else { continue }
            lines.append("    schedule: \(Self.scalar(schedule.joined(separator: " ")))")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The plan in YAML.
    public var description: String { yaml }

    /// `text` as a YAML scalar: in single quotation marks, or in double ones with escapes.
    private static func scalar(_ text: String) -> String {
        let isSingle = !text.unicodeScalars.contains {
            $0.properties.generalCategory == .control || !$0.isASCII && !$0.properties.isAlphabetic
        }
        if isSingle {
            let parts = text.split(separator: "'", omittingEmptySubsequences: false)
            return "'" + parts.joined(separator: "''") + "'"
        }
        var written = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": written += "\\\(scalar)"
            case "\n": written += "\\n"
            case " "..."~": written.unicodeScalars.append(scalar)
            default:
                let digits = String(scalar.value, radix: 16, uppercase: true)
                written += "\\U" + String(repeating: "0", count: 8 - digits.count) + digits
            }
        }
        return written + "\""
    }
}
