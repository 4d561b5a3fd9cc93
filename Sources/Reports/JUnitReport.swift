import Notation

/// Test results as JUnit's XML, as build servers read them.
///
/// Source: the schema that Jenkins, GitLab and GitHub's actions read (`junit-10.xsd`).
package struct JUnitReport {
    /// What became of a case.
    package enum Outcome {
        /// It passed; with what was printed.
        case passed(output: String = "")
        /// It failed: what is wrong in a line, of which type, and in full.
        case failed(message: String, type: String? = nil, detail: String = "")
        /// It was not tried, or does not count.
        case skipped(message: String, detail: String = "")
    }

    /// One thing that was tested.
    package struct Case {
        /// What it belongs to.
        package var group: String
        /// Its name within that.
        package var name: String
        /// How long it took, in seconds, as it is written; nil where that means nothing.
        package var seconds: String?
        /// What became of it.
        package var outcome: Outcome
        /// Facts that differ from run to run, by name: names of cases do not.
        package var properties: [(name: String, value: String)]

        /// A case.
        package init(
            group: String, name: String, seconds: String? = nil, _ outcome: Outcome,
            properties: [(name: String, value: String)] = []
        ) {
            self.group = group
            self.name = name
            self.seconds = seconds
            self.outcome = outcome
            self.properties = properties
        }
    }

    /// Cases with a name.
    package struct Suite {
        /// The name.
        package var name: String
        /// How long it took, in seconds; nil where that means nothing.
        package var seconds: Double?
        /// The cases, in order.
        package var cases: [Case]
        /// What is to be said of all of them.
        package var output: String
        /// Facts about all of them, by name.
        package var properties: [(name: String, value: String)]

        /// A suite.
        package init(
            name: String, seconds: Double? = nil, cases: [Case], output: String = "",
            properties: [(name: String, value: String)] = []
        ) {
            self.name = name
            self.seconds = seconds
            self.cases = cases
            self.output = output
            self.properties = properties
        }

        fileprivate var failures: Int {
            cases.count { if case .failed = $0.outcome { true } else { false } }
        }

        fileprivate var skipped: Int {
            cases.count { if case .skipped = $0.outcome { true } else { false } }
        }
    }

    /// The suites, in order.
    package var suites: [Suite]

    /// A report of these suites.
    package init(suites: [Suite]) { self.suites = suites }

    /// The document.
    package var text: String {
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
            + suites.map(Self.text).joined() + "</testsuites>\n"
    }

    private static func text(_ suite: Suite) -> String {
        var attributes = [
            ("name", suite.name), ("tests", "\(suite.cases.count)"),
            ("failures", "\(suite.failures)"), ("errors", "0"), ("skipped", "\(suite.skipped)"),
        ]
        if let seconds = suite.seconds {
            attributes.append(("time", "\((seconds * 1_000).rounded() / 1_000)"))
        }
        let output = suite.output.isEmpty ? "" : element("system-out", [], suite.output)
        let properties = text(properties: suite.properties)
        return "  <testsuite\(text(attributes))>\n"
            + (properties.isEmpty ? "" : "    \(properties)\n") + suite.cases.map(text).joined()
            + (output.isEmpty ? "" : "    \(output)\n") + "  </testsuite>\n"
    }

    private static func text(_ one: Case) -> String {
        var attributes = [("classname", one.group), ("name", one.name)]
        if let seconds = one.seconds { attributes.append(("time", seconds)) }
        let outcome =
            switch one.outcome {
            case .passed(let output): output.isEmpty ? "" : element("system-out", [], output)
            case .failed(let message, let type, let detail):
                element(
                    "failure", (type.map { [("type", $0)] } ?? []) + [("message", message)], detail)
            case .skipped(let message, let detail):
                element("skipped", [("message", message)], detail)
            }
        let content = text(properties: one.properties) + outcome
        let start = "    <testcase\(text(attributes))"
        return content.isEmpty ? start + "/>\n" : "\(start)>\(content)</testcase>\n"
    }

    private static func text(properties: [(name: String, value: String)]) -> String {
        guard !properties.isEmpty else { return "" }
        let items = properties.map {
            "<property\(text([("name", $0.name), ("value", $0.value)]))/>"
        }
        return "<properties>\(items.joined())</properties>"
    }

    private static func element(
        _ name: String, _ attributes: [(String, String)], _ content: String
    ) -> String {
        let start = "<\(name)\(text(attributes))"
        return content.isEmpty ? start + "/>" : "\(start)>\(Markup.escaped(content))</\(name)>"
    }

    private static func text(_ attributes: [(name: String, value: String)]) -> String {
        attributes.map { " \($0.name)=\"\(Markup.escaped($0.value, keepsSpaces: false))\"" }
            .joined()
    }
}
