import Dissection
public import Wire

/// Determines for each fault of a session whether the client recovered from it.
///
/// Theory of operation: each fault waits, from the time when it was applied, for the events that
/// its action calls for. What is observed afterwards is mapped to the few events it may be and
/// looked up, so that time grows with observations and faults, not with their product; memory grows
/// with the faults alone.
public struct FaultRecovery: Sendable {
    var cases: [RecoveryCase]
    /// How many of the cases have begun.
    private var begun = 0
    private var waiting: [RecoveryEvent: [Int]] = [:]
    private var attempts: [RecoveryEvent: RecoveryTries] = [:]
    private var untried: [RecoveryEvent: [Int]] = [:]
    var directory = ClientDirectory()
    /// The exchanges that faults were applied to.
    var hits: [ExchangeID: Hit] = [:]
    /// Cases whose exchange is still to be observed.
    var early: [ExchangeID: [Int]] = [:]
    /// Faults on each exchange or message that leave nothing to rely on.
    let touched: Set<ExchangeID>
    let spoiledExchanges: Set<ExchangeID>
    let spoiledMessages: Set<MessageID>
    /// Exchanges that a rule answered with a success.
    let answeredExchanges: Set<ExchangeID>
    /// The codes with which faults refused changes, by `ccid`.
    let madeRefusals: [String: Set<Int>]
    /// The commands in which the server accepted changes that faults refused, by `ccid`.
    var accepted: [String: CommandID] = [:]
    /// When the last thing was observed.
    private var lastAt = Instant.zero
    private var unseenMessages: Set<MessageID>
    /// When each client sent something last.
    private var actedAt: [ClientName: Instant] = [:]
    /// The ccids under which clients sent changes that faults wait for.
    var sent: [RecoveryEvent: [String]] = [:]

    /// An exchange that a fault was done to.
    struct Hit: Sendable {
        var row: ExchangeRowFacts
        var name: RequestName
        var client: ClientName
    }

    /// Begins with the faults of one session, in any order.
    public init(faults: [JudgedFault]) {
        let sorted = faults.sorted { ($0.row.at, $0.id) < ($1.row.at, $1.id) }
        cases = sorted.map { RecoveryCase($0) }
        touched = Set(faults.compactMap(\.exchange))
        unseenMessages = Set(faults.compactMap(\.message))
        var exchanges: Set<ExchangeID> = []
        var answered: Set<ExchangeID> = []
        var messages: Set<MessageID> = []
        var refusals: [String: Set<Int>] = [:]
        for item in cases where !item.declared.targetStays {
            if let exchange = item.fault.exchange {
                if item.answersWithSuccess {
                    answered.insert(exchange)
                } else {
                    exchanges.insert(exchange)
                }
            }
            if let message = item.fault.message { messages.insert(message) }
            guard let code = item.refusalCode else { continue }
            for ccid in SoughtEdit.identifiers(item.fault.came) {
                refusals[ccid, default: []].insert(code)
            }
        }
        spoiledExchanges = exchanges
        answeredExchanges = answered
        spoiledMessages = messages
        madeRefusals = refusals
    }

    /// Processes the next thing that happened, in order of time.
    public mutating func observe(_ observation: Observation) {
        begin(before: observation)
        lastAt = max(lastAt, observation.at)
        switch observation {
        case .connection(let row): see(row)
        case .exchange(let row, let instance): see(ExchangeRowFacts(row), instance)
        case .command(let row, let changes, let text):
            see(row, changes, text)
            unseenMessages.remove(row.message)
        }
    }

    /// The outcome of each fault, in the order of their numbers.
    ///
    /// - Parameters:
    ///   - isRunning: Whether the session continues: a case without any event is undecided then.
    ///   - endedAt: When the session ended (default: with the last thing that was observed): a case
    ///     is undecided where the client did not yet have to act.
    /// - Returns: A verdict for each fault that there is something to recover from.
    public mutating func verdicts(
        isRunning: Bool, endedAt: Instant? = nil
    ) -> [FaultVerdict] {
        while begun < cases.count {
            begin(begun)
            begun += 1
        }
        let end = max(endedAt ?? lastAt, lastAt)
        var latest: [RecoveryEvent: Instant] = [:]
        for item in cases {
            if let attempt = item.attempt { latest[attempt] = item.fault.row.at }
        }
        // A client may have been known by its address alone when a fault was done.
        let latestOfClient = Dictionary(
            cases.flatMap { item in
                (item.fault.row.connection.map { directory.names(of: $0) } ?? [])
                    .map { ($0, item.fault.row.at) }
            },
            uniquingKeysWith: max)
        return cases.filter(\.isJudged).map { item in
            if let verdict = item.verdict { return verdict }
            let tries = self.tries(of: item)
            let times = tries == 1 ? "once" : "\(tries) times"
            var wait = isRunning ? nil : unfinishedWait(of: item, endedAt: end)
            if tries > 0, let last = attempts(of: item)?.lastAt, let attempt = item.attempt,
                let fault = latest[attempt], fault > item.fault.row.at, fault >= last
            {
                wait = wait ?? "a fault met the last of them as well"
            } else if item.waitsForAnything, let client = item.client,
                let fault = latestOfClient[client], fault > item.fault.row.at,
                end.nanoseconds - fault.nanoseconds < RecoveryPatience.silenceLimit,
                isIdle(item, since: fault), !isRunning
            {
                wait = wait ?? "another fault met what the client sent last"
            }
            let how =
                switch (tries > 0, isRunning) {
                case (true, true): "tried \(times) so far"
                case (false, true): "nothing seen yet"
                case (true, false): wait.map { "tried \(times); \($0)" } ?? item.missing(times)
                case (false, false): wait ?? item.missing(nil)
                }
            return FaultVerdict(
                fault: item.fault.id,
                outcome: isRunning || wait != nil || item.isHidden ? .undecided : .notRecovered,
                how: how,
                tries: tries)
        }.sorted { $0.fault < $1.fault }
    }

