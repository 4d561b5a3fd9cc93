/// A restore that is being read into a copy of what a device has.
///
/// The device's own set is unchanged until ``finish()`` returns the new one; a failed restore is
/// discarded, with nothing lost and no new sync token.
public struct RestoreInProgress: Hashable, Sendable {
    /// How a restore relates to what is there.
    public enum Extent: Hashable, Sendable {
        /// Everything: cases and ledgers are replaced, as after a 412 or at the first sync.
        case full
        /// What is new since the sync token.
        case incremental
    }

    private var set: CaseSet
    private var restoreID: String?
    /// Whether blocks that CommCare refuses end the restore.
    public let strictness: CaseSet.Strictness
    /// The problems that did not end the restore, in order; the first ``maxProblems``.
    public private(set) var problems: [CaseProblem] = []
    /// Number of problems, of which ``problems`` has the first.
    public private(set) var problemCount = 0

    /// The maximum number of problems kept.
    public static let maxProblems = 1000

    /// The beginning of a restore.
    public init(
        _ extent: Extent, of set: CaseSet, _ strictness: CaseSet.Strictness = .strict
    ) {
        self.set = set
        self.strictness = strictness
        if extent == .full { self.set.removeCasesAndLedgers() }
    }

    /// Applies an event of a restore; what is irrelevant to a device is skipped.
    ///
    /// - Throws: ``CaseProblem`` where strict; then the whole restore has failed.
    public mutating func receive(_ event: CommCareEvent) throws(CaseProblem) {
        switch event {
        case .caseBlock(let block): try apply(block)
        case .ledger(let block): try apply(block)
        case .fixture(let fixture):
            guard let id = fixture.id else { return }
            apply(
                fixture: CaseSet.FixtureKey(id: id, userID: fixture.userID),
                isEmpty: fixture.elements == 0)
        case .registration(let registration): register(CaseSet.User(registration))
        case .restoreID(let token): take(restoreID: token.id)
        default: return
        }
    }

    /// Applies a case block.
    ///
    /// - Throws: ``CaseProblem`` where strict; then the whole restore has failed.
    public mutating func apply(_ block: CaseBlock) throws(CaseProblem) {
        keep(try set.apply(block, from: .restore, strictness))
    }

    /// Applies a ledger block.
    ///
    /// - Throws: ``CaseProblem`` where strict; then the whole restore has failed.
    public mutating func apply(_ block: LedgerBlock) throws(CaseProblem) {
        keep(try set.apply(block, strictness))
    }

    /// Takes a fixture in; an empty one is not stored, and what is there under its key goes.
    public mutating func apply(fixture key: CaseSet.FixtureKey, isEmpty: Bool) {
        if isEmpty {
            set.fixtures.remove(key)
        } else {
            set.fixtures.insert(key)
        }
    }

    /// Registers the user.
    public mutating func register(_ user: CaseSet.User) { set.user = user }

    /// Takes the sync token, which counts once the restore is complete.
    public mutating func take(restoreID: String) { self.restoreID = restoreID }

    /// What the device has when the restore was read to its end.
    public func finish() -> CaseSet {
        var result = set
        if let restoreID, !restoreID.isEmpty { result.restoreID = restoreID }
        return result
    }

    private mutating func keep(_ new: [CaseProblem]) {
        problemCount += new.count
        problems.append(contentsOf: new.prefix(max(0, Self.maxProblems - problems.count)))
    }
}
