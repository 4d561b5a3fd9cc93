/// Ledgers, in forms and in restores.
extension CommCareFollower {
    /// Begins an element of the ledger namespace.
    func openLedger(_ tag: borrowing XMLTag, _ word: OpenRosaWord) -> Role? {
        guard word == .balance || word == .transfer else {
            return kind == .response ? passOver(tag) : nil
        }
        if kind == .response { facts.isRestore = true } else { becomeForm() }
        begin()
        ledger = LedgerBlock(
            word == .balance ? .balance : .transfer, entityID: attribute("entity-id", of: tag),
            source: attribute("src", of: tag), destination: attribute("dest", of: tag),
            sectionID: attribute("section-id", of: tag), date: attribute("date", of: tag),
            type: attribute("type", of: tag), position: tag.position)
        return .ledger
    }

    /// The role of a child of a balance or transfer.
    func inLedger(_ tag: borrowing XMLTag, _ word: OpenRosaWord) -> Role? {
        guard word == .entry, hasRoom() else { return nil }
        entry = LedgerEntryState(
            entry: LedgerBlock.Entry(
                id: attribute("id", of: tag), quantity: attribute("quantity", of: tag),
                sectionID: ledger?.sectionID))
        return .entry
    }

    /// The role of a child of an entry: a quantity for a separate section.
    func inEntry(_ tag: borrowing XMLTag, _ word: OpenRosaWord) -> Role? {
        guard word == .value, var value = entry?.entry, hasRoom() else { return nil }
        entry?.hasValues = true
        value.sectionID = attribute("section-id", of: tag) ?? value.sectionID
        value.quantity = attribute("quantity", of: tag)
        if value.quantity != nil {
            append(value)
            return nil
        }
        ledgerValue = value
        return keep(.quantity)
    }

    /// Ends the text of a `value` that has no `quantity`.
    func endQuantity(_ text: String) {
        guard var value = ledgerValue else { return }
        ledgerValue = nil
        value.quantity = text.isEmpty ? nil : text
        append(value)
    }

    /// Ends an entry.
    func endEntry() {
        guard let entry else { return }
        self.entry = nil
        if !entry.hasValues { append(entry.entry) }
    }

    private func append(_ entry: LedgerBlock.Entry) {
        if entry.id?.isEmpty ?? true || entry.quantity == nil {
            note(
                "openrosa.ledger-incomplete",
                "entry \(Self.shortened(entry.id ?? "")) without id or quantity",
                ledger?.position)
        }
        ledger?.entries.append(entry)
    }

    /// Ends a balance or transfer.
    func endLedger() {
        guard var ledger else { return }
        self.ledger = nil
        ledger.isCut = isCut
        let hasCase =
            switch ledger.kind {
            case .balance: ledger.entityID?.isEmpty == false
            case .transfer:
                ledger.source?.isEmpty == false || ledger.destination?.isEmpty == false
            }
        if !hasCase || ledger.date == nil {
            note(
                "openrosa.ledger-incomplete", "\(ledger.kind.rawValue) without case or date",
                ledger.position)
        }
        emit(.ledger(ledger), isCut: isCut)
    }
}
