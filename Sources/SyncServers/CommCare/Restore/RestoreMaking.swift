internal import Notation
internal import OpenRosa
internal import Wire

/// A restore that is made a few cases at a time: everything, or what the device does not have yet.
///
/// A value; of the cases as they were when it began. However it is cut, the bytes are the same.
struct RestoreMaking: Sendable {
    /// The user who gets it, and when it was requested.
    struct Occasion: Sendable {
        var order: RestoreOrder
        var user: Accounts.User
        /// The user and groups whose cases belong on the device; nil for those of all users.
        var owners: Set<ExactText>?
        /// The restore identifier, the device's sync token from then on.
        var id: String
        /// In seconds since 1970.
        var now: Int64
        /// Whether what is kept of it is to be written to a file.
        var isKept: Bool
    }

    /// A case to be sent; ordered by the form that changed it last.
    struct Choice: Sendable {
        var mark: Int
        var id: String
        var node: Int
    }

    /// A case whose ledgers are to be sent.
    struct LedgerChoice: Sendable {
        var entity: ExactText
        var mark: CommCareDomain.LedgerMark
        var balances: [CommCareServer.Balance]
    }

    enum Stage: Int {
        case collect, footprint, choose, chooseLedgers, sort, head, groups, cases, ledgers, end
        case forget, join, done
    }

    let occasion: Occasion
    /// All there is; freed as soon as it is collected, since a change of a case before that has to
    /// copy it all.
    private var space: CommCareDomain
    private let since: DeviceLog?
    var footprint: CaseLiveness
    var stage = Stage.collect
    /// The next element of what the stage goes through.
    var cursor = 0
    var body: RestoreBody
    /// What the device has when it has received it.
    private(set) var log: DeviceLog
    /// The owners and cases of ``log`` in JSON, as the state file has them.
    private(set) var basis: [UInt8] = []
    /// The number of the form that changed a node's case last.
    private var marks: [Int] = []
    private var chosen: [Choice] = []
    /// The ledgers of all cases.
    private var allLedgers: [LedgerChoice] = []
    private var chosenLedgers: [LedgerChoice] = []
    /// The elements for the ledgers; one for each section.
    var sections = 0
    private var owned: Set<String> = []
    private var nextCase: [ExactText: CaseState].Index
    private var nextLedger: [ExactText: CommCareDomain.LedgerMark].Index
    var cases: SlicedSort<Choice>
    var ledgers: SlicedSort<LedgerChoice>
    var groups: SlicedSort<String>
    private let count: Int
    /// The furthest that it was, in thousandths.
    private var reached = 0

    /// A restore that has not begun.
    ///
    /// - Parameters:
    ///   - space: All there is.
    ///   - occasion: The user who gets it, and when it was requested.
    ///   - since: What the device has; nil for nothing.
    init(_ space: CommCareDomain, _ occasion: Occasion, since: DeviceLog?) {
        self.space = space.snapshot
        self.occasion = occasion
        self.since = since
        count = space.set.cases.count
        footprint = CaseLiveness(owners: occasion.owners, count: count)
        body = RestoreBody(isCompressed: occasion.order.isCompressed)
        log = DeviceLog(
            id: occasion.id, user: occasion.user.uuid, form: space.count, created: occasion.now,
            cases: SyncLog(
                ownerIDs: occasion.owners ?? [ExactText(occasion.user.uuid)], count: count))
        nextCase = space.set.cases.startIndex
        nextLedger = space.ledgerMarks.startIndex
        cases = SlicedSort([]) { $0.mark < $1.mark }
        ledgers = SlicedSort([]) { $0.mark.form < $1.mark.form }
        groups = SlicedSort([], by: <)
        marks.reserveCapacity(count)
        chosen.reserveCapacity(since == nil ? count : 0)
    }

    /// Whether it can be given out.
    var isDone: Bool { stage == .done }

    /// How many bytes of it there are.
    var size: Int { body.size }

    /// How much is done of ``total``, which only a restore that is done reaches.
    var done: Int { isDone ? total : min(total - 1, total * reached / 1000) }

    /// What ``done`` counts towards: the cases that it is made of.
    var total: Int { max(1, count) }

    /// Continues; `budget` goes down by about one for each case that is inspected, and by one for
    /// each KiB that is written.
    mutating func advance(_ budget: inout Int) {
        while budget > 0, !isDone {
            switch stage {
            case .collect: collect(&budget)
            case .footprint:
                footprint.advance(&budget)
                if footprint.isDone { begin() }
            case .choose: choose(&budget)
            case .chooseLedgers: chooseLedgers(&budget)
            case .sort: sort(&budget)
            default: write(&budget)
            }
        }
        // Marks may spread once more than was thought.
        reached = max(reached, permille)
    }

