import Diagnosis
import Notation
import Wire

/// Findings as SARIF 2.1.0 (OASIS, "Static Analysis Results Interchange Format").
///
/// The trace is the artifact; rows of it are logical locations, and the steps of a finding a code
/// flow.
enum FindingSARIF {
    /// One log with one run.
    static func text(
        _ sessions: [(id: SessionID, findings: [Finding])],
        undecided: [SessionID: [UndecidedDuty]] = [:], rules: [Rule], trace: String
    ) -> String {
        let numbers = Dictionary(
            zip(rules.map(\.id), 0...), uniquingKeysWith: { first, _ in first })
        let results = sessions.flatMap { session in
            session.findings.map { result($0, session.id, numbers, trace) }
                + (undecided[session.id] ?? []).map { result($0, session.id, numbers, trace) }
        }
        var driver = JSONObjectText()
        driver.add("name", "tapedeck")
        driver.add("version", Program.version)
        driver.add("rules", raw: list(rules.map(rule)))
        var tool = JSONObjectText()
        tool.add("driver", raw: driver.text)
        var run = JSONObjectText()
        run.add("tool", raw: tool.text)
        run.add("artifacts", raw: "[{\"location\":\(artifact(trace))}]")
        run.add("results", raw: list(results))
        var log = JSONObjectText()
        log.add("$schema", "https://json.schemastore.org/sarif-2.1.0.json")
        log.add("version", "2.1.0")
        log.add("runs", raw: list([run.text]))
        return log.text + "\n"
    }

    private static func rule(_ rule: Rule) -> String {
        var object = JSONObjectText()
        object.add("id", rule.id)
        object.add("shortDescription", raw: message(rule.title))
        object.add("fullDescription", raw: message("\(rule.title) \(rule.expects)"))
        object.add("help", raw: message(RulePage.text(rule)))
        object.add(
            "defaultConfiguration", raw: "{\"level\":\(JSONString.quoted(level(rule.severity)))}")
        var properties = JSONObjectText()
        properties.add("blames", rule.blames.description)
        properties.add("source", rule.source)
        object.add("properties", raw: properties.text)
        return object.text
    }

    private static func result(
        _ finding: Finding, _ session: SessionID, _ numbers: [String: Int], _ trace: String
    ) -> String {
        var object = JSONObjectText()
        object.add("ruleId", finding.rule.id)
        object.add("ruleIndex", numbers[finding.rule.id].map(Int64.init) ?? -1)
        object.add("level", level(finding.severity))
        object.add("message", raw: message(finding.detail))
        if let breach = finding.steps.last {
            object.add("locations", raw: list([location(breach, session, trace, detail: nil)]))
        }
        if finding.steps.count > 1 {
            let steps = finding.steps.map {
                "{\"location\":\(location($0, session, trace, detail: $0))}"
            }
            object.add(
                "codeFlows", raw: "[{\"threadFlows\":[{\"locations\":\(list(steps))}]}]")
        }
        object.add("occurrenceCount", Int64(finding.times))
        object.add(
            "partialFingerprints",
            raw: "{\"finding/v1\":\(JSONString.quoted(FindingBaseline.fingerprint(finding)))}")
        var properties = JSONObjectText()
        if let number = finding.number { properties.add("number", number.description) }
        properties.add("client", finding.client)
        properties.add("session", session.rawValue)
        properties.add("at_ns", finding.at.nanoseconds)
        properties.add("expected", finding.expected)
        if let cause = finding.cause { properties.add("cause", cause) }
        object.add("properties", raw: properties.text)
        return object.text
    }

    /// What could not be decided is open and has no level.
    private static func result(
        _ duty: UndecidedDuty, _ session: SessionID, _ numbers: [String: Int], _ trace: String
    ) -> String {
        var object = JSONObjectText()
        object.add("ruleId", duty.rule.id)
        object.add("ruleIndex", numbers[duty.rule.id].map(Int64.init) ?? -1)
        object.add("kind", "open")
        object.add("level", "none")
        object.add("message", raw: message(FindingText.waiting(duty)))
        if let last = duty.steps.last {
            object.add("locations", raw: list([location(last, session, trace, detail: nil)]))
        }
        var properties = JSONObjectText()
        if let number = duty.number { properties.add("number", number.description) }
        properties.add("client", duty.client)
        properties.add("session", session.rawValue)
        properties.add("at_ns", duty.at.nanoseconds)
        properties.add("waited_ns", duty.waitedNanoseconds)
        properties.add("expected", duty.expected)
        object.add("properties", raw: properties.text)
        return object.text
    }

    private static func location(
        _ step: FindingStep, _ session: SessionID, _ trace: String, detail: FindingStep?
    ) -> String {
        var object = JSONObjectText()
        var place = JSONObjectText()
        place.add("artifactLocation", raw: artifact(trace))
        object.add("physicalLocation", raw: place.text)
        let row = FindingText.row(step)
        if !row.isEmpty {
            var logical = JSONObjectText()
            logical.add("name", row)
            logical.add("fullyQualifiedName", "session \(session)/\(row)")
            logical.add("kind", "resource")
            object.add("logicalLocations", raw: list([logical.text]))
        }
        if let detail {
            let quote = detail.quote.isEmpty ? "" : ": \(detail.quote)"
            let clock = TimeSpan.clock(detail.at.nanoseconds)
            object.add("message", raw: message("\(clock) s \(detail.detail)\(quote)"))
        }
        return object.text
    }

    /// The trace, by a URI reference with index 0 among the artifacts.
    private static func artifact(_ trace: String) -> String {
        var uri = PercentEncoding.encode(trace, keeping: .path)
        if uri.hasPrefix("/") { uri = "file://" + uri }
        return "{\"uri\":\(JSONString.quoted(uri)),\"index\":0}"
    }

    private static func message(_ text: String) -> String {
        "{\"text\":\(JSONString.quoted(text))}"
    }

    /// SARIF has the level "note" for information.
    private static func level(_ severity: FindingRow.Severity) -> String {
        severity == .info ? "note" : severity.rawValue
    }

    private static func list(_ items: [String]) -> String { "[\(items.joined(separator: ","))]" }
}
