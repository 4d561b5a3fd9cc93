import Wire

/// Gathers findings: joins duplicates, and adds finding groups.
///
/// Bounded: of each rule the first ``maxOfRule`` findings are kept and the rest is counted.
public struct Report: Sendable {
    private struct Key: Hashable {
        let rule: String
        let client: String
        let topic: String
    }

    /// Findings in the order in which they were made.
    private var made: [Finding] = []
    private var absorbed: Set<Int> = []
    private var joined: [Key: Int] = [:]
    private var counts: [String: Int] = [:]
    private var places: [Key: [Int]] = [:]
    private var reported: [Key: Int] = [:]
    private var absorbing: [Key: Int] = [:]
    /// The group and the parts of findings that groups have made.
    private var groupParts: [Int: (group: Int, parts: [Int])] = [:]
    private var taken = 0
    private let groups: [FindingGroup]
    private let parts: [String: [Int]]
    /// Findings for another report; nil where they are for this one.
    private var gathered: [Finding]?

    /// The maximum number of findings of one rule.
    public static let maxOfRule = 10_000
    /// The maximum number of steps of one finding.
    static let maxSteps = 24

    init(groups: [FindingGroup]) {
        self.groups = groups
        var parts: [String: [Int]] = [:]
        for (index, group) in groups.enumerated() {
            for part in group.parts { parts[part, default: []].append(index) }
        }
        self.parts = parts
    }

    /// A report that keeps findings as they are made, for another one.
    static func gathering() -> Report {
        var report = Report(groups: [])
        report.gathered = []
        return report
    }

    /// Whether anything was gathered since the last call of ``takeGathered()``.
    var hasGathered: Bool { gathered?.isEmpty == false }

    /// The findings since the last call, in the order in which they were made.
    mutating func takeGathered() -> [Finding] {
        defer { gathered = gathered.map { _ in [] } }
        return gathered ?? []
    }

    /// Adds a finding.
    mutating func add(_ finding: Finding) {
        if gathered != nil {
            gathered?.append(finding)
            return
        }
        let whole = Key(
            rule: finding.rule.id, client: finding.client,
            topic: finding.rule.repetition == .client ? "" : finding.topic)
        if finding.rule.repetition != .each, let index = joined[whole] {
            join(finding, into: index)
            return
        }
        let count = counts[finding.rule.id, default: 0]
        counts[finding.rule.id] = count + 1
        guard count < Self.maxOfRule else { return }
        let index = made.count
        made.append(finding)
        if finding.rule.repetition != .each { joined[whole] = index }
        let exact = Key(
            rule: finding.rule.id, client: finding.client, topic: finding.topic)
        places[exact, default: []].append(index)
        if let owner = absorbing[exact] {
            absorb(index, into: owner)
        } else {
            take(finding.absorbs, into: index)
            addGroups(about: index)
        }
    }

    /// Counts another breach, and keeps the worse of both.
    private mutating func join(_ finding: Finding, into index: Int) {
        let known = made[index]
        let order = FindingRow.Severity.allCases
        let isWorse =
            order.firstIndex(of: finding.severity) ?? 0 < order.firstIndex(of: known.severity) ?? 0
        if isWorse {
            made[index] = finding
            made[index].times = known.times
        }
        made[index].times += 1
        made[index].lastAt = max(known.lastAt, finding.at)
    }

    // MARK: Finding groups

    /// Merges the findings of `rules` into the finding at `owner`.
    private mutating func take(_ rules: Set<String>, into owner: Int) {
        let finding = made[owner]
        for rule in rules {
            let key = Key(rule: rule, client: finding.client, topic: finding.topic)
            absorbing[key] = owner
            for index in places[key] ?? [] where index != owner { absorbed.insert(index) }
        }
    }

    private mutating func absorb(_ index: Int, into owner: Int) {
        absorbed.insert(index)
        made[owner].lastAt = max(made[owner].lastAt, made[index].at)
        made[owner].steps = Self.kept(Self.merged(made[owner].steps + made[index].steps))
        guard let (number, parts) = groupParts[owner] else { return }
        groupParts[owner] = (number, parts + [index])
        made[owner].detail = groups[number].detail((parts + [index]).map { made[$0] })
    }

    private mutating func addGroups(about index: Int) {
        let finding = made[index]
        for number in parts[finding.rule.id] ?? [] {
            let group = groups[number]
            let key = Key(
                rule: group.rule.id, client: finding.client,
                topic: group.sharing == .topic ? finding.topic : "")
            if let owner = reported[key] {
                absorb(index, into: owner)
                return
            }
            let found = candidates(group, finding)
            guard found.count >= group.least, var whole = group.finding(of: found.map { made[$0] })
            else {
                continue
            }
            whole.absorbs = []
            let owner = made.count
            made.append(whole)
            reported[key] = owner
            groupParts[owner] = (number, found)
            absorbed.formUnion(found)
            return
        }
    }

    /// The parts of `group` that the finding would join, itself included.
    private func candidates(_ group: FindingGroup, _ finding: Finding) -> [Int] {
        var found: [Int] = []
        switch group.sharing {
        case .topic:
            for part in group.parts {
                let key = Key(rule: part, client: finding.client, topic: finding.topic)
                found += places[key] ?? []
            }
        case .client:
            for index in made.indices.suffix(4_096)
            where made[index].client == finding.client && group.parts.contains(made[index].rule.id)
            {
                found.append(index)
            }
        }
        found = found.filter { index in
            guard !absorbed.contains(index) else { return false }
            guard let window = group.withinNanoseconds else { return true }
            return finding.at.nanoseconds - made[index].at.nanoseconds <= window
        }
        return found.sorted { (made[$0].at, $0) < (made[$1].at, $1) }
    }

    /// The steps in order of time, each row once.
    static func merged(_ steps: [FindingStep]) -> [FindingStep] {
        struct Place: Hashable {
            let step: FindingStep
        }
        var known: Set<Place> = []
        let once = steps.filter { step in
            var place = step
            // The same row may be described in two ways.
            if step.command != nil || step.exchange != nil { place.detail = "" }
            return known.insert(Place(step: place)).inserted
        }
        return once.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }
            .map(\.element)
    }

    /// The first and the last steps, where there are many.
    static func kept(_ steps: [FindingStep]) -> [FindingStep] {
        guard steps.count > maxSteps else { return steps }
        return Array(steps.prefix(maxSteps / 2) + steps.suffix(maxSteps / 2))
    }

    // MARK: Reading

    /// The findings that were not taken yet, in the order in which they were made.
    ///
    /// Parts of a finding group are left out; a group is returned when it is reported.
    mutating func takeNew() -> [Finding] {
        defer { taken = made.count }
        return (taken..<made.count).filter { !absorbed.contains($0) }.map { made[$0] }
    }

    /// All findings, the worst first, those of one severity in order of time.
    ///
    /// The order is that of their contents alone, since their numbers follow from it.
    public var findings: [Finding] {
        let order = FindingRow.Severity.allCases
        return made.indices.filter { !absorbed.contains($0) }.map { made[$0] }.sorted {
            let (a, b) = (
                order.firstIndex(of: $0.severity) ?? 0, order.firstIndex(of: $1.severity) ?? 0
            )
            return (a, $0.at, $0.rule.id, $0.client, $0.topic, $0.detail)
                < (b, $1.at, $1.rule.id, $1.client, $1.topic, $1.detail)
        }
    }

    /// The number of findings of each rule that were left out because there were too many.
    public var leftOut: [String: Int] {
        counts.compactMapValues { $0 > Self.maxOfRule ? $0 - Self.maxOfRule : nil }
    }
}
