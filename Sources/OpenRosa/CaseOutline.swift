/// What a case block does to its case, in bounded size.
///
/// Texts are as sent, without white space around them, and cut after
/// ``OpenRosaDocument/longestText`` bytes; those of properties are never cut. What the block says as
/// a whole is in ``CaseBlock``.
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
    /// Type that the block gives the case; nil where it says none.
    public var caseType: String?
    /// Name that the block gives the case; nil where it says none.
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
    /// one that does not fit is left out with all behind it.
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
