import Filters
import Notation
import Testing

@testable import Faults

struct CatalogueTests {
    @Test(arguments: ActionKind.allCases) func `specifies every action`(kind: ActionKind) throws {
        let specification = kind.specification
        #expect(specification.kind == kind)
        #expect(!specification.phases.isEmpty)
        #expect(specification.phases == specification.phases.sorted { $0.rawValue < $1.rawValue })
        #expect(specification.sentence.hasSuffix("."))
        #expect(specification.impliedText.isEmpty == (specification.implied == nil))
        let names = specification.parameters.map(\.name)
        #expect(Set(names).count == names.count)
        #expect(names.allSatisfy { !ScheduleReader.keys.contains($0) || $0 == "to" })
        #expect(specification.parameters.allSatisfy { $0.sentence.hasSuffix(".") })
        // Those that need no name come first, and those that are required before all.
        let positional = specification.parameters.map(\.isPositional)
        #expect(positional == positional.sorted { $0 && !$1 })
        let rule = try FaultRule.parse(specification.example)
        #expect(rule.action.kind == kind)
        #expect(try FaultRule.parse("\(rule)") == rule)
        #expect(specification.phases.contains(rule.phase))
    }

    @Test(arguments: 0..<300) func `writes what it reads`(seed: UInt64) throws {
        var draws = SplitMix64(seed: seed)
        let texts = ["a", "a b", "\"", "'", "=>", "x=y", "é\n", "\\", "", "a\"b", "0", "'a", "200"]
        for kind in ActionKind.allCases {
            var arguments: [String: FaultAction.Argument] = [:]
            for parameter in kind.specification.parameters
            where parameter.isRequired || Bool.random(using: &draws) {
                let text = texts.randomElement(using: &draws) ?? ""
                let range = parameter.range ?? 0...1000
                let number = Int64.random(in: range, using: &draws)
                let argument: FaultAction.Argument =
                    switch parameter.kind {
                    case .integer, .size: .integer(min(number, 1 << 62))
                    case .duration: .duration(number)
                    case .flag: .flag(Bool.random(using: &draws))
                    case .integerOrText: .integer(number)
                    case .texts: .texts(["A: b", "C:d"])
                    case .text: .text(parameter.values?.randomElement(using: &draws) ?? text)
                    }
                if parameter.accepts(argument) { arguments[parameter.name] = argument }
            }
            arguments["body-file"] = nil
            if [.setHeader, .removeHeader, .addHeader].contains(kind) {
                arguments["name"] = .text("A")
            }
            if [.setHeader, .addHeader, .redirect, .serve, .recorded].contains(kind) {
                arguments["value"] = .text("b c")
            }
            if kind == .map { arguments["value"] = .text("http://a.example:8") }
            if kind == .edit { arguments = Self.editing(arguments, &draws) }
            if kind == .contentType || kind == .serve { arguments["type"] = .text("") }
            let action = FaultAction(kind, arguments)
            #expect(try FaultAction.parse("\(action)") == action)
            guard kind != .blackout, action.phases.contains(kind.specification.phases[0]) else {
                continue
            }
            let implied = kind.specification.impliedText
            let filter = implied.isEmpty ? "" : implied
            let rule = try FaultRule.parse(
                "\(filter) => \(action) first=3 name=\(PlanText.written("r \(seed)"))")
            let plan = FaultPlan(rules: [rule], seed: seed)
            #expect(try FaultPlan.parse(yaml: plan.yaml) == plan)
            #expect(try FaultRule.parse("\(rule)") == rule)
        }
    }

    /// Arguments of an edit that go together.
    private static func editing(
        _ arguments: [String: FaultAction.Argument], _ draws: inout SplitMix64
    ) -> [String: FaultAction.Argument] {
        let all = [
            ("json", "/a b", "x=y"), ("json-remove", "/a", nil), ("form", "a", ""),
            ("query", "=>", "a\"b"), ("header", "A", "b c"), ("path", "/a'b", nil),
            ("status", "404", nil), ("replace", "(\\d)+ \"", "\n$1"), ("path", "^/(.*)", "/a/$1"),
            ("xml", "//a[@b='c d'][2]/@e", "<"),
        ]
        let (part, place, value) = all.randomElement(using: &draws) ?? all[0]
        var result: [String: FaultAction.Argument] = ["what": .text(part), "at": .text(place)]
        result["to"] = value.map { .text($0) }
        if ["json", "json-remove", "header", "replace", "xml"].contains(part) {
            result["sender"] = arguments["sender"]
        }
        return result
    }

    @Test(arguments: [
        "from=10s schedule-to=20s", "first=3 every=2 per=key after=1500ms", "nth=1,3",
        "probability=0.25 until=\"status:200 path:/a\" until-waited=1m", "probability=1e-05",
        "after-mark='a b' before-mark=c", "always",
    ])
    func `writes schedules as it reads them`(schedule: String) throws {
        let rule = try FaultRule.parse("command:c => send 0:index \(schedule)")
        #expect(try FaultRule.parse("\(rule)") == rule)
        let plan = FaultPlan(rules: [rule], seed: nil)
        #expect(try FaultPlan.parse(yaml: plan.yaml) == plan)
    }
}
