import Certification
import Diagnosis
import Notation
import Wire

/// The pages about rules.
enum RulePage {
    /// The page about one rule.
    static func text(_ rule: Rule) -> String {
        var lines = ["\(rule.severity.rawValue) \(rule.id), about the \(rule.blames)"]
        for (name, text) in facts(rule) {
            lines += FindingText.wrapped(text, "  \(name): ", "    ")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func facts(_ rule: Rule) -> [(String, String)] {
        var facts = [
            ("what", rule.title), ("source", rule.source), ("follows", rule.follows),
            ("evidence", rule.evidence), ("expected", rule.expects),
        ]
        if let deadline = rule.deadlineNanoseconds {
            facts.append(
                ("deadline", "\(TimeSpan.text(deadline)), or what --patience says"))
        }
        if let minimum = rule.minimumNanoseconds {
            facts.append(("minimum", TimeSpan.text(minimum)))
        }
        if let duty = Duty.of(rule) {
            facts.append(("duty after", duty.trigger))
            if let due = duty.due { facts.append(("due at", due)) }
            if let undecided = duty.undecided { facts.append(("undecided", undecided)) }
        }
        facts.append(("reported", repetitionText(rule.repetition)))
        facts.append(("silent", rule.silent))
        if let harm = rule.harm { facts.append(("harm", harm)) }
        if let cause = rule.cause { facts.append(("likely cause", cause)) }
        return facts
    }

    private static func repetitionText(_ repetition: Rule.Repetition) -> String {
        switch repetition {
        case .each: "once for each breach"
        case .topic: "once for each client and topic, with a count"
        case .client: "once for each client, with a count"
        }
    }

    /// A line for each rule.
    static func list(_ rules: [Rule]) -> String {
        let width = rules.map(\.id.count).max() ?? 0
        return rules.map { rule in
            "\(ListLine.pad(rule.severity.rawValue, 7))  \(ListLine.pad(rule.id, width))  \(rule.title)\n"
        }.joined()
    }

    /// An object on a line for each rule.
    static func json(_ rule: Rule) -> String {
        var object = JSONObjectText()
        object.add("rule", rule.id)
        object.add("severity", rule.severity.rawValue)
        object.add("blames", rule.blames.description)
        object.add("title", rule.title)
        object.add("source", rule.source)
        object.add("follows", rule.follows)
        object.add("evidence", rule.evidence)
        object.add("expected", rule.expects)
        object.add("deadline_ns", rule.deadlineNanoseconds)
        object.add("minimum_ns", rule.minimumNanoseconds)
        object.add("duty_after", Duty.of(rule)?.trigger)
        object.add("due_at", Duty.of(rule)?.due)
        object.add("undecided", Duty.of(rule)?.undecided)
        object.add("repetition", rule.repetition.rawValue)
        object.add("silent", rule.silent)
        object.add("harm", rule.harm)
        object.add("cause", rule.cause)
        return object.text
    }

    // MARK: The overview

    /// The overview in the repository, one line for each rule; ``text(_:)`` has the details.
    static func markdown(_ rules: [Rule]) -> String {
        var text = """
            # Rules

            What `tapedeck diagnose` checks, written by `Tools/rules`. `tapedeck diagnose --explain RULE` prints a rule's source, the
            state it follows, its evidence, what is expected instead, its times, and when it is silent. All rules are silent about
            what was not captured and about what Tapedeck did to the traffic itself; rules of HTTP and WebSocket also about bytes that
            were synthesized from an archive. Sources are entries of the [catalogue of mistakes](Catalogue.md), sections of what we
            know about the protocols ([Simperium](../Simperium/Specification.md), [CommCare and OpenRosa](../OpenRosa/Specification.md),
            [HTTP layer](../HTTPLayer/Specification.md)), and RFCs; paths that `--explain` prints are relative to this folder's parent.

            *Time*: the deadline of a [duty](#duties), which `--patience` sets, or *min*, the least time that something has to last
            before it counts.


            """
        var topics: [RuleTopic] = []
        for rule in rules where topics.last != RuleTopic(of: rule) {
            topics.append(RuleTopic(of: rule))
        }
        for topic in topics {
            text += "## \(topic.id)\n\n| Rule | Severity | About | Time | What | Source |\n"
            text += "| --- | --- | --- | --- | --- | --- |\n"
            for rule in rules where RuleTopic(of: rule) == topic {
                text += "| `\(rule.id)` | \(rule.severity.rawValue) | \(rule.blames)"
                text += " | \(time(rule)) | \(cell(rule.title)) | \(sources(of: rule)) |\n"
            }
            text += "\n"
        }
        return text + duties(rules)
    }

    /// The deadline, or the minimum.
    private static func time(_ rule: Rule) -> String {
        rule.deadlineNanoseconds.map { TimeSpan.text($0) }
            ?? rule.minimumNanoseconds.map { "min \(TimeSpan.text($0))" } ?? ""
    }

    /// The table of duties.
    private static func duties(_ rules: [Rule]) -> String {
        var text = """
            ## Duties

            What a peer has to do after something has happened. It is broken as soon as what the peer does shows that it will not be
            done (*due*), and else when its deadline has passed while the peer sent other things. Where the recording ended before, it
            is undecided. *Scenarios* are those of `tapedeck certify` in which the rule is checked.

            | After | Due | Deadline | Undecided | Scenarios | Rule |
            | --- | --- | --- | --- | --- | --- |

            """
        for rule in rules {
            guard let duty = Duty.of(rule) else { continue }
            text += "| \(cell(duty.trigger)) | \(cell(duty.due ?? "")) | \(time(rule))"
            text += " | \(cell(duty.undecided ?? "")) | \(scenarios(rule)) | `\(rule.id)` |\n"
        }
        return text
    }

    /// The scenarios in which a rule is checked, each once.
    private static func scenarios(_ rule: Rule) -> String {
        let exercises = Suite.Name.allCases.flatMap { name in
            Suite(name).cases.first { $0.id == rule.id }?.exercises ?? []
        }
        var seen: Set<String> = []
        return exercises.map(\.scenario).filter { seen.insert($0).inserted }
            .map { "`\($0)`" }.joined(separator: ", ")
    }

    /// Where a rule comes from: a link for each section that its source cites, and the RFCs.
    static func sources(of rule: Rule) -> String {
        let citations = rule.source.matches(
            of:
                #/(?<file>[A-Za-z]+/[A-Za-z]+\.md)(?<anchors>#[a-z0-9-]+(?:, #[a-z0-9-]+)*)|RFC \d+/#
        )
        var sources: [String] = []
        for citation in citations {
            guard let file = citation.file, let anchors = citation.anchors else {
                sources.append(String(citation.0))
                continue
            }
            for anchor in anchors.split(separator: ", ") {
                sources.append(link(String(file), anchor: anchor.dropFirst()))
            }
        }
        var seen: Set<String> = []
        return sources.filter { seen.insert($0).inserted }.joined(separator: ", ")
    }

    private static func link(_ file: String, anchor: Substring) -> String {
        let here = "Diagnosis/"
        return file.hasPrefix(here)
            ? "[\(anchor.uppercased())](\(file.dropFirst(here.count))#\(anchor))"
            : "[\(anchor.replacing("-", with: " "))](../\(file)#\(anchor))"
    }

    private static func cell(_ text: String) -> String {
        text.split { $0.isNewline }.joined(separator: " ")
            .replacing("<", with: "&lt;").replacing("*", with: "\\*").replacing("|", with: "\\|")
    }
}
