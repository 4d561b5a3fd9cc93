import Filters
import Wire

/// What a session keeps: rules, counts and marks.
struct FaultSessionState {
    /// A rule and what is derived of it; a reference, since it is large and used for each event.
    private final class Judged: Sendable {
        let rule: FaultRule
        /// When events are hit; nil for always.
        let window: FaultSchedule?

        init(_ rule: FaultRule) {
            self.rule = rule
            let window = rule.judgedWindow
            let isBound =
                window.from != nil || window.to != nil || window.afterMark != nil
                || window.beforeMark != nil
            self.window = isBound ? window : nil
        }
    }

    private struct Entry {
        let number: Int
        let judged: Judged
        /// The generation of the rules in which it came, or was resumed.
        var generation: Int
        var isPlanned: Bool
        var isPaused = false
        var matched: Int64 = 0
        var fired: Int64 = 0
        var failed: Int64 = 0
        var forgotten: Int64 = 0
        /// The count of a rule that counts over all, which is never dropped.
        var overall = ScopeCount()

        init(_ number: Int, _ rule: FaultRule, _ generation: Int, isPlanned: Bool) {
            self.number = number
            self.generation = generation
            judged = Judged(rule)
            self.isPlanned = isPlanned
        }

        var rule: FaultRule { judged.rule }

        mutating func reset() {
            (matched, fired, failed, forgotten, overall) = (0, 0, 0, 0, ScopeCount())
        }
    }

    /// How often the rules were changed, from 1.
    var generation = 1
    /// The marks.
    private(set) var marks = FaultMarks()
    /// The phases that rules are evaluated in.
    private(set) var interest: FaultInterest = []
    private var entries: [Entry] = []
    /// The place of each rule, by its number.
    private var places: [Int: Int] = [:]
    private var questions: [[FaultQuestion]] = []
    /// What has to be true of an exchange so that some rule can be about it, for each phase.
    private(set) var exchangeConditions: [ExchangeCondition] = []
    /// What the head of a request has to show so that some rule can be about its exchange later.
    private(set) var earlyCondition = ExchangeCondition.never
    private var counts: ScopeCounts
    private var nextNumber = 0

    /// The state at the start of a session.
    init(_ plan: FaultPlan, maximumScopes: Int) {
        counts = ScopeCounts(capacity: maximumScopes)
        for rule in plan.rules { entries.append(entry(rule, isPlanned: true)) }
        arrange()
    }

    /// The conditions evaluated in a phase.
    func questions(in phase: FilterPhase) -> [FaultQuestion] { questions[phase.rawValue] }

    /// What is to be done to the event that got these answers.
    ///
    /// - Parameters:
    ///   - answers: What the event is to the rules.
    ///   - scope: Whose event it is; nil where all these rules count over all.
    ///   - at: When it was received.
    ///   - seed: The seed of draws.
    /// - Returns: What is to be done, in the order of the answers.
    mutating func firings(
        _ answers: [FaultQuestion.Answer], scope: FaultScope?, at: Instant, seed: UInt64
    ) -> [Firing] {
        var firings: [Firing] = []
        for answer in answers {
            // The rule may have been removed since it was evaluated.
            guard let place = places[answer.rule], !entries[place].isPaused else { continue }
            if let firing = firing(answer, place, scope, at, seed) { firings.append(firing) }
        }
        return firings
    }

