import Filters

/// Why the rules of a session were not changed.
public enum FaultSessionError: Error, Hashable, Sendable, CustomStringConvertible {
    /// There is a rule of this name.
    case duplicateName(String)
    /// There is no rule of this name; `nearest` are names like it, best first, at most three.
    case noRule(String, nearest: [String])
    /// There are as many rules as there can be.
    case tooManyRules

    /// The error and how to correct it, in one line.
    public var description: String {
        switch self {
        case .duplicateName(let name): "a rule \"\(name)\" exists already"
        case .noRule(let name, let nearest):
            "there is no rule \"\(name)\"" + NearestNames.question(nearest)
        case .tooManyRules: "there are at most \(FaultPlan.maximumRules) rules"
        }
    }
}
