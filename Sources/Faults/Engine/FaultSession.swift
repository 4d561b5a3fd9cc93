public import Filters
import Synchronization
public import Wire

/// The active rules: evaluated for every event, they determine the actions on it.
///
/// One for all connections; any thread may call it. It has no clock: the time of an event comes
/// with it. The same seed and the same events of each scope give the same firings, whatever order
/// the events of different scopes come in.
public final class FaultSession: Sendable {
    /// The maximum number of scopes that are counted at a time, over all rules.
    public static let maximumScopes = 100_000

    /// The random seed.
    public let seed: UInt64
    /// The files that rules serve.
    let files: FileSource
    /// The recordings that rules answer from.
    package let recordings: RecordingSource
    private let phases: Atomic<UInt16>
    private let late: Atomic<Bool>
    private let changes = Atomic<Int>(1)
    private let heldCount = Atomic<Int64>(0)
    private let state: Mutex<FaultSessionState>
    private let asked = Mutex<(any TrafficAsker)?>(nil)

    /// A session that plays `plan`.
    ///
    /// - Parameters:
    ///   - plan: The rules to begin with.
    ///   - seed: The random seed; the seed of the plan is ignored.
    ///   - files: Where files come from that rules serve; reading them blocks the caller.
    ///   - recordings: Where recorded answers come from that rules give.
    public convenience init(
        plan: FaultPlan, seed: UInt64, files: FileSource = .none,
        recordings: RecordingSource = .none
    ) {
        self.init(
            plan: plan, seed: seed, files: files, recordings: recordings,
            maximumScopes: Self.maximumScopes)
    }

    init(
        plan: FaultPlan, seed: UInt64, files: FileSource = .none,
        recordings: RecordingSource = .none, maximumScopes: Int
    ) {
        self.seed = seed
        self.files = files
        self.recordings = recordings
        let first = FaultSessionState(plan, maximumScopes: maximumScopes)
        phases = Atomic(first.interest.rawValue)
        late = Atomic(first.earlyCondition.isOpen)
        state = Mutex(first)
    }

    /// Whether no rule can hit anything.
    public var isIdle: Bool { interest.isEmpty }

    /// The phases that rules are evaluated in.
    public var interest: FaultInterest {
        FaultInterest(rawValue: phases.load(ordering: .relaxed))
    }

    /// How often the rules were changed, from 1: what was evaluated once is to be evaluated again
    /// when this has grown.
    public var generation: Int { changes.load(ordering: .acquiring) }

    /// The identifier of the next message that is held.
    func nextHeld() -> HeldMessage.ID {
        HeldMessage.ID(heldCount.add(1, ordering: .relaxed).newValue)
    }

    /// Who is asked about the messages of ``setAsked(_:by:)``; nil for nobody.
    public var asker: (any TrafficAsker)? {
        get { asked.withLock(\.self) }
        set { asked.withLock { $0 = newValue } }
    }

    /// Puts the messages that ``asker`` is asked about in the place of those of the same name.
    public func setAsked(_ filters: [AskedFilter], by name: String) {
        state.withLock { state in
            state.generation += 1
            state.setAsked(filters, by: name)
            publish(state)
        }
    }

    /// Evaluates all rules of a phase for one event.
    ///
    /// - Parameters:
    ///   - values: The event.
    ///   - phase: How far it has come.
    ///   - scope: Whose event it is; asked where a rule that counts by it is about the event.
    ///   - at: When it was received.
    ///   - since: The ``generation`` in which the rules were evaluated for it before; only rules
    ///     added later are evaluated.
    ///   - kinds: The actions of the rules that are evaluated; nil for all.
    /// - Returns: What is to be done, in the order of the rules.
    public func judge(
        _ values: some FilterSubjectValues, phase: FilterPhase,
        scope: @autoclosure () -> FaultScope, at: Instant, since: Int = 0,
        only kinds: Set<ActionKind>? = nil
    ) -> [Firing] {
        guard interest.contains(FaultInterest(phase)) else { return [] }
        // Filters may search long bodies, so they are evaluated outside the lock.
        let questions = state.withLock { $0.questions(in: phase) }
        var answers: [FaultQuestion.Answer] = []
        for question in questions
        where question.generation > since && kinds?.contains(question.kind) ?? true {
            if let answer = question.answer(values, phase: phase) { answers.append(answer) }
        }
        if answers.isEmpty { return [] }
        let scope = answers.allSatisfy { $0.extent == .overall } ? nil : scope()
        return state.withLock { $0.firings(answers, scope: scope, at: at, seed: seed) }
    }

    /// Whether an event is something to any rule of a phase, or ends one; nothing is counted.
    ///
    /// - Parameters:
    ///   - values: The event.
    ///   - phase: How far it has come.
    /// - Returns: Whether it is.
    public func mayHit(_ values: some FilterSubjectValues, phase: FilterPhase) -> Bool {
        guard interest.contains(FaultInterest(phase)) else { return false }
        return state.withLock { $0.questions(in: phase) }.contains {
            $0.answer(values, phase: phase) != nil
        }
    }

