import Serving

/// The routes; `openapi.json` describes each.
enum ControlRoute: String, CaseIterable {
    case health, description, counts, seed
    case listRules, addRule, showRule, changeRule, removeRule
    case pauseRule, resumeRule, resetRule, pauseAll, resumeAll, resetAll
    case listMarks, putMark, reload, listConnections, fire
    case listHeld, decideAll, showHeld, decide, addHolder, renewHolder, removeHolder

    /// The method.
    var method: String {
        switch self {
        case .health, .description, .counts, .seed, .listRules, .showRule, .listMarks,
            .listConnections, .listHeld, .showHeld:
            "GET"
        case .changeRule, .renewHolder: "PUT"
        case .removeRule, .removeHolder: "DELETE"
        case .addRule, .pauseRule, .resumeRule, .resetRule, .pauseAll, .resumeAll, .resetAll,
            .putMark, .reload, .fire, .decideAll, .decide, .addHolder:
            "POST"
        }
    }

    /// The path; `{name}` stands for the name of a rule, a held message or a holder.
    var path: String {
        switch self {
        case .health: "/v1/health"
        case .description: "/v1/openapi.json"
        case .counts: "/v1/counts"
        case .seed: "/v1/seed"
        case .listRules, .addRule: "/v1/rules"
        case .showRule, .changeRule, .removeRule: "/v1/rules/{name}"
        case .pauseRule: "/v1/rules/{name}/pause"
        case .resumeRule: "/v1/rules/{name}/resume"
        case .resetRule: "/v1/rules/{name}/reset"
        case .pauseAll: "/v1/pause"
        case .resumeAll: "/v1/resume"
        case .resetAll: "/v1/reset"
        case .listMarks, .putMark: "/v1/marks"
        case .reload: "/v1/reload"
        case .listConnections: "/v1/connections"
        case .fire: "/v1/fire"
        case .listHeld, .decideAll: "/v1/held"
        case .showHeld, .decide: "/v1/held/{name}"
        case .addHolder: "/v1/holders"
        case .renewHolder, .removeHolder: "/v1/holders/{name}"
        }
    }

    private static let table = allCases.map { (route: $0, parts: parts($0.path)) }

    private static func parts(_ path: String) -> [Substring] {
        path.split(separator: "/", omittingEmptySubsequences: false)
    }

    /// The route of a request, and the name in its path, still percent-encoded.
    ///
    /// - Throws: ``ServedProblem`` where there is none: 404, or 405 for another method.
    static func find(
        method: String, path: String
    ) throws(ServedProblem) -> (route: ControlRoute, name: String?) {
        let asked = parts(path)
        var allowed: [String] = []
        for (route, parts) in table where parts.count == asked.count {
            var name: String?
            let fits = zip(parts, asked).allSatisfy { part, text in
                guard part == "{name}", !text.isEmpty else { return part == text }
                name = String(text)
                return true
            }
            guard fits else { continue }
            if route.method == method { return (route, name) }
            allowed.append(route.method)
        }
        throw ServedProblem(nothingFor: method, path, allowed: allowed)
    }
}
