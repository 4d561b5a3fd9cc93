internal import Notation
internal import OpenRosa

/// The past of a CommCare project, as far as a server showed it.
struct ProjectHistory: Sendable {
    /// Forms that were accepted, in order.
    var forms: [ServerHoldings.Form] = []
    /// Forms that were refused for what is in them, by `instanceID`.
    var refusedForms: [ExactText: ServerHoldings.RefusedForm] = [:]
    /// When a case was changed last, in the order of all messages.
    var changed: [ExactText: Int] = [:]
    /// The balances of ledgers.
    private(set) var ledgers = CaseSet()
    /// When the ledgers of a case changed last.
    private(set) var ledgerChanges: [ExactText: ServerHoldings.LedgerChange] = [:]

    /// Takes what a form or a restore says of ledgers.
    mutating func apply(_ block: LedgerBlock, _ order: Int) {
        let entities = [block.entityID, block.source, block.destination].compactMap(\.self)
        let keys = entities.flatMap { entity in
            block.entries.map { entry in
                LedgerSet.Key(
                    entity: entity, section: entry.sectionID ?? block.sectionID ?? "",
                    entry: entry.id ?? "")
            }
        }
        let before = keys.map { ledgers.ledgers.balances[$0] }
        _ = try? ledgers.apply(block, .tolerant)
        // A restore repeats the balances of all.
        guard keys.map({ ledgers.ledgers.balances[$0] }) != before else { return }
        for id in entities {
            ledgerChanges[ExactText(id)] = .init(at: order, date: block.date ?? "")
        }
    }
}
