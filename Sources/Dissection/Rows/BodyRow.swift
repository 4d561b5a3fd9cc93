public import Wire

/// Some of the content of a body, as it stands in a chunk.
public struct ContentPart: Hashable, Sendable {
    /// Its first byte.
    public var place: Place
    /// The number of its bytes, above 0.
    public var count: Int

    /// A part with these values.
    public init(place: Place, count: Int) {
        self.place = place
        self.count = count
    }
}

/// Head and content of one side of an exchange.
public struct BodyRow: Hashable, Sendable {
    /// The exchange.
    public var exchange: ExchangeID
    /// Whose side.
    public var sender: Peer
    /// Start line and fields as the receiver got them, up to and with the empty line.
    public var head: [UInt8]
    /// Trailer fields as received; empty without.
    public var trailers: [UInt8]
    /// The first bytes of the content after transfer and content coding.
    public var content: [UInt8]
    /// Whether ``content`` is well-formed UTF-8 (it may end inside a character only if cut).
    public var isText: Bool
    /// Size of the whole content after transfer and content coding in bytes, at least
    /// `content.count`; larger where the stored content was cut.
    public var size: Int64
    /// Size of the content on the wire in bytes, after transfer coding alone.
    public var wireSize: Int64
    /// The content codings that were undone, in the order of the field; empty without.
    public var coding: String
    /// Value of `Content-Type`, if any.
    public var contentType: String?
    /// Why the content could not be decoded, with the offset; nil where it could.
    public var problem: String?
    /// The place of ``head`` in a chunk as it was received; nil where it is not wholly in one.
    public var headPlace: Place?
    /// Where ``content`` stands in chunks as they were received, in order; empty where it does not.
    public var contentParts: [ContentPart] = []

    /// The place of the whole content in one chunk, that of ``headPlace`` if there is one; nil where
    /// it is not there.
    public var contentPlace: Place? {
        guard contentParts.count == 1, let part = contentParts.first, part.count == size,
            headPlace == nil || part.place.chunk == headPlace?.chunk
        else { return nil }
        return part.place
    }

    /// A body row with these values.
    public init(
        exchange: ExchangeID, sender: Peer, head: [UInt8], trailers: [UInt8] = [],
        content: [UInt8] = [], isText: Bool = true, size: Int64 = 0, wireSize: Int64 = 0,
        coding: String = "", contentType: String? = nil, problem: String? = nil
    ) {
        self.exchange = exchange
        self.sender = sender
        self.head = head
        self.trailers = trailers
        self.content = content
        self.isText = isText
        self.size = size
        self.wireSize = wireSize
        self.coding = coding
        self.contentType = contentType
        self.problem = problem
    }
}

/// One part of a multipart body.
public struct PartRow: Hashable, Sendable {
    /// The exchange.
    public var exchange: ExchangeID
    /// Whose body.
    public var sender: Peer
    /// Place among the parts, from 0.
    public var position: Int
    /// `name` of the content disposition.
    public var name: String?
    /// `filename` of the content disposition.
    public var filename: String?
    /// Value of `Content-Type`.
    public var contentType: String?
    /// Size of the part's content in bytes.
    public var size: Int64
    /// Offset of the part's content in the body after transfer and content coding.
    public var offset: Int64

    /// A part row with these values.
    public init(
        exchange: ExchangeID, sender: Peer, position: Int, name: String?, filename: String?,
        contentType: String?, size: Int64, offset: Int64
    ) {
        self.exchange = exchange
        self.sender = sender
        self.position = position
        self.name = name
        self.filename = filename
        self.contentType = contentType
        self.size = size
        self.offset = offset
    }
}

/// An OpenRosa document found in a body.
public struct OpenRosaRow: Hashable, Sendable {
    /// The exchange.
    public var exchange: ExchangeID
    /// Whose body.
    public var sender: Peer
    /// Part of a multipart body that holds the document; nil for the body itself.
    public var part: Int?
    /// What it is: `response`, `restore`, `form`, `actionable` (the JSON of a 406), `form-list`,
    /// `manifest` or `xml`.
    public var kind: String
    /// Local name of the root element, or of its substitute.
    public var root: String
    /// Namespace of the root element; the form's own for a form.
    public var namespace: String?
    /// `nature` of the message.
    public var nature: String?
    /// Text of the message; of a 406, what is shown without a translation.
    public var detail: String?
    /// Translation key of a 406.
    public var key: String?
    /// `items` of the root, as sent.
    public var items: String?
    /// `done` of the progress, as sent.
    public var done: String?
    /// `total` of the progress, as sent.
    public var total: String?
    /// Sync token that a restore issues.
    public var restoreID: String?
    /// `instanceID` of a form.
    public var instanceID: String?
    /// Number of case blocks.
    public var cases: Int
    /// Number of fixtures.
    public var fixtures: Int
    /// Number of ledger balances and transfers.
    public var ledgers: Int
    /// Whose cases belong on the device, as a JSON array: the user of a restore and the groups; nil
    /// where it names no group.
    public var owners: String?
    /// The error of the document with its place; nil where it is well formed.
    public var problem: String?

    /// A row about a document with only the kind and the root known.
    public init(exchange: ExchangeID, sender: Peer, part: Int?, kind: String, root: String) {
        self.exchange = exchange
        self.sender = sender
        self.part = part
        self.kind = kind
        self.root = root
        cases = 0
        fixtures = 0
        ledgers = 0
    }
}