    private mutating func firing(
        _ answer: FaultQuestion.Answer, _ place: Int, _ scope: FaultScope?, _ at: Instant,
        _ seed: UInt64
    ) -> Firing? {
        let judged = entries[place].judged
        let value = scope.map { ScopeKey.bounded($0.value(of: answer.extent)) } ?? ""
        if answer.holds { entries[place].matched += 1 }
        var count = ScopeCount()
        let isOpen = judged.window.map { marks.isOpen($0, at: at) } ?? true
        var draw: UInt64?
        let judge = { (known: inout ScopeCount) in
            draw = known.judge(
                answer, judged.rule, scope: value, at: at, isOpen: isOpen, seed: seed)
            count = known
        }
        if answer.extent == .overall {
            judge(&entries[place].overall)
        } else {
            let key = ScopeKey(rule: answer.rule, value)
            if let loser = counts.update(key, judge), let place = places[loser] {
                entries[place].forgotten += 1
            }
        }
        guard let draw else { return nil }
        entries[place].fired += 1
        let rule = judged.rule
        return Firing(
            rule: rule.name, action: rule.action, scope: value, occurrence: count.occurrences,
            draw: draw, afterNanoseconds: rule.schedule.after, window: rule.schedule.window)
    }

    /// Counts a firing that could not be carried out, if its rule is still there.
    mutating func fail(_ firing: Firing) {
        guard
            let place = entries.firstIndex(where: { $0.rule.name == firing.rule }),
            // Its counts were reset since.
            entries[place].failed < entries[place].fired
        else { return }
        entries[place].failed += 1
    }

    /// Whether a rule is there, not paused, and its windows are open.
    func isOpen(_ name: String, at: Instant) -> Bool {
        entries.contains {
            $0.rule.name == name && !$0.isPaused && marks.isOpen($0.rule.schedule, at: at)
        }
    }

    /// The rules with their counts.
    var statuses: [FaultRuleStatus] {
        entries.filter { !$0.rule.isAsking }.map {
            FaultRuleStatus(
                rule: $0.rule, isPaused: $0.isPaused, isPlanned: $0.isPlanned,
                matched: $0.matched, fired: $0.fired - $0.failed, failed: $0.failed,
                forgotten: $0.forgotten)
        }
    }

    /// Puts a mark; rules that wait for the first of its name count as added with it.
    mutating func put(_ mark: MarkRow) {
        let isFirst = !marks.isKnown(mark.name)
        marks.put(mark)
        let waiting = entries.indices.filter { entries[$0].rule.schedule.afterMark == mark.name }
        guard isFirst, !waiting.isEmpty else { return }
        generation += 1
        for place in waiting { entries[place].generation = generation }
        arrange()
    }

    /// Adds a rule after all others.
    mutating func add(_ rule: FaultRule) throws(FaultSessionError) {
        guard !entries.contains(where: { $0.rule.name == rule.name }) else {
            throw .duplicateName(rule.name)
        }
        guard entries.count < FaultPlan.maximumRules else { throw .tooManyRules }
        // Those who are asked get what rules left.
        let place = entries.firstIndex { $0.rule.isAsking } ?? entries.count
        entries.insert(entry(rule, isPlanned: false), at: place)
        arrange()
    }

    /// Puts the messages that somebody is asked about in the place of those before.
    mutating func setAsked(_ asked: [AskedFilter], by name: String) {
        entries.removeAll { $0.rule.isAsking && $0.rule.action.text("by") == name }
        for (number, filter) in asked.enumerated() {
            entries.append(
                entry(FaultRule(asking: name, number: number, filter), isPlanned: false))
        }
        arrange()
    }

    /// Puts a rule in the place of the one with its name.
    mutating func change(_ rule: FaultRule) throws(FaultSessionError) {
        let place = try place(of: rule.name)
        var changed = entry(rule, isPlanned: entries[place].isPlanned)
        changed.isPaused = entries[place].isPaused
        entries[place] = changed
        arrange()
    }

    /// Removes a rule.
    mutating func remove(_ name: String) throws(FaultSessionError) {
        entries.remove(at: try place(of: name))
        arrange()
    }

    /// Pauses or resumes a rule, or all.
    mutating func setPaused(_ isPaused: Bool, _ name: String?) throws(FaultSessionError) {
        for place in try places(of: name) where entries[place].isPaused != isPaused {
            entries[place].isPaused = isPaused
            entries[place].generation = generation
        }
        arrange()
    }

