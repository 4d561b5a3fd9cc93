/// Cases and the ledgers that belong to them, in forms and in restores.
extension OpenRosaOutline {
    /// Begins a case block.
    func openCase(_ tag: borrowing XMLTag, _ space: OpenRosaSpace) -> Role? {
        let id = tag["case_id"]
        if id != nil, space != .case2 {
            note("openrosa.case-namespace", "a block with case_id outside", tag.position)
        }
        let date = tag["date_modified"]
        var block = Block(
            isVersion2: id != nil || space == .case2, hasDate: date != nil,
            position: tag.position, isKept: caseRoom > 0)
        block.outline.caseID = id.map(bounded)
        if block.isKept {
            block.outline.dateModified = date.map(bounded)
            block.outline.userID = tag["user_id"].map(bounded)
        }
        self.block = block
        return .caseBlock
    }

    /// The role of a child of a case block.
    func inCase(_ tag: borrowing XMLTag, _ word: OpenRosaWord) -> Role? {
        let isVersion1 = block?.isVersion2 == false
        switch word {
        case .create:
            block?.outline.creates = true
            return .create
        case .update:
            block?.outline.updates = true
            return block?.isKept == true ? .update : nil
        case .close:
            block?.outline.closes = true
            return nil
        case .index: return .indices
        case .attachment: return .attachments
        case .caseID where isVersion1: return keep(.caseID)
        case .dateModified where isVersion1:
            block?.hasDate = true
            return keepOfCase(.dateModified)
        case .userID where isVersion1: return keepOfCase(.userID)
        // A question named "case" may hold more questions, and blocks among them.
        case .caseBlock where isVersion1 && block?.outline.caseID == nil:
            return openCase(tag, known(tag).space)
        default: return nil
        }
    }

    /// The role of a child of `create`.
    func inCreate(_ tag: borrowing XMLTag, _ word: OpenRosaWord) -> Role? {
        switch word {
        case .caseType, .caseTypeID:
            block?.hasType = true
            return keepOfCase(.created(\.type))
        case .caseName:
            block?.hasName = true
            return keepOfCase(.created(\.name))
        case .ownerID: return keepOfCase(.created(\.owner))
        case .userID where block?.isVersion2 == false: return keepOfCase(.userID)
        default: return keepProperty(tag, .createOther)
        }
    }

    /// The role of a child of `update`.
    func inUpdate(_ tag: borrowing XMLTag, _ word: OpenRosaWord) -> Role? {
        switch word {
        case .caseType: return keepOfCase(.updated(\.type))
        case .caseName: return keepOfCase(.updated(\.name))
        case .ownerID: return keepOfCase(.updated(\.owner))
        default: return keepProperty(tag, .updateOther)
        }
    }

    /// The role of a child of `index`.
    func inIndices(_ tag: borrowing XMLTag) -> Role? {
        block?.indices += 1
        let relationship = tag["relationship"]
        if let relationship, relationship != "child", relationship != "extension" {
            note("openrosa.index-relationship", "relationship \"\(relationship)\"", tag.position)
        }
        if block?.isKept == true, block?.indices ?? 0 <= OpenRosaDocument.longestList {
            block?.outline.indices.append(
                CaseBlock.Index(
                    name: bounded(tag.name.local), caseType: tag["case_type"].map(bounded),
                    relationship: relationship.map(bounded), target: ""))
        }
        return keep(.indexTarget)
    }

    /// Ends an index.
    func endIndex(_ target: String) {
        guard let position = block?.position, let count = block?.indices else { return }
        if !target.isEmpty, target == block?.outline.caseID {
            note("openrosa.index-self", "case \(target)", position)
        }
        // Behind the first of a long list nothing is kept.
        if count == block?.outline.indices.count {
            block?.outline.indices[count - 1].target = target
        }
    }

    /// Keeps the text of the element that begins, where the outline of its block is asked for.
    private func keepOfCase(_ field: Field) -> Role? {
        block?.isKept == true ? keep(field) : nil
    }

    /// Counts the case block that ends.
    func closeCase() {
        guard var block else { return }
        self.block = nil
        // In a form, an element of this name without an identifier is a question.
        if document.kind != .response, !block.isVersion2, block.outline.caseID == nil { return }
        if document.kind != .response { isForm = true }
        document.cases.blocks += 1
        if block.isVersion2 { document.cases.version2 += 1 } else { document.cases.version1 += 1 }
        document.cases.creates += block.outline.creates ? 1 : 0
        document.cases.updates += block.outline.updates ? 1 : 0
        document.cases.closes += block.outline.closes ? 1 : 0
        document.cases.indices += block.indices
        document.cases.attachments += block.attachments
        let id = block.outline.caseID ?? ""
        if id.isEmpty {
            note("openrosa.case-id-missing", "case block \(document.cases.blocks)", block.position)
        } else if document.cases.ids.count < OpenRosaDocument.longestList {
            document.cases.ids.append(id)
        }
        if !block.hasDate { note("openrosa.case-date-missing", "case \(id)", block.position) }
        if block.outline.creates, !block.hasType || !block.hasName {
            note("openrosa.create-incomplete", "case \(id)", block.position)
        }
        guard block.isKept else { return }
        caseRoom -= 1
        block.finishOutline()
        cases.append(block.outline)
    }

    /// Counts an element of the ledger namespace.
    func ledger(_ word: OpenRosaWord) -> Role? {
        if document.kind == .response { isRestore = true }
        if word == .balance { document.balances += 1 }
        if word == .transfer { document.transfers += 1 }
        return nil
    }
}

extension OpenRosaOutline.Block {
    /// Puts together what `create` and `update` say; a device applies them in this order.
    fileprivate mutating func finishOutline() {
        outline.caseType = updated.type ?? created.type
        outline.caseName = updated.name ?? created.name
        let opener = outline.creates ? outline.userID : nil
        outline.ownerID = updated.owner ?? created.owner ?? opener
        outline.hasAttachments = attachments > 0
        outline.properties = created.others + updated.others
    }
}
