/// Cases and the ledgers that belong to them, in forms and in restores.
extension OpenRosaOutline {
    /// Begins a case block.
    func openCase(_ tag: borrowing XMLTag, _ space: OpenRosaSpace) -> Role? {
        let id = tag["case_id"]
        if id != nil, space != .case2 {
            note("openrosa.case-namespace", "a block with case_id outside", tag.position)
        }
        block = Block(
            id: id.map(bounded), isVersion2: id != nil || space == .case2,
            hasDate: tag["date_modified"] != nil, position: tag.position)
        return .caseBlock
    }

    /// The role of a child of a case block.
    func inCase(_ tag: borrowing XMLTag, _ word: OpenRosaWord) -> Role? {
        switch word {
        case .create:
            block?.creates = true
            return .create
        case .update:
            block?.updates = true
            return nil
        case .close:
            block?.closes = true
            return nil
        case .index: return .indices
        case .attachment: return .attachments
        case .caseID where block?.isVersion2 == false: return keep(.caseID)
        case .dateModified:
            if block?.isVersion2 == false { block?.hasDate = true }
            return nil
        // A question named "case" may hold more questions, and blocks among them.
        case .caseBlock where block?.isVersion2 == false && block?.id == nil:
            return openCase(tag, known(tag).space)
        default: return nil
        }
    }

    /// The role of a child of `create`.
    func inCreate(_ word: OpenRosaWord) -> Role? {
        if word == .caseType || word == .caseTypeID { block?.hasType = true }
        if word == .caseName { block?.hasName = true }
        return nil
    }

    /// Counts the case block that ends.
    func closeCase() {
        guard let block else { return }
        self.block = nil
        // In a form, an element of this name without an identifier is a question.
        if document.kind != .response, !block.isVersion2, block.id == nil { return }
        if document.kind != .response { isForm = true }
        document.cases.blocks += 1
        if block.isVersion2 { document.cases.version2 += 1 } else { document.cases.version1 += 1 }
        document.cases.creates += block.creates ? 1 : 0
        document.cases.updates += block.updates ? 1 : 0
        document.cases.closes += block.closes ? 1 : 0
        document.cases.indices += block.indices
        document.cases.attachments += block.attachments
        if let id = block.id, !id.isEmpty {
            if document.cases.ids.count < OpenRosaDocument.longestList {
                document.cases.ids.append(id)
            }
        } else {
            note("openrosa.case-id-missing", "case block \(document.cases.blocks)", block.position)
        }
        if !block.hasDate {
            note("openrosa.case-date-missing", "case \(block.id ?? "")", block.position)
        }
        if block.creates, !block.hasType || !block.hasName {
            note("openrosa.create-incomplete", "case \(block.id ?? "")", block.position)
        }
    }

    /// Counts an element of the ledger namespace.
    func ledger(_ word: OpenRosaWord) -> Role? {
        if document.kind == .response { isRestore = true }
        if word == .balance { document.balances += 1 }
        if word == .transfer { document.transfers += 1 }
        return nil
    }
}
