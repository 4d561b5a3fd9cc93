import Filters
import Foundation
import Testing

@testable import Faults

struct FaultDocumentationTests {
    private var folder: URL {
        URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Sources/Faults")
    }

    private var isRebaseline: Bool {
        ProcessInfo.processInfo.environment["TAPEDECK_REBASELINE"] == "1"
    }

    private func text(_ name: String) throws -> String {
        try String(contentsOf: folder.appending(path: name), encoding: .utf8)
    }

    private func sections() -> [(name: String, lines: [String])] {
        var actions = [
            "| action | arguments | of | evaluated at | with | meaning |",
            "|---|---|---|---|---|---|",
        ]
        var arguments = ["| argument | of | type | meaning |", "|---|---|---|---|"]
        for kind in ActionKind.allCases {
            let specification = kind.specification
            let names = specification.parameters.map {
                "`\($0.name)`" + ($0.isPositional ? "\\*" : "") + ($0.isRequired ? "!" : "")
            }
            let phases = specification.phases.map(short).joined(separator: ", ")
            let subjects = specification.subjects.map(\.rawValue).joined(separator: ", ")
            let implied =
                specification.impliedText.isEmpty ? "-" : "`\(specification.impliedText)`"
            actions.append(
                "| `\(kind)` | \(names.isEmpty ? "-" : names.joined(separator: " ")) | \(subjects) "
                    + "| \(phases) | \(implied) | \(specification.sentence) |")
            for parameter in specification.parameters {
                let values = parameter.values.map { ": " + $0.joined(separator: ", ") } ?? ""
                arguments.append(
                    "| `\(parameter.name)` | `\(kind)` | \(parameter.kind.rawValue)\(values) "
                        + "| \(parameter.sentence) |")
            }
        }
        var packs = ["| pack | rules | what it simulates |", "|---|---|---|"]
        for pack in FaultPack.all {
            let count = (try? pack.plan())?.rules.count ?? 0
            packs.append("| `\(pack.name)` | \(count) | \(pack.about) |")
        }
        let examples = ActionKind.allCases.map(\.specification.example)
        actions += [
            "", "`*` may be written without its name, `!` is required. An example of each:", "",
        ]
        actions += ["```fault"] + examples + ["```"]
        return [("actions", actions), ("arguments", arguments), ("packs", packs)]
    }

    private func short(_ phase: FilterPhase) -> String {
        switch phase {
        case .connection: "connection"
        case .handshake: "TLS or tunnel"
        case .requestHead: "request head"
        case .requestBody: "request"
        case .responseHead: "response head"
        case .responseBody: "response"
        case .command: "command"
        case .message: "message"
        }
    }

    @Test func `documents every action, argument and pack as it is`() throws {
        var document = try text("Faults.md")
        for section in sections() {
            let start = "<!-- \(section.name) -->\n"
            let low = try #require(document.range(of: start)).upperBound
            let high = try #require(
                document.range(of: "<!-- end -->", range: low..<document.endIndex)
            )
            .lowerBound
            let wanted = section.lines.joined(separator: "\n") + "\n"
            if isRebaseline {
                document.replaceSubrange(low..<high, with: wanted)
            } else {
                #expect(document[low..<high] == wanted, "run with TAPEDECK_REBASELINE=1")
            }
        }
        if isRebaseline {
            try document.write(
                to: folder.appending(path: "Faults.md"), atomically: true, encoding: .utf8)
        }
    }

    @Test func `documents every key of a schedule`() throws {
        let document = try text("Faults.md")
        for key in ScheduleReader.keys { #expect(document.contains("`\(key)`"), "\(key)") }
    }

    @Test func `gives examples that can be read`() throws {
        var count = 0
        var yaml: [String]?
        var isLines = false
        for line in try text("Faults.md").split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("```") {
                if let text = yaml {
                    #expect(throws: Never.self) {
                        try FaultPlan.parse(yaml: text.joined(separator: "\n"))
                    }
                }
                yaml = line == "```yaml" ? [] : nil
                isLines = line == "```fault"
            } else if isLines {
                count += 1
                #expect(throws: Never.self, "\(line)") { try FaultRule.parse(String(line)) }
            } else {
                yaml?.append(String(line))
            }
        }
        #expect(count >= 8 + ActionKind.allCases.count)
    }

    @Test func `publishes the schema that follows from the catalogue`() throws {
        let file = folder.appending(path: "faults.schema.json")
        if isRebaseline {
            try FaultPlan.schema.write(to: file, atomically: true, encoding: .utf8)
        }
        #expect(try text("faults.schema.json") == FaultPlan.schema)
        let json = try JSONSerialization.jsonObject(with: Data(FaultPlan.schema.utf8))
        let root = try #require(json as? [String: Any])
        #expect((root["$defs"] as? [String: Any])?.count == 6)
    }

    @Test func `has the packs of its folder`() throws {
        let files = try FileManager.default.contentsOfDirectory(
            atPath: folder.appending(path: "Packs").path)
        #expect(files.sorted() == FaultPack.all.map { "\($0.name).yaml" })
        for pack in FaultPack.all { #expect(try text("Packs/\(pack.name).yaml") == pack.yaml) }
    }
}
