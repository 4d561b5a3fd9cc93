import Dissection
import Wire

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
    private var attempts: [RecoveryEvent: Int] = [:]
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
    private var unseenMessages: Set<MessageID>
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
        var messages: Set<MessageID> = []
        for item in cases where !item.declared.targetStays {
            if let exchange = item.fault.exchange { exchanges.insert(exchange) }
            if let message = item.fault.message { messages.insert(message) }
        }
        spoiledExchanges = exchanges
        spoiledMessages = messages
    }

    /// Processes the next thing that happened, in order of time.
    public mutating func observe(_ observation: Observation) {
        begin(before: observation)
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
    /// - Parameter isRunning: Whether the session continues: a case without any event is open then.
    /// - Returns: A verdict for each fault.
    public mutating func verdicts(isRunning: Bool) -> [FaultVerdict] {
        while begun < cases.count {
            begin(begun)
            begun += 1
        }
        return cases.map { item in
            if let verdict = item.verdict { return verdict }
            let tries = self.tries(of: item)
            let times = tries == 1 ? "once" : "\(tries) times"
            let how =
                switch (tries > 0, isRunning) {
                case (true, true): "tried \(times) so far"
                case (true, false): "tried \(times), never with success"
                case (false, true): "nothing seen yet"
                case (false, false): "no later event shows a recovery"
                }
            return FaultVerdict(
                fault: item.fault.id, outcome: isRunning ? .open : .notRecovered, how: how,
                tries: tries)
        }.sorted { $0.fault < $1.fault }
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
                if let message = fault.message, unseenMessages.contains(message) { return }
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
        cases[index].attemptsBefore = attempts[sign, default: 0]
        attempts[sign] = cases[index].attemptsBefore
        untried[sign, default: []].append(index)
    }

    // MARK: Expected events

    /// Whether any case counts an event as a try.
    func isCounted(_ sign: RecoveryEvent) -> Bool { attempts[sign] != nil }

    /// Whether any case waits for an event.
    func isAwaited(_ sign: RecoveryEvent) -> Bool { waiting[sign] != nil }

    /// A try was observed.
    mutating func tried(_ sign: RecoveryEvent, at: Instant) {
        guard let count = attempts[sign] else { return }
        attempts[sign] = count + 1
        for index in untried.removeValue(forKey: sign) ?? [] { cases[index].firstTry = at }
    }

    /// How often the client tried since the fault.
    func tries(of item: RecoveryCase) -> Int {
        guard let sign = item.attempt else { return 0 }
        return attempts[sign, default: 0] - item.attemptsBefore
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
