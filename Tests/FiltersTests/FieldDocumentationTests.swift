import Foundation
import Testing

@testable import Filters

struct FieldDocumentationTests {
    /// The row of the table of fields in the grammar.
    private func row(_ field: Field) -> String {
        let details = field.details
        let name = field.isFamily ? "\(field).NAME" : field.rawValue
        let subjects = details.subjects.map(\.rawValue).joined(separator: ", ")
        let since = details.since.map { "\($0)" } ?? "-"
        let compared =
            switch details.kind {
            case .text: details.ignoresCase ? "ignored" : "matters"
            case .body, .words: "ignored"
            case .integer, .duration, .size, .boolean: "-"
            }
        return "| `\(name)` | \(details.kind) | \(subjects) | \(since) | \(compared) "
            + "| \(details.sentence) |"
    }

    private func grammar() throws -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        return try String(
            contentsOf: root.appending(path: "Sources/Filters/Filters.md"), encoding: .utf8)
    }

    @Test func `documents every field as it is`() throws {
        let lines = try grammar().split(separator: "\n").map(String.init)
        let documented = lines.filter {
            $0.hasPrefix("| `") && $0.contains(" | exchange")
                || $0.hasPrefix("| `") && $0.contains(" | command")
                || $0.hasPrefix("| `") && $0.contains(" | message |")
        }
        #expect(documented == Field.all.map(row))
    }

    @Test func `gives examples that can be read`() throws {
        var isExample = false
        var count = 0
        for line in try grammar().split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("```") {
                isExample = line == "```filter"
            } else if isExample {
                count += 1
                #expect(throws: Never.self, "\(line)") { try Filter.parse(String(line)) }
            }
        }
        #expect(count >= 20)
    }

    @Test func `names no field twice`() {
        #expect(Set(Field.all.map(\.rawValue)).count == Field.all.count)
    }

    @Test(arguments: Field.all) func `compares closed fields without case`(field: Field) {
        guard let values = field.details.values else { return }
        #expect(field.details.ignoresCase)
        #expect(values.allSatisfy { $0 == $0.lowercased() })
    }
}
