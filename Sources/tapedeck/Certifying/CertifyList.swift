import Certification
import Diagnosis
import Wire

/// The cases and scenarios of a suite, for `--list`.
enum CertifyList {
    /// Scenarios with their instructions for the client, then cases with the scenarios that
    /// exercise them.
    static func text(_ suite: Suite) -> String {
        var output = ""
        for scenario in suite.scenarios {
            output += "scenario \(scenario.id): \(scenario.title)\n"
            output += "    asks: \(scenario.asks)\n"
            for fault in scenario.faults { output += "    fault: \(fault)\n" }
            for point in scenario.points { output += "    compared: \(point.name)\n" }
            output += "    limit: \(Int(scenario.limit)) s\n"
        }
        for one in suite.cases {
            output += "case \(one.id) (\(one.rule.severity.rawValue)): \(one.title)\n"
            var places: [String] = []
            for exercise in one.exercises where !places.contains(exercise.scenario) {
                places.append(exercise.scenario)
            }
            output +=
                places.isEmpty
                ? "    not exercised: \(one.reason ?? "")\n"
                : "    in: \(places.joined(separator: ", "))\n"
        }
        return output
    }
}
