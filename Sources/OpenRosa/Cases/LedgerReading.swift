/// The entries of a ledger block that can be applied, and the problems of the others.
struct LedgerReading {
    /// An entry that is complete.
    struct Entry {
        var section: String
        var id: String
        var quantity: Int32
    }

    private(set) var entries: [Entry] = []
    private(set) var problems: [CaseProblem] = []
    private let block: LedgerBlock

    init(_ block: LedgerBlock) {
        self.block = block
        if let date = block.date {
            if !CaseDate.isDate(date) { complain(.invalidDate(property: "date", value: date)) }
        } else {
            complain(.incompleteLedger(missing: "date"))
        }
        if block.isCut { complain(.cut) }
        switch block.kind {
        case .balance where block.entityID == nil:
            complain(.incompleteLedger(missing: "entity-id"))
        case .transfer where block.source == nil && block.destination == nil:
            complain(.incompleteLedger(missing: "src or dest"))
        default:
            for entry in block.entries { read(entry) }
        }
    }

    private mutating func read(_ entry: LedgerBlock.Entry) {
        guard let section = entry.sectionID ?? block.sectionID, !section.isEmpty else {
            complain(.incompleteLedger(missing: "section-id"))
            return
        }
        guard let id = entry.id, !id.isEmpty else {
            complain(.incompleteLedger(missing: "id of an entry"))
            return
        }
        guard let quantity = LedgerSet.quantity(entry.quantity ?? "") else {
            complain(.invalidQuantity(entry.quantity ?? ""))
            return
        }
        entries.append(Entry(section: section, id: id, quantity: quantity))
    }

    private mutating func complain(_ reason: CaseProblem.Reason) {
        let entity = block.entityID ?? block.source ?? block.destination
        problems.append(CaseProblem(reason, caseID: entity, at: block.position))
    }
}
