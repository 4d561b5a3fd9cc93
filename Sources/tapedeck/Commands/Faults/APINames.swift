import Dissection
import Faults
import Filters
import OpenRosa

/// The values that the filter field `api` has.
enum APINames {
    /// All of them, sorted.
    static let all: [String] =
        (OpenRosaAPI.allCases.map(\.rawValue)
        + [
            "connect", "http", "simperium.auth", "simperium.http", "simperium.socket", "websocket",
        ]).sorted()

    /// What the user should know about the rules of a plan: conditions that nothing can pass.
    static func warnings(_ plan: FaultPlan) -> [String] {
        plan.rules.flatMap { rule in
            unknown(rule.condition.filter.root).map { value in
                let nearest = NearestNames.of(value, among: all)
                return "the rule \(rule.name) matches nothing: there is no api \(value)"
                    + (nearest.isEmpty
                        ? "; there are \(all.joined(separator: ", "))"
                        : NearestNames.question(nearest))
            }
        }
    }

    private static func unknown(_ node: FilterNode) -> [String] {
        switch node {
        case .always: []
        case .and(let nodes), .or(let nodes): nodes.flatMap(unknown)
        case .not(let node): unknown(node)
        case .comparison(let comparison):
            comparison.field == .api ? unknown(comparison.test) : []
        }
    }

    private static func unknown(_ test: FilterTest) -> [String] {
        switch test {
        case .equal(let value) where !all.contains(value.lowercased()): [value]
        case .glob(let glob) where !all.contains(where: { matches(glob, $0) }):
            [glob.literals.joined(separator: "*")]
        default: []
        }
    }

    private static func matches(_ glob: Glob, _ name: String) -> Bool {
        var name = name
        return name.withUTF8 { glob.matches(UnsafeRawBufferPointer($0), ignoringCase: true) }
    }
}
