/// Case blocks, in forms and in restores.
extension CommCareFollower {
    /// Characters that a device takes of a type, a name, an owner and an external id.
    private static let longestValue = 255

    /// Begins a case block.
    func openCase(_ tag: borrowing XMLTag, _ space: OpenRosaSpace) -> Role? {
        begin()
        let position = tag.position
        let id = attribute("case_id", of: tag)
        if id != nil, space != .case2 {
            note("openrosa.case-namespace", "a block with case_id outside", position)
        }
        let version: CaseBlock.Version = id != nil || space == .case2 ? .two : .one
        block = CaseBlock(
            version: version, caseID: id, dateModified: attribute("date_modified", of: tag),
            userID: attribute("user_id", of: tag), position: position)
        return .caseBlock
    }

    /// The role of a child of a case block.
    func inCase(_ tag: borrowing XMLTag, _ known: Known) -> Role? {
        let isVersion1 = block?.version == .one
        switch known.word {
        case .create:
            if block?.create == nil { block?.create = CaseBlock.Create() }
            return .create
        case .update:
            // A second one continues where the first ended.
            properties = block?.update ?? []
            block?.update = nil
            properties.reserveCapacity(8)
            return .update
        case .close:
            block?.isClosed = true
            return nil
        case .index:
            noteVersion(tag)
            return .indices
        case .attachment:
            noteVersion(tag)
            return .attachments
        case .caseID where isVersion1: return keep(.caseID)
        case .dateModified where isVersion1: return keep(.dateModified)
        case .userID where isVersion1: return keep(.userID)
        // A question named "case" may hold more questions, and blocks among them.
        case .caseBlock where isVersion1 && block?.caseID == nil:
            return openCase(tag, known.space)
        default: return nil
        }
    }

    private func noteVersion(_ tag: borrowing XMLTag) {
        if block?.version == .one {
            note("openrosa.version-1-index", "<\(tag.name.local)>", tag.position)
        }
    }

    /// The role of a child of `create`.
    func inCreate(_ tag: borrowing XMLTag, _ known: Known) -> Role? {
        let isVersion2 = block?.version == .two
        switch known.word {
        case .caseType: return keep(.caseType)
        case .caseTypeID: return keep(.caseType)
        case .caseName: return keep(.caseName)
        case .ownerID: return keep(.ownerID)
        case .userID where !isVersion2: return keep(.userID)
        case .externalID where !isVersion2: return keep(.externalID)
        default:
            if isVersion2 {
                note("openrosa.create-unknown", "<\(known.local)> in create", tag.position)
            }
            return keep(
                known.word == .externalID ? .externalID : .createOther, named: known.local)
        }
    }

    /// The role of a child of `index`.
    func inIndices(_ tag: borrowing XMLTag, _ known: Known) -> Role? {
        let relationship = attribute("relationship", of: tag)
        if let relationship, relationship != "child", relationship != "extension" {
            note("openrosa.index-relationship", "relationship \"\(relationship)\"", tag.position)
        }
        index = CaseBlock.Index(
            name: bounded(known.local), caseType: attribute("case_type", of: tag),
            relationship: relationship, target: "")
        return keep(.indexTarget)
    }

    /// The role of a child of `attachment`.
    func inAttachments(_ tag: borrowing XMLTag, _ known: Known) -> Role? {
        guard hasRoom() else { return nil }
        block?.attachments.append(
            CaseBlock.Attachment(
                name: bounded(known.local), src: attribute("src", of: tag),
                from: attribute("from", of: tag)))
        return nil
    }

    /// Ends an index.
    func endIndex(_ target: String) {
        guard var index else { return }
        self.index = nil
        index.target = target
        if let block, !target.isEmpty, target == block.caseID {
            note("openrosa.index-self", "case \(target)", block.position)
        }
        block?.indices.append(index)
    }

    /// Ends a field of a case block or of `create`.
    func endCaseField(_ field: Field, _ value: String) {
        switch field {
        case .caseID: block?.caseID = value
        case .dateModified: block?.dateModified = value
        case .userID: block?.userID = block?.userID ?? value
        case .caseType:
            block?.create?.caseType = value
            checkLength(value, "case_type")
        case .caseName:
            block?.create?.caseName = value
            checkLength(value, "case_name")
        case .ownerID:
            block?.create?.ownerID = value
            checkLength(value, "owner_id")
        case .externalID:
            block?.create?.externalID = value
            checkLength(value, "external_id")
        default: block?.create?.others.append(property(value))
        }
    }

    /// Ends a property of `update`.
    func endProperty(_ value: String) {
        let property = property(value)
        properties.append(property)
        guard value.utf8.count > Self.longestValue else { return }
        switch property.name {
        case "case_type", "case_name", "owner_id", "external_id": checkLength(value, property.name)
        default: break
        }
    }

    private func checkLength(_ value: String, _ name: String) {
        guard value.utf8.count > Self.longestValue, value.utf16.count > Self.longestValue else {
            return
        }
        note(
            "openrosa.value-too-long", "\(name) of \(value.utf16.count) characters", block?.position
        )
    }

    /// Ends an `update`.
    func endUpdate() {
        block?.update = properties
        properties = []
    }

    /// Reports the case block that ends.
    func endCase() {
        guard var block else { return }
        self.block = nil
        let isInForm = kind != .response
        // In a form, an element of this name without an identifier is a question.
        if isInForm, block.version == .one, block.caseID == nil { return }
        if isInForm { becomeForm() }
        block.isCut = isCut
        let isCut = isCut
        facts.blocks += 1
        noteMissing(from: block)
        let files = isInForm ? block.attachments.filter { $0.from == "local" } : []
        let position = block.position
        emit(.caseBlock(block), isCut: isCut)
        for file in files {
            guard let name = file.src, !name.isEmpty else { continue }
            emit(.file(FileReference(file: name, element: file.name, position: position)))
        }
    }

    private func noteMissing(from block: borrowing CaseBlock) {
        if block.caseID?.isEmpty ?? true {
            note("openrosa.case-id-missing", "case block \(facts.blocks)", block.position)
        }
        if block.dateModified == nil {
            note("openrosa.case-date-missing", "case \(block.caseID ?? "")", block.position)
        }
        guard let create = block.create else { return }
        if create.caseType == nil || create.caseName == nil {
            note("openrosa.create-incomplete", "case \(block.caseID ?? "")", block.position)
        }
        if create.ownerID?.isEmpty ?? true, block.userID?.isEmpty ?? true,
            !(block.update ?? []).contains(where: { $0.name == "owner_id" && !$0.value.isEmpty })
        {
            note("openrosa.owner-missing", "case \(block.caseID ?? "")", block.position)
        }
    }
}
