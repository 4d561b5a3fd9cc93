internal import Notation
internal import Wire

extension CaseSet {
    /// Applies the case and ledger blocks of a form of the device, all of them or none.
    ///
    /// - Parameters:
    ///   - form: The events of the form's document, in order; others than case blocks and ledgers
    ///     are skipped.
    ///   - strictness: Whether a form with a block that CommCare refuses is refused.
    /// - Returns: The problems that did not prevent the form from being applied.
    /// - Throws: ``CaseProblem`` where strict; the set is as before.
    @discardableResult
    public mutating func submit(
        _ form: some Sequence<CommCareEvent>, _ strictness: Strictness = .strict
    ) throws(CaseProblem) -> [CaseProblem] {
        var result = self
        var problems: [CaseProblem] = []
        for event in form {
            switch event {
            case .caseBlock(let block):
                problems += try result.apply(block, from: .submission, strictness)
            case .ledger(let block): problems += try result.apply(block, strictness)
            default: continue
            }
        }
        self = result
        return problems
    }

    /// Applies a ledger block.
    ///
    /// - Returns: The problems of the block that did not prevent it from being applied, in full or,
    ///   where tolerant, without the entries concerned.
    /// - Throws: ``CaseProblem`` where strict and ``CaseProblem/isFatal``; the set is as before.
    @discardableResult
    public mutating func apply(
        _ block: LedgerBlock, _ strictness: Strictness = .strict
    ) throws(CaseProblem) -> [CaseProblem] {
        let reading = LedgerReading(block)
        if strictness == .strict, let problem = reading.problems.first(where: \.isFatal) {
            throw problem
        }
        for entry in reading.entries {
            switch block.kind {
            case .balance:
                ledgers.set(
                    entry.quantity,
                    for: LedgerSet.Key(
                        entity: block.entityID ?? "", section: entry.section, entry: entry.id))
            case .transfer:
                ledgers.transfer(
                    entry.quantity, section: entry.section, entry: entry.id, from: block.source,
                    to: block.destination)
            }
        }
        return reading.problems
    }
}

extension CaseSet.User {
    /// The user that a restore registers; of repeated keys of the data the last counts.
    public init(_ registration: Registration) {
        self.init(
            username: registration.username, uuid: registration.uuid, date: registration.date)
        for entry in registration.userData ?? [] { data[ExactText(entry.name)] = entry.value }
    }
}
