import Diagnosis
import Foundation
import Notation
import Wire

/// Findings as SARIF 2.1.0 (OASIS, "Static Analysis Results Interchange Format").
///
/// The trace is the artifact; rows of it are logical locations, and the steps of a finding a code
/// flow. Viewers want a line, which a database does not have: it is the number of the row. Code
/// scanning of GitHub wants paths below the repository, so that a trace below the working folder has
/// a relative one.
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
        if let folder = Artifact(trace).folder {
            run.add(
                "originalUriBaseIds",
                raw: "{\"\(Artifact.base)\":{\"uri\":\(JSONString.quoted(folder))}}")
        }
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
        place.add("region", raw: "{\"startLine\":\(max(1, line(step)))}")
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

    /// The number of the row of a step; 0 where it has none.
    private static func line(_ step: FindingStep) -> Int64 {
        step.exchange?.rawValue ?? step.command?.rawValue ?? step.message?.rawValue ?? 0
    }

    /// The trace, with index 0 among the artifacts.
    private static func artifact(_ trace: String) -> String {
        let artifact = Artifact(trace)
        let base = artifact.folder == nil ? "" : ",\"uriBaseId\":\"\(Artifact.base)\""
        return "{\"uri\":\(JSONString.quoted(artifact.uri))\(base),\"index\":0}"
    }

    /// Where the trace is: relative to the working folder if it is below that.
    private struct Artifact {
        /// The name that build servers give the folder of the sources.
        static let base = "%SRCROOT%"

        let uri: String
        /// The working folder as a URI; nil where the trace is elsewhere.
        let folder: String?

        init(_ path: String) {
            let current = URL(
                fileURLWithPath: FileManager.default.currentDirectoryPath, isDirectory: true)
            let prefix = current.path == "/" ? "/" : current.path + "/"
            let path = URL(fileURLWithPath: path).standardizedFileURL.path
            if path.hasPrefix(prefix) {
                uri = PercentEncoding.encode(String(path.dropFirst(prefix.count)), keeping: .path)
                folder = "file://" + PercentEncoding.encode(prefix, keeping: .path)
            } else {
                uri = "file://" + PercentEncoding.encode(path, keeping: .path)
                folder = nil
            }
        }
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
