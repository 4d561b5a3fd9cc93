/// What a case block does to its case, in bounded size.
///
/// Texts are as sent, without white space around them, and cut after
/// ``OpenRosaDocument/longestText`` bytes; those of properties are never cut. The whole block is in
/// ``CaseBlock``.
public struct CaseOutline: Hashable, Sendable {
    /// What a block can do, in the order in which devices do it.
    public enum Action: String, Hashable, Sendable, CaseIterable {
        /// The case comes into being, or is brought by a restore.
        case create
        /// Properties are set.
        case update
        /// The case is closed.
        case close
        /// References to other cases are set or removed.
        case index
        /// Files are set or removed.
        case attachment
    }

    /// Identifier of the case; nil where the block has none.
    public var caseID: String?
    /// Whether there is a `create`.
    public var creates = false
    /// Whether there is an `update`.
    public var updates = false
    /// Whether there is a `close`.
    public var closes = false
    /// Whether files are set or removed.
    public var hasAttachments = false
    /// Type that the block gives the case; nil where it has none.
    public var caseType: String?
    /// Name that the block gives the case; nil where it has none.
    public var caseName: String?
    /// Owner that the block gives the case: a `create` without one takes ``userID``.
    public var ownerID: String?
    /// Who changed the case; in version 1 the `user_id` of `create` where the block has none.
    public var userID: String?
    /// When the case was changed, as sent.
    public var dateModified: String?
    /// The first ``OpenRosaDocument/longestList`` indices that are set or removed.
    public var indices: [CaseBlock.Index] = []
    /// All other properties that the block sets, in the order in which devices apply them: those of
    /// `create`, then those of `update`, with repetitions.
    ///
    /// As many as fit ``OpenRosaDocument/longestProperties`` bytes of names and values; the first
    /// one that does not fit is left out with all after it.
    public var properties: [CaseBlock.Property] = []

    /// An outline of a block that does nothing.
    public init() {}

    /// What the block does.
    public var actions: [Action] {
        Action.allCases.filter { action in
            switch action {
            case .create: creates
            case .update: updates
            case .close: closes
            case .index: !indices.isEmpty
            case .attachment: hasAttachments
            }
        }
    }
}

extension CaseOutline {
    /// What a block does, combined from `create` and `update`; a device applies them in this order.
    init(_ block: CaseBlock) {
        caseID = block.caseID.map(OpenRosaOutline.bounded)
        creates = block.create != nil
        updates = block.update != nil
        closes = block.isClosed
        hasAttachments = !block.attachments.isEmpty
        userID = block.userID.map(OpenRosaOutline.bounded)
        dateModified = block.dateModified.map(OpenRosaOutline.bounded)
        indices = block.indices.prefix(OpenRosaDocument.longestList).map { index in
            CaseBlock.Index(
                name: OpenRosaOutline.bounded(index.name),
                caseType: index.caseType.map(OpenRosaOutline.bounded),
                relationship: index.relationship.map(OpenRosaOutline.bounded),
                target: OpenRosaOutline.bounded(index.target))
        }
        caseType = block.create?.caseType.map(OpenRosaOutline.bounded)
        caseName = block.create?.caseName.map(OpenRosaOutline.bounded)
        ownerID = block.create?.ownerID.map(OpenRosaOutline.bounded) ?? (creates ? userID : nil)
        var room = OpenRosaDocument.longestProperties
        if let externalID = block.create?.externalID {
            keep(CaseBlock.Property("external_id", externalID), &room)
        }
        for property in block.create?.others ?? [] { keep(property, &room) }
        properties.reserveCapacity(properties.count + (block.update?.count ?? 0))
        for property in block.update ?? [] {
            switch property.name {
            case "case_type": caseType = OpenRosaOutline.bounded(property.value)
            case "case_name": caseName = OpenRosaOutline.bounded(property.value)
            case "owner_id": ownerID = OpenRosaOutline.bounded(property.value)
            default: keep(property, &room)
            }
        }
    }

    /// Keeps a property if it is complete and there is room; after one that is not kept no further
    /// one is.
    private mutating func keep(_ property: CaseBlock.Property, _ room: inout Int) {
        room -= property.name.utf8.count + property.value.utf8.count
        if property.isCut { room = -1 }
        guard room >= 0 else {
            room = -1
            return
        }
        properties.append(property)
    }
}
