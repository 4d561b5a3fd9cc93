import Filters
import Notation

/// Random filters about what a ``FilterWorld`` has.
enum FilterTexts {
    /// What live events have as well.
    static let fields = Field.all.filter { !$0.isOfTraceAlone }

    /// A random comparison with a value that some row may have.
    static func comparison(_ field: Field, _ random: inout SplitMix64) -> String {
        func pick(_ list: [String]) -> String { list.randomElement(using: &random) ?? "" }
        let name =
            field.isFamily ? "\(field).\(pick(["x-a", "X-B", "host"]))" : field.rawValue
        func quoted(_ text: String) -> String {
            "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
        }
        if Int.random(in: 0..<8, using: &random) == 0 { return "has:\(name)" }
        let texts =
            FilterWorld.words + FilterWorld.natures
            + [
                "http", "https", "GET", "www.example", "c", "?", "notes", "Notes", "response",
                "form",
            ]
            + ["commcare.restore", "http.two-lengths", "M", "-", "HTTP/1.1", "1"]
        switch field.details.kind {
        case .text:
            let value = field.details.values.map(pick) ?? pick(texts)
            let shapes = [
                "*", "*e*", "h*", "*.example", "EX?MPLE", "*o*e*", "n*s", "[q]*", "*\\**",
            ]
            return switch Int.random(in: 0..<6, using: &random) {
            case 0: "\(name):\(quoted(value))"
            case 1: "\(name)!=\(quoted(value))"
            case 2: "\(name):{\(quoted(value)),\(field.details.values.map(pick) ?? pick(shapes))}"
            case 3: "\(name)~\(quoted(value.isEmpty ? "e" : value))"
            case 4: "\(name)~/\(pick(["^.$", "e", "[0-9]+", "^$", "ö", "\\bs"]))/i"
            default: "\(name):\(pick(field.details.values == nil ? shapes : ["*e*", "h*"]))"
            }
        case .integer, .duration, .size:
            let unit = field.details.kind == .duration ? "ms" : ""
            let numbers = FilterWorld.codes.map(String.init) + ["0", "1", "2", "30", "443", "1000"]
            return name + pick([":", "=", "!=", "<", "<=", ">", ">="]) + pick(numbers) + unit
        case .boolean: return name + pick([":", "!="]) + pick(["true", "false"])
        case .body:
            return name
                + pick([
                    ":sync", ":\"größe, \"", "~\"A1 \"", ":s*n*a1", "=\"sync \"", "~/^s/",
                    "~/[0-9].?%/",
                    ":*", "!~notes", ":{x_y,[q]}", "~/A$/", ":a*",
                ])
        case .words:
            return pick([
                "sync", "\"notes sync\"", "gro*", "GRÖẞE", "text:*", "\"x y\"", "50", "\"a1 b 2\"",
                "text:{q,d}", "a",
            ])
        }
    }

    /// A random filter with parentheses to this depth.
    static func filter(_ random: inout SplitMix64, depth: Int) -> String {
        guard depth > 0, Int.random(in: 0..<3, using: &random) > 0 else {
            return comparison(Self.fields.randomElement(using: &random) ?? .kind, &random)
        }
        let parts = (0..<Int.random(in: 1...3, using: &random)).map { _ in
            filter(&random, depth: depth - 1)
        }
        return switch Int.random(in: 0..<3, using: &random) {
        case 0: "(" + parts.joined(separator: " ") + ")"
        case 1: "(" + parts.joined(separator: " or ") + ")"
        default: "not (" + parts.joined(separator: " or ") + ")"
        }
    }
}
