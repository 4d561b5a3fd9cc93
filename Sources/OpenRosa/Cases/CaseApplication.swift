internal import Notation
internal import Wire

/// One case block on its way into a case.
struct CaseApplication {
    let block: CaseBlock
    let source: CaseSet.Source
    /// The resulting case; nil where there is none, or no block with its identifier.
    private(set) var state: CaseState?
    private(set) var problems: [CaseProblem] = []
    private let wasKnown: Bool

    /// Longest type, name, owner and external identifier, in UTF-16 code units.
    static let longestName = 255

    init(block: CaseBlock, known: CaseState?, source: CaseSet.Source) {
        self.block = block
        self.source = source
        state = known
        wasKnown = known != nil
    }

    mutating func run() {
        guard let id = block.caseID, !id.isEmpty else {
            complain(.missingCaseID)
            return
        }
        if let date = block.dateModified {
            check(date, of: "date_modified")
        } else {
            complain(.missingDateModified)
        }
        if block.isCut { complain(.cut) }
        if let create = block.create { apply(create, to: id) }
        if let update = block.update { apply(update) }
        if block.isClosed, require(for: .close) { state?.isClosed = true }
        applyIndices(of: id)
        applyAttachments()
        guard state != nil else { return }
        if let date = block.dateModified { state?.dateModified = date }
        if let user = block.userID { state?.userID = user }
    }

    private mutating func complain(_ reason: CaseProblem.Reason) {
        problems.append(CaseProblem(reason, caseID: block.caseID, at: block.position))
    }

    private mutating func check(_ date: String, of property: String) {
        if !CaseDate.isDate(date) { complain(.invalidDate(property: property, value: date)) }
    }

    private mutating func check(_ property: String, isShort value: String?) {
        guard let units = value?.utf16.count, units > Self.longestName else { return }
        complain(.tooLong(property: property, units: units))
    }

    /// Whether there is a case to act on.
    private mutating func require(for action: CaseProblem.Action) -> Bool {
        if state != nil { return true }
        complain(.unknownCase(action))
        return false
    }

    private mutating func apply(_ create: CaseBlock.Create, to id: String) {
        if wasKnown, source == .submission { complain(.alreadyExists) }
        if create.caseType == nil { complain(.missingCaseType) }
        if create.caseName == nil { complain(.missingCaseName) }
        if block.version != .one {
            if create.externalID != nil { complain(.unexpectedInCreate("external_id")) }
            for property in create.others { complain(.unexpectedInCreate(property.name)) }
        }
        let owner = create.ownerID ?? block.userID
        if owner?.isEmpty ?? true { complain(.missingOwner) }
        check("case_type", isShort: create.caseType)
        check("case_name", isShort: create.caseName)
        check("owner_id", isShort: owner)
        check("external_id", isShort: create.externalID)

        var new = state ?? CaseState(id: id)
        if !wasKnown { new.dateOpened = block.dateModified }
        new.caseType = create.caseType ?? new.caseType
        new.name = create.caseName ?? new.name
        new.ownerID = owner ?? new.ownerID
        new.externalID = create.externalID ?? new.externalID
        for property in create.others { new.properties[ExactText(property.name)] = property.value }
        state = new
    }

    private mutating func apply(_ update: [CaseBlock.Property]) {
        guard require(for: .update) else { return }
        for property in update {
            switch property.name {
            case "case_type":
                check("case_type", isShort: property.value)
                state?.caseType = property.value
            case "case_name":
                check("case_name", isShort: property.value)
                state?.name = property.value
            case "owner_id":
                check("owner_id", isShort: property.value)
                state?.ownerID = property.value
            case "external_id":
                check("external_id", isShort: property.value)
                state?.externalID = property.value
            case "date_opened":
                check(property.value, of: "date_opened")
                state?.dateOpened = property.value
            default: state?.properties[ExactText(property.name)] = property.value
            }
        }
    }

    private mutating func applyIndices(of id: String) {
        guard !block.indices.isEmpty else { return }
        if block.version == .one { complain(.notInVersion1(.index)) }
        guard require(for: .index) else { return }
        for index in block.indices {
            let name = ExactText(index.name)
            guard !index.target.isEmpty else {
                state?.indices[name] = nil
                continue
            }
            if ExactText(index.target) == ExactText(id) {
                complain(.selfIndex(index.name))
                continue
            }
            let relationship = index.relationship ?? CaseState.Index.child
            if relationship.isEmpty {
                complain(.emptyRelationship(index: index.name))
                continue
            }
            if ![CaseState.Index.child, CaseState.Index.extension].contains(relationship) {
                complain(.unknownRelationship(index: index.name, relationship))
            }
            state?.indices[name] = CaseState.Index(
                target: index.target, relationship: relationship, caseType: index.caseType)
        }
    }

    private mutating func applyAttachments() {
        guard !block.attachments.isEmpty else { return }
        if block.version == .one { complain(.notInVersion1(.attachment)) }
        guard require(for: .attachment) else { return }
        for attachment in block.attachments {
            state?.attachments[ExactText(attachment.name)] =
                attachment.isRemoval
                ? nil : CaseState.Attachment(source: attachment.src, from: attachment.from)
        }
    }
}