    /// How far it is, in thousandths, by how long the stages take.
    private var permille: Int {
        switch stage {
        case .collect: 50 * marks.count / max(1, count)
        case .footprint: 50 + 75 * footprint.permille / 1000
        case .choose: 125 + 125 * cursor / max(1, count)
        case .chooseLedgers, .sort, .head, .groups: 250
        case .cases: 250 + 700 * cursor / max(1, cases.elements.count)
        case .ledgers, .end, .forget, .join: 950
        case .done: 1000
        }
    }

    /// Goes to the next stage.
    mutating func moveOn() {
        stage = Stage(rawValue: stage.rawValue + 1) ?? .done
        cursor = 0
    }

    private mutating func collect(_ budget: inout Int) {
        let cases = space.set.cases
        while budget > 0, nextCase != cases.endIndex {
            budget -= 1
            let (id, state) = cases[nextCase]
            cases.formIndex(after: &nextCase)
            footprint.add(state)
            marks.append(space.marks[id] ?? 0)
        }
        let ledgers = space.ledgerMarks
        while budget > 0, nextLedger != ledgers.endIndex {
            budget -= 3
            let (id, mark) = ledgers[nextLedger]
            ledgers.formIndex(after: &nextLedger)
            allLedgers.append(
                LedgerChoice(entity: id, mark: mark, balances: space.balances(id)))
        }
        guard nextCase == cases.endIndex, nextLedger == ledgers.endIndex else { return }
        space = CommCareDomain()
        moveOn()
    }

    private mutating func begin() {
        if occasion.isKept { basis += "{\"cases\":[".utf8 }
        moveOn()
    }

    private mutating func choose(_ budget: inout Int) {
        while budget > 0, cursor < footprint.states.count {
            budget -= 2
            look(at: cursor)
            cursor += 1
        }
        guard cursor == footprint.states.count else { return }
        if occasion.isKept {
            let owners = JSONValue.array(log.cases.ownerIDs.map { .string($0.string) })
            basis += "],\"owners\":".utf8
            basis += owners.bytes()
            basis.append(UInt8(ascii: "}"))
        }
        moveOn()
    }

    /// Chooses a case that belongs on the device and is not there as it is, or the other way round.
    private mutating func look(at node: Int) {
        let state = footprint.states[node]
        let isAlive = footprint.isAlive(node)
        let owner = state.ownerID
        // Those that the restore lists as groups.
        if isAlive, occasion.owners == nil, let owner {
            log.cases.ownerIDs.insert(ExactText(owner))
        }
        let id = ExactText(state.id)
        let mark = marks[node]
        if isAlive {
            if let owner, occasion.owners == nil, !owner.isEmpty, owner != occasion.user.uuid {
                owned.insert(owner)
            }
            log.cases.receive(state)
            if occasion.isKept {
                if basis.last != UInt8(ascii: "[") { basis.append(UInt8(ascii: ",")) }
                basis += state.outline.json.bytes()
            }
        }
        if let since {
            // What was closed or reassigned by others: the device receives it, and removes the
            // case.
            let isHeld = since.cases.caseIDs.contains(id)
            guard isAlive && !isHeld || (isAlive || isHeld) && mark > since.form else { return }
        } else if !isAlive {
            return
        }
        chosen.append(Choice(mark: mark, id: state.id, node: node))
    }

    private mutating func chooseLedgers(_ budget: inout Int) {
        while budget > 0, let ledger = allLedgers.popLast() {
            budget -= 1
            guard footprint.isAlive(ledger.entity) else { continue }
            if let since, ledger.mark.form <= since.form,
                since.cases.caseIDs.contains(ledger.entity)
            {
                continue
            }
            chosenLedgers.append(ledger)
            sections += Set(ledger.balances.map(\.section)).count
        }
        guard allLedgers.isEmpty else { return }
        cases = SlicedSort(chosen) { ($0.mark, $0.id) < ($1.mark, $1.id) }
        ledgers = SlicedSort(chosenLedgers) {
            ($0.mark.form, $0.entity.string) < ($1.mark.form, $1.entity.string)
        }
        (marks, chosen, chosenLedgers) = ([], [], [])
        groups = SlicedSort(groupNames, by: <)
        moveOn()
    }

    /// Identifiers of the groups that the restore lists for the user.
    private var groupNames: [String] {
        if since != nil, occasion.order.skipsFixtures { return [] }
        guard occasion.owners == nil else { return occasion.user.groups }
        // The owner of a case has to be a group of the user, or devices would not keep the case.
        return Array(owned)
    }

    private mutating func sort(_ budget: inout Int) {
        cases.advance(&budget)
        ledgers.advance(&budget)
        // Those of the accounts file stay in their order.
        if occasion.owners == nil { groups.advance(&budget) }
        guard cases.isDone, ledgers.isDone, groups.isDone || occasion.owners != nil else { return }
        moveOn()
    }

    /// What is sent; nothing is left.
    mutating func take() -> (body: [UInt8], log: DeviceLog, basis: [UInt8]) {
        (body.take(), log, basis)
    }
}
