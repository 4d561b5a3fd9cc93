public import Wire

/// The block of a restore or a form about one case.
///
/// Texts are as sent, without white space around them.
public struct CaseBlockRow: Hashable, Sendable {
    /// The exchange.
    public var exchange: ExchangeID
    /// Whose body.
    public var sender: Peer
    /// Part of a multipart body that holds the document; nil for the body itself.
    public var part: Int?
    /// Place among the case blocks of the body, from 0.
    public var position: Int
    /// Identifier of the case, if any.
    public var caseID: String?
    /// What the block does, joined by spaces: `create`, `update`, `close`, `index`, `attachment`.
    public var action: String
    /// Type that it gives the case.
    public var caseType: String?
    /// Name that it gives the case.
    public var caseName: String?
    /// Owner that it gives the case; the user where a `create` names none.
    public var ownerID: String?
    /// Who changed the case.
    public var userID: String?
    /// When the case was changed, as sent.
    public var dateModified: String?
    /// References to other cases as a JSON object by name: `case_type`, `relationship` (`child`
    /// where none was sent) and `target`, and null for one that is removed; nil where there is none.
    public var indices: String?
    /// All other properties that the block sets as a JSON object of texts by name, the last of each
    /// name, as far as ``OpenRosaDocument/longestProperties`` goes; nil where there is none.
    public var properties: String?

    /// A row about a block with only the case and the actions known.
    public init(
        exchange: ExchangeID, sender: Peer, part: Int?, position: Int, caseID: String?,
        action: String
    ) {
        self.exchange = exchange
        self.sender = sender
        self.part = part
        self.position = position
        self.caseID = caseID
        self.action = action
    }
}
