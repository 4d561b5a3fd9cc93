extension FaultRule {
    /// The file that the body of its answer is in, as the plan names it; nil where it needs none.
    public var bodyFile: String? { action.text("body-file") }

    /// The rule with the body that its file holds; itself where it needs none.
    public func withBody(_ body: String) -> FaultRule {
        guard bodyFile != nil else { return self }
        var arguments = action.arguments
        arguments["body"] = .text(body)
        return FaultRule(
            name: name, condition: condition, action: FaultAction(action.kind, arguments),
            schedule: schedule)
    }
}

extension FaultPlan {
    /// The files that bodies of answers are in, as the plan names them, each once.
    ///
    /// The loader of the plan reads them: a plan itself reads no files.
    public var bodyFiles: [String] { Set(rules.compactMap(\.bodyFile)).sorted() }

    /// The plan with the bodies that its files hold, by the names of ``bodyFiles``.
    public func withBodies(_ bodies: [String: String]) -> FaultPlan {
        let read = rules.map { rule in
            rule.bodyFile.flatMap { bodies[$0] }.map(rule.withBody) ?? rule
        }
        return FaultPlan(rules: read, seed: seed)
    }
}