    /// A client sent something.
    mutating func acted(_ client: ClientName, at: Instant) { actedAt[client] = at }

    /// Whether the client of a case has sent nothing since an instant.
    func isIdle(_ item: RecoveryCase, since: Instant) -> Bool {
        guard let client = item.client, let last = actedAt[client] else { return true }
        return last <= since
    }

    // MARK: Beginning

    /// Begins the cases of faults that were done before `observation`.
    private mutating func begin(before observation: Observation) {
        while begun < cases.count {
            let fault = cases[begun].fault
            guard fault.row.at <= observation.at else { return }
            if fault.row.at == observation.at {
                // At the same time what it was done to comes first.
                if let connection = fault.row.connection, directory[connection] == nil { return }
                if let exchange = fault.exchange, hits[exchange] == nil { return }
                if let message = fault.message, unseenMessages.contains(message),
                    !cases[begun].isShownByItself
                {
                    return
                }
            }
            begin(begun)
            begun += 1
        }
    }

    /// Registers a case for an expected event.
    mutating func wait(_ index: Int, for sign: RecoveryEvent) {
        waiting[sign, default: []].append(index)
    }

    /// Registers a case for an event that counts as a try.
    mutating func count(_ index: Int, _ sign: RecoveryEvent) {
        cases[index].attempt = sign
        let tries = attempts[sign, default: RecoveryTries()]
        cases[index].attemptsBefore = tries.count
        attempts[sign] = tries
        untried[sign, default: []].append(index)
    }

    // MARK: Expected events

    /// Whether any case counts an event as a try.
    func isCounted(_ sign: RecoveryEvent) -> Bool { attempts[sign] != nil }

    /// Whether any case waits for an event.
    func isAwaited(_ sign: RecoveryEvent) -> Bool { waiting[sign] != nil }

    /// The cases that wait for an event.
    func waitingCases(for sign: RecoveryEvent) -> [Int] { waiting[sign] ?? [] }

    /// The tries that a case counts.
    func attempts(of item: RecoveryCase) -> RecoveryTries? {
        item.attempt.flatMap { attempts[$0] }
    }

    /// A try was observed, with the answer where it has one.
    mutating func tried(_ sign: RecoveryEvent, at: Instant, _ answer: ExchangeRowFacts? = nil) {
        guard attempts[sign] != nil else { return }
        attempts[sign]?.note(at: at, answer)
        for index in untried.removeValue(forKey: sign) ?? [] { cases[index].firstTry = at }
    }

    /// How often the client tried since the fault.
    func tries(of item: RecoveryCase) -> Int {
        guard let sign = item.attempt else { return 0 }
        return (attempts[sign]?.count ?? 0) - item.attemptsBefore
    }

    /// Gives the cases that wait for an event their verdict.
    mutating func show(
        _ sign: RecoveryEvent, _ evidence: Evidence,
        where holds: (RecoveryCase, _ tries: Int) -> Bool = { _, _ in true }
    ) {
        guard let indexes = waiting.removeValue(forKey: sign) else { return }
        var left: [Int] = []
        for index in indexes where !cases[index].isSettled {
            guard !evidence.isOwn(of: cases[index].fault) || cases[index].ownCounts,
                holds(cases[index], tries(of: cases[index]))
            else {
                left.append(index)
                continue
            }
            conclude(index, evidence)
            if !cases[index].isSettled { left.append(index) }
        }
        if !left.isEmpty { waiting[sign] = left }
    }

    /// Gives a case its verdict.
    mutating func conclude(_ index: Int, _ evidence: Evidence) {
        let item = cases[index]
        // The first event that shows that it continued is reported, unless it is revoked.
        if evidence.isTentative, item.verdict != nil { return }
        cases[index].verdict = FaultVerdict(
            fault: item.fault.id, outcome: evidence.outcome,
            how: evidence.how + (evidence.exchange == nil ? "" : RetryAdvice.words(item)),
            exchange: evidence.exchange, command: evidence.command,
            afterNanoseconds: max(0, evidence.at.nanoseconds - item.fault.row.at.nanoseconds),
            tries: tries(of: item))
        cases[index].isSettled = !evidence.isTentative
    }
}
