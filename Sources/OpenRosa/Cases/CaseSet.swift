public import Notation
import Wire

/// What a device has: its cases, ledgers, fixtures, user and sync token.
///
/// A fold of the restores it received and the forms it submitted. A restore is read with
/// ``RestoreInProgress``, so that a failed one changes nothing.
///
///     var set = CaseSet()
///     var restore = RestoreInProgress(.full, of: set)
///     try restore.apply(block)
///     set = restore.finish()
public struct CaseSet: Hashable, Sendable {
    /// Where a block comes from.
    public enum Source: Hashable, Sendable {
        /// A restore, which may bring a case that is there.
        case restore
        /// A form of the device.
        case submission
    }

    /// What is done about blocks that a CommCare client refuses.
    public enum Strictness: Hashable, Sendable {
        /// The block is refused, and with it the sync, as CommCare clients do.
        case strict
        /// What can be applied is applied.
        case tolerant
    }

    /// The user that a restore registers.
    public struct User: Hashable, Sendable {
        /// Name for signing in.
        public var username: String?
        /// Identifier.
        public var uuid: String?
        /// Date of registration, as sent.
        public var date: String?
        /// Data about the user by key.
        public var data: [ExactText: String] = [:]

        /// A user with these values.
        public init(
            username: String? = nil, uuid: String? = nil, date: String? = nil,
            data: [ExactText: String] = [:]
        ) {
            self.username = username
            self.uuid = uuid
            self.date = date
            self.data = data
        }
    }

    /// The identity of a fixture.
    public struct FixtureKey: Hashable, Sendable {
        /// `id`, such as `item-list:villages`.
        public var id: ExactText
        /// `user_id`, if it is of one user.
        public var userID: ExactText?

        /// The key of a fixture.
        public init(id: String, userID: String? = nil) {
            self.id = ExactText(id)
            self.userID = userID.map(ExactText.init)
        }
    }

    /// Cases by identifier, closed ones included.
    public private(set) var cases: [ExactText: CaseState] = [:]
    /// Balances.
    public internal(set) var ledgers = LedgerSet()
    /// Fixtures that are not empty.
    public internal(set) var fixtures: Set<FixtureKey> = []
    /// The user; nil before the first registration.
    public internal(set) var user: User?
    /// Sync token of the last complete restore that gave one.
    public internal(set) var restoreID: String?
    private var digest = CaseStateHash.Digest.zero

    /// A device without data.
    public init() {}

    /// The case with this identifier.
    public subscript(id: String) -> CaseState? { cases[ExactText(id)] }

    /// What the device sends as `state`: kept up to date with every block.
    public var stateHash: CaseStateHash {
        CaseStateHash(digest: cases.isEmpty ? nil : digest)
    }

    /// Applies a case block.
    ///
    /// - Parameters:
    ///   - block: What to do with one case.
    ///   - source: Where it comes from.
    ///   - strictness: Whether a block that CommCare refuses is refused.
    /// - Returns: The problems of the block that did not prevent it from being applied, in full or,
    ///   where tolerant, in part.
    /// - Throws: ``CaseProblem`` where strict and ``CaseProblem/isFatal``; the set is as before.
    @discardableResult
    public mutating func apply(
        _ block: CaseBlock, from source: Source, _ strictness: Strictness = .strict
    ) throws(CaseProblem) -> [CaseProblem] {
        let id = block.caseID ?? ""
        var application = CaseApplication(
            block: block, known: id.isEmpty ? nil : self[id], source: source)
        application.run()
        if strictness == .strict, let problem = application.problems.first(where: \.isFatal) {
            throw problem
        }
        if let state = application.state { put(state) }
        return application.problems
    }

    /// Puts a case in place of what is there.
    public mutating func put(_ state: CaseState) {
        if cases.updateValue(state, forKey: ExactText(state.id)) == nil {
            digest = digest ^ CaseStateHash.Digest(of: state.id)
        }
    }

    /// Removes a case.
    ///
    /// - Returns: The case, nil where it was not there.
    @discardableResult
    public mutating func remove(_ id: String) -> CaseState? {
        guard let state = cases.removeValue(forKey: ExactText(id)) else { return nil }
        digest = digest ^ CaseStateHash.Digest(of: id)
        return state
    }

    /// Removes what a restore after a 412 replaces: cases with their indices, and ledgers.
    ///
    /// Fixtures, user and sync token stay until the restore brings new ones.
    /// Source: OpenRosa/Specification.md#code-412.
    public mutating func removeCasesAndLedgers() {
        cases = [:]
        digest = .zero
        ledgers = LedgerSet()
    }
}