    /// Resets the counts of a rule, or of all.
    mutating func reset(_ name: String?) throws(FaultSessionError) {
        var numbers: Set<Int> = []
        for place in try places(of: name) {
            entries[place].reset()
            numbers.insert(entries[place].number)
        }
        counts.keep { !numbers.contains($0) }
    }

    /// Puts the rules of a plan in the place of those of the plan before.
    mutating func replace(_ plan: FaultPlan) {
        var before: [String: Entry] = [:]
        for entry in entries { before[entry.rule.name] = entry }
        var after: [Entry] = []
        for rule in plan.rules {
            let old = before.removeValue(forKey: rule.name)
            var new = entry(rule, isPlanned: true)
            if var old, old.rule == rule {
                old.isPlanned = true
                new = old
            }
            new.isPaused = old?.isPaused ?? false
            after.append(new)
        }
        after += entries.filter { !$0.isPlanned && before[$0.rule.name] != nil }
        entries = after
        arrange()
    }

    private mutating func entry(_ rule: FaultRule, isPlanned: Bool) -> Entry {
        defer { nextNumber += 1 }
        return Entry(nextNumber, rule, generation, isPlanned: isPlanned)
    }

    private func place(of name: String) throws(FaultSessionError) -> Int {
        let isMeant = { (entry: Entry) in entry.rule.name == name && !entry.rule.isAsking }
        guard let place = entries.firstIndex(where: isMeant) else {
            let names = entries.filter { !$0.rule.isAsking }.map(\.rule.name)
            throw .noRule(name, nearest: NearestNames.of(name, among: names))
        }
        return place
    }

    private func places(of name: String?) throws(FaultSessionError) -> [Int] {
        guard let name else { return entries.indices.filter { !entries[$0].rule.isAsking } }
        return [try place(of: name)]
    }

    /// Rebuilds the conditions from the rules, and drops the counts of removed rules.
    private mutating func arrange() {
        places = [:]
        for (place, entry) in entries.enumerated() { places[entry.number] = place }
        counts.keep { places[$0] != nil }
        questions = []
        exchangeConditions = []
        interest = []
        for phase in FilterPhase.allCases {
            let asked = entries.filter { !$0.isPaused }
                .compactMap { $0.rule.question($0.number, $0.generation, in: phase) }
            questions.append(asked)
            exchangeConditions.append(.one(of: asked.map { $0.exchangeCondition() }))
            if !asked.isEmpty { interest.insert(FaultInterest(phase)) }
        }
        let late = [FilterPhase.requestBody, .responseHead, .responseBody]
        earlyCondition = .one(
            of: late.flatMap { questions[$0.rawValue] }.map { $0.exchangeCondition(isEarly: true) })
    }
}

extension FaultRule {
    /// The windows in which events are hit.
    ///
    /// What lasts as long as its window is returned before the window begins.
    fileprivate var judgedWindow: FaultSchedule {
        guard action.lastsForWindow else { return schedule }
        var window = schedule
        window.from = nil
        return window
    }

    /// The conditions of the rule with this number in `phase`, if any.
    fileprivate func question(
        _ number: Int, _ generation: Int, in phase: FilterPhase
    ) -> FaultQuestion? {
        let until = schedule.until.flatMap { $0.phase == phase ? $0.filter : nil }
        var filters: [Filter] = []
        if condition.phase == phase {
            filters.append(condition.filter)
            if let implied = action.kind.specification.implied { filters.append(implied) }
        }
        if until == nil && filters.isEmpty { return nil }
        return FaultQuestion(
            self, number: number, generation: generation, until: until, filters: filters,
            phase: phase)
    }
}

extension FaultScope {
    /// The value that events are counted by; empty where over all.
    fileprivate func value(of extent: FaultSchedule.Extent) -> String {
        switch extent {
        case .connection: connection.description
        case .client: client
        case .key: key
        case .overall: ""
        }
    }
}