    /// What has to be true of an event so that some rule can be about it in `phase`.
    func condition(in phase: FilterPhase) -> FilterCondition {
        .one(of: state.withLock { $0.questions(in: phase) }.map(\.condition))
    }

    /// Whether all rules of `phase` only have somebody asked, and look at no note.
    func onlyAsks(in phase: FilterPhase) -> Bool {
        state.withLock { $0.questions(in: phase) }.allSatisfy { $0.isAsking && !$0.reads(.note) }
    }

    /// Whether some rule can be about any exchange, whatever the head of its request shows.
    var hitsLate: Bool { late.load(ordering: .relaxed) }

    /// What the head of a request has to show so that some rule can be about its exchange later.
    var earlyCondition: ExchangeCondition { state.withLock { $0.earlyCondition } }

    /// What has to be true of an exchange so that some rule can be about it, for each phase.
    var exchangeConditions: [ExchangeCondition] { state.withLock { $0.exchangeConditions } }

    /// Whether a rule is there, not paused, and its windows are open at `at`.
    ///
    /// What lasts as long as the window of its rule, as a blackout does, ends when this is false.
    public func isOpen(_ rule: String, at: Instant) -> Bool {
        state.withLock { $0.isOpen(rule, at: at) }
    }

    /// Notes that a firing could not be carried out, so that it does not count as done.
    public func fail(_ firing: Firing) { state.withLock { $0.fail(firing) } }

    /// The rules with their counts, in the order in which they are evaluated.
    public var rules: [FaultRuleStatus] { state.withLock { $0.statuses } }

    /// The rules whose filter matched nothing so far, in the order in which they are evaluated.
    public var unmatched: [String] {
        rules.filter { $0.matched == 0 }.map(\.rule.name)
    }

    /// Adds a rule after all others.
    ///
    /// - Throws: ``FaultSessionError`` where there is one of this name.
    public func add(_ rule: FaultRule) throws(FaultSessionError) {
        try edit { state throws(FaultSessionError) in try state.add(rule) }
    }

    /// Puts a rule in the place of the one with its name, and counts from the beginning.
    ///
    /// - Throws: ``FaultSessionError`` where there is none.
    public func change(_ rule: FaultRule) throws(FaultSessionError) {
        try edit { state throws(FaultSessionError) in try state.change(rule) }
    }

    /// Removes a rule.
    ///
    /// - Throws: ``FaultSessionError`` where there is none of this name.
    public func remove(_ name: String) throws(FaultSessionError) {
        try edit { state throws(FaultSessionError) in try state.remove(name) }
    }

    /// Pauses a rule, or all of them, until it is resumed; events are not counted meanwhile.
    ///
    /// - Throws: ``FaultSessionError`` where there is none of this name.
    public func pause(_ name: String? = nil) throws(FaultSessionError) {
        try edit { state throws(FaultSessionError) in try state.setPaused(true, name) }
    }

    /// Resumes a paused rule, or all of them.
    ///
    /// - Throws: ``FaultSessionError`` where there is none of this name.
    public func resume(_ name: String? = nil) throws(FaultSessionError) {
        try edit { state throws(FaultSessionError) in try state.setPaused(false, name) }
    }

    /// Resets the counts of a rule, or of all of them.
    ///
    /// - Throws: ``FaultSessionError`` where there is none of this name.
    public func reset(_ name: String? = nil) throws(FaultSessionError) {
        try edit { state throws(FaultSessionError) in try state.reset(name) }
    }

    /// Puts the rules of a plan in the place of those of the plan before.
    ///
    /// Rules that did not change keep their counts; rules added while traffic ran stay, after the
    /// plan's, unless it has one of their name.
    public func replace(_ plan: FaultPlan) {
        state.withLock { state in
            state.generation += 1
            state.replace(plan)
            publish(state)
        }
    }

    /// Puts a mark.
    ///
    /// Rules that wait for it are evaluated again for connections that were evaluated before.
    public func mark(_ name: String, at: Instant) {
        state.withLock { state in
            state.put(MarkRow(at: at, name: name))
            publish(state)
        }
    }

    /// The marks so far, in the order in which they were put; at most the last 10,000.
    public var marks: [MarkRow] { state.withLock { $0.marks.rows } }

    /// Changes the rules, and what they are interested in at the same time.
    private func edit(
        _ change: (inout FaultSessionState) throws(FaultSessionError) -> Void
    ) throws(FaultSessionError) {
        let result = state.withLock { state -> Result<Void, FaultSessionError> in
            state.generation += 1
            defer { publish(state) }
            do throws(FaultSessionError) {
                return .success(try change(&state))
            } catch {
                return .failure(error)
            }
        }
        try result.get()
    }

    private func publish(_ state: borrowing FaultSessionState) {
        phases.store(state.interest.rawValue, ordering: .relaxed)
        late.store(state.earlyCondition.isOpen, ordering: .relaxed)
        changes.store(state.generation, ordering: .releasing)
    }
}
