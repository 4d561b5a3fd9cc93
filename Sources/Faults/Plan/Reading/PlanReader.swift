import Filters
import Yams

/// Makes a plan of YAML.
struct PlanReader {
    private let document: PlanDocument
    private let recordings: RecordingSource?

    /// A reader of `text`, which has the traces opened that rules answer from.
    init(_ text: String, _ recordings: RecordingSource? = nil) throws(FaultPlanError) {
        document = try PlanDocument(text)
        self.recordings = recordings
    }

    /// Reads the whole plan.
    func plan() throws(FaultPlanError) -> FaultPlan {
        guard let root = document.root, !isEmpty(root) else { return FaultPlan() }
        let fields = try mapping(root, "the plan", keys: ["seed", "rules"])
        let seed = try seed(fields["seed"])
        guard let list = fields["rules"], !isEmpty(list) else {
            return FaultPlan(rules: [], seed: seed)
        }
        guard case .sequence(let nodes) = list else {
            throw FaultPlanError(.expected("a list of rules, each after a -"), document.place(list))
        }
        guard nodes.count <= FaultPlan.maximumRules else {
            throw FaultPlanError(.tooManyRules, document.place(list))
        }
        var readers: [RuleReader] = []
        for node in nodes { readers.append(try ruleReader(node)) }
        return FaultPlan(rules: try Self.rules(readers, recordings), seed: seed)
    }

    /// Reads a single rule: a mapping, or a text in the one-line form.
    func rule(named fallback: String) throws(FaultPlanError) -> FaultRule {
        guard let root = document.root else {
            throw FaultPlanError(
                .expected("a rule"), PlanPlace(line: 1, column: 1, text: "", range: 0..<0))
        }
        return try ruleReader(root).rule(named: fallback, recordings)
    }

    /// The rules, named by their places where they have no names; `taken` are names in use.
    static func rules(
        _ readers: [RuleReader], after taken: [FaultRule] = [], _ recordings: RecordingSource?
    ) throws(FaultPlanError) -> [FaultRule] {
        var names = Set(taken.map(\.name))
        for reader in readers {
            guard let name = reader.name else { continue }
            guard names.insert(name.text).inserted else {
                throw FaultPlanError(.duplicateName(name.text), name.place)
            }
        }
        var rules: [FaultRule] = []
        for (index, reader) in readers.enumerated() {
            var number = taken.count + index + 1
            if reader.name == nil {
                while !names.insert("rule-\(number)").inserted { number += 1 }
            }
            rules.append(try reader.rule(named: "rule-\(number)", recordings))
        }
        return rules
    }

    private func seed(_ node: Node?) throws(FaultPlanError) -> UInt64? {
        guard let node else { return nil }
        let text = try scalar(node, "a whole number of at least 0")
        guard let seed = UInt64(text.text) else {
            throw FaultPlanError(
                .notAValue(of: "seed", expected: "a whole number of at least 0"), text.place)
        }
        return seed
    }

    private func ruleReader(_ node: Node) throws(FaultPlanError) -> RuleReader {
        if case .scalar(let scalar) = node { return try RuleReader.line(document.text(scalar)) }
        let fields = try mapping(
            node, "a rule", keys: ["name", "filter", "action", "schedule"])
        guard let action = fields["action"] else {
            throw FaultPlanError(.missingKey("action", of: "a rule"), document.place(node))
        }
        let filter: PlacedText
        guard let node = fields["filter"] else {
            throw FaultPlanError(.missingKey("filter", of: "a rule"), document.place(node))
        }
        filter = isEmpty(node) ? PlacedText("") : try scalar(node, "a filter")
        let parts = try self.action(action)
        // Without a name, and with one that is null, the rule gets one.
        let name: PlacedText?
        if let node = fields["name"], !isEmpty(node) {
            name = try scalar(node, "a name")
        } else {
            name = nil
        }
        return RuleReader(
            name: name, filter: filter, kind: parts.kind, arguments: parts.arguments,
            schedule: try schedule(fields["schedule"]))
    }

    private func action(
        _ node: Node
    ) throws(FaultPlanError) -> (kind: PlacedText, arguments: [PlanWord]) {
        if case .scalar(let scalar) = node { return try RuleReader.action(document.text(scalar)) }
        let pairs = try pairs(node, "an action")
        guard let kind = pairs.first(where: { $0.key.text == "kind" }) else {
            throw FaultPlanError(.missingKey("kind", of: "an action"), document.place(node))
        }
        var words: [PlanWord] = []
        for pair in pairs where pair.key.text != "kind" {
            words += try self.words(pair.key, pair.node)
        }
        return (try scalar(kind.node, "the name of an action"), words)
    }

    private func schedule(_ node: Node?) throws(FaultPlanError) -> [PlanWord] {
        guard let node, !isEmpty(node) else { return [] }
        if case .scalar(let scalar) = node {
            var scanner = PlanScanner(document.text(scalar))
            return try scanner.words()
        }
        var words: [PlanWord] = []
        for pair in try pairs(node, "a schedule") {
            words += try self.words(pair.key, pair.node)
        }
        return words
    }

    /// A value, or the several ones of a list.
    private func words(_ key: PlacedText, _ node: Node) throws(FaultPlanError) -> [PlanWord] {
        guard case .sequence(let nodes) = node else {
            let value = try scalar(node, "a value")
            return [PlanWord(key: key, value: value, isQuoted: true, hasValue: true)]
        }
        var words: [PlanWord] = []
        for node in nodes {
            let value = try scalar(node, "a value")
            words.append(PlanWord(key: key, value: value, isQuoted: true, hasValue: true))
        }
        return words
    }

    private func mapping(
        _ node: Node, _ owner: String, keys: [String]
    ) throws(FaultPlanError) -> [String: Node] {
        var fields: [String: Node] = [:]
        for pair in try pairs(node, owner) {
            let name = pair.key.text
            guard keys.contains(name) else {
                throw FaultPlanError(
                    .unknownKey(name, of: owner, nearest: NearestNames.of(name, among: keys)),
                    pair.key.place)
            }
            fields[name] = pair.node
        }
        return fields
    }

    private func pairs(
        _ node: Node, _ owner: String
    ) throws(FaultPlanError) -> [(key: PlacedText, node: Node)] {
        guard case .mapping(let mapping) = node else {
            throw FaultPlanError(
                .expected("\(owner): keys with values"), document.place(node))
        }
        var pairs: [(key: PlacedText, node: Node)] = []
        for (key, value) in mapping { pairs.append((try scalar(key, "a key"), value)) }
        return pairs
    }

    private func scalar(_ node: Node, _ what: String) throws(FaultPlanError) -> PlacedText {
        guard case .scalar(let scalar) = node else {
            throw FaultPlanError(.expected(what), document.place(node))
        }
        return document.text(scalar)
    }

    /// Whether nothing was written.
    private func isEmpty(_ node: Node) -> Bool {
        guard case .scalar(let scalar) = node else { return false }
        return scalar.style == .plain && ["", "~", "null"].contains(scalar.string)
    }
}
