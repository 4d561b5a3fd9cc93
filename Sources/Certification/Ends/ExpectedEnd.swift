public import Notation
internal import Wire

/// What a scenario asks to be on the server at its end, or at a point of it, derived from its
/// declared steps.
///
/// Objects follow the steps of the client and of the second client in the order in which their
/// `wait-for` steps lead them; forms follow the `submit` steps.
public struct ExpectedEnd: Hashable, Sendable {
    /// A form and the cases that it makes or changes.
    public struct Form: Hashable, Sendable {
        /// Its `instanceID`.
        public var instanceID: String
        /// Name of its file.
        public var name: String
        /// Whether it need not be stored: a fault refuses it for good, or nothing asks for it.
        public var isOptional: Bool
    }

    /// Data of each object that has to be there, by key.
    public private(set) var objects: [String: JSONValue] = [:]
    /// All data that a step stores under a key; a removal adds nothing.
    public private(set) var made: [String: [JSONValue]] = [:]
    /// Keys of objects that both clients change, where the server may have mixtures of both.
    public private(set) var shared: Set<String> = []
    /// The forms of all steps, sorted by `instanceID`.
    public private(set) var forms: [Form] = []
    /// Identifiers of cases that have to be there: whether they are closed.
    public private(set) var cases: [String: Bool] = [:]
    /// Identifiers of cases that may be there.
    public private(set) var possibleCases: Set<String> = []
    /// Identifiers of cases that belong to the user, and are open.
    public private(set) var ownCases: Set<String> = []
    /// Whether the server makes cases of its own for a claim.
    public private(set) var hasClaims = false
    /// The steps that no other step leads to; empty where the scenario is consistent.
    public private(set) var stuck: [Step] = []

    /// The end that the steps of `scenario` lead to.
    ///
    /// - Parameters:
    ///   - scenario: The scenario.
    ///   - isCutShort: Whether the client was ended before the longest pause of its script was over.
    public init(_ scenario: Scenario, isCutShort: Bool = false) {
        self.init(scenario, isCutShort ? scenario.scriptUntilPause : scenario.script)
        for (key, data) in scenario.merged {
            guard let value = try? JSONValue(parsing: data) else { continue }
            objects[key] = value
            made[key, default: []].append(value)
        }
    }

    /// The state at a point of `scenario`.
    public init(_ scenario: Scenario, at point: ComparisonPoint) {
        self.init(scenario, Array(scenario.script.prefix(point.steps)))
    }

    /// The state after these steps of the client, and all steps of the second client.
    private init(_ scenario: Scenario, _ script: [Step]) {
        for step in scenario.seed { apply(step) }
        var client = script[...]
        var second = scenario.deeds.flatMap(\.steps)[...]
        while advance(&client) || advance(&second) {}
        stuck = Array(client) + Array(second)
        let theirs = Set(scenario.deeds.flatMap(\.steps).compactMap(\.changedKey))
        shared = theirs.intersection(scenario.script.compactMap(\.changedKey))
        addForms(scenario, script)
    }

    /// Applies steps up to one that waits for something which is not there.
    ///
    /// - Returns: Whether there was one to apply.
    private mutating func advance(_ steps: inout ArraySlice<Step>) -> Bool {
        var isMoving = false
        while let step = steps.first {
            if case .waitFor(let key, let data) = step {
                let wanted = data.flatMap { try? JSONValue(parsing: $0) }
                switch (objects[key], wanted) {
                case (nil, nil): break
                case (let there?, let wanted?) where there.isSame(as: wanted): break
                default: return isMoving
                }
            }
            apply(step)
            steps.removeFirst()
            isMoving = true
        }
        return isMoving
    }

    private mutating func apply(_ step: Step) {
        switch step {
        case .set(let key, let data):
            guard let value = try? JSONValue(parsing: data) else { return }
            objects[key] = value
            made[key, default: []].append(value)
        case .delete(let key):
            objects[key] = nil
            made[key, default: []] += []
        case .claim: hasClaims = true
        default: break
        }
    }

    private mutating func addForms(_ scenario: Scenario, _ script: [Step]) {
        var known: [String: Form] = [:]
        let certain = Set((scenario.seed + script + scenario.deeds.flatMap(\.steps)))
        for step in scenario.seed + scenario.script + scenario.deeds.flatMap(\.steps) {
            guard case .submit(let name, _, let how) = step else { continue }
            let isOptional =
                scenario.unstored.contains(name) || how == .demo || !certain.contains(step)
            let id = CommCareForms.instanceID(of: name)
            let form = Form(instanceID: id, name: name, isOptional: isOptional)
            known[id] = form
            guard let facts = CommCareForms.caseFacts(of: name) else { continue }
            possibleCases.insert(facts.id)
            guard !isOptional else { continue }
            cases[facts.id] = facts.isClosed || cases[facts.id] == true
            if facts.isOwn { ownCases.insert(facts.id) }
        }
        ownCases = ownCases.filter { cases[$0] == false }
        forms = known.values.sorted { $0.instanceID < $1.instanceID }
    }
}
