/// The block of a restore or a form about quantities.
///
/// Source: namespace `http://commcarehq.org/ledger/v1`, `LedgerXmlParsers` of commcare-core.
public struct LedgerBlock: Hashable, Sendable {
    /// The kind of block.
    public enum Kind: String, Hashable, Sendable {
        /// How much there is.
        case balance
        /// How much moves.
        case transfer
    }

    /// One quantity of one thing.
    public struct Entry: Hashable, Sendable {
        /// Identifier of what is counted.
        public var id: String?
        /// How much, as sent.
        public var quantity: String?
        /// Section of the quantity: that of its `value`, else that of the block.
        public var sectionID: String?

        /// An entry with these values.
        public init(id: String?, quantity: String?, sectionID: String? = nil) {
            self.id = id
            self.quantity = quantity
            self.sectionID = sectionID
        }
    }

    /// The kind of block.
    public var kind: Kind
    /// Case whose ledger a balance is of.
    public var entityID: String?
    /// Case that a transfer takes from (`src`).
    public var source: String?
    /// Case that a transfer gives to (`dest`).
    public var destination: String?
    /// Section of all entries, where the block names one.
    public var sectionID: String?
    /// When, as sent.
    public var date: String?
    /// `type`, as sent.
    public var type: String?
    /// The quantities, in order.
    public var entries: [Entry]
    /// Whether something is missing or shortened here because of ``CommCareBounds``.
    public var isCut: Bool
    /// Where the block begins.
    public var position: XMLPosition

    /// A block with these values.
    public init(
        _ kind: Kind, entityID: String? = nil, source: String? = nil, destination: String? = nil,
        sectionID: String? = nil, date: String? = nil, type: String? = nil,
        entries: [Entry] = [], isCut: Bool = false, position: XMLPosition = .start
    ) {
        self.kind = kind
        self.entityID = entityID
        self.source = source
        self.destination = destination
        self.sectionID = sectionID
        self.date = date
        self.type = type
        self.entries = entries
        self.isCut = isCut
        self.position = position
    }
}
