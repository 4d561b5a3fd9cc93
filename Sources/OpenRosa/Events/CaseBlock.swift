/// The block of a restore or a form about one case: a transaction on it.
///
/// Texts are as sent, without white space around them. Nothing is checked but what
/// ``OpenRosaNote/codes`` names, and nothing is filled in.
///
/// Source: casexml of versions 1 and 2; OpenRosa/Specification.md#case-blocks.
public struct CaseBlock: Hashable, Sendable {
    /// How a block is written.
    public enum Version: Hashable, Sendable {
        /// Identifiers are elements, and there is no namespace.
        case one
        /// Identifiers are attributes; version 3 is written the same.
        case two
    }

    /// A name with a value.
    public struct Property: Hashable, Sendable {
        /// Local name of the element, or the key of user data.
        public var name: String
        /// Text of the element.
        public var value: String
        /// Whether one of them is shortened because of ``CommCareBounds``.
        public var isCut: Bool

        /// A property with this value.
        public init(_ name: String, _ value: String, isCut: Bool = false) {
            self.name = name
            self.value = value
            self.isCut = isCut
        }
    }

    /// `create`: the case comes into being.
    public struct Create: Hashable, Sendable {
        /// `case_type`; `case_type_id` in version 1.
        public var caseType: String?
        /// `case_name`.
        public var caseName: String?
        /// `owner_id`.
        public var ownerID: String?
        /// `external_id`, which belongs to version 1.
        public var externalID: String?
        /// Everything else, in order; a device refuses a `create` of version 2 that has any.
        public var others: [Property]

        /// A `create` with these values.
        public init(
            caseType: String? = nil, caseName: String? = nil, ownerID: String? = nil,
            externalID: String? = nil, others: [Property] = []
        ) {
            self.caseType = caseType
            self.caseName = caseName
            self.ownerID = ownerID
            self.externalID = externalID
            self.others = others
        }
    }

    /// A child of `index`: this case points to another.
    public struct Index: Hashable, Sendable {
        /// Name of the index.
        public var name: String
        /// `case_type` of the case pointed to.
        public var caseType: String?
        /// `relationship`, as sent; absent means `child`.
        public var relationship: String?
        /// `case_id` of the case pointed to; empty where the index is removed.
        public var target: String

        /// An index with these values.
        public init(
            name: String, caseType: String? = nil, relationship: String? = nil, target: String
        ) {
            self.name = name
            self.caseType = caseType
            self.relationship = relationship
            self.target = target
        }
    }

    /// A child of `attachment`.
    public struct Attachment: Hashable, Sendable {
        /// Name of the attachment.
        public var name: String
        /// `src`: a URL or the name of a part of the submission.
        public var src: String?
        /// `from`: `local`, `remote` or `inline`.
        public var from: String?

        /// An attachment with these values.
        public init(name: String, src: String? = nil, from: String? = nil) {
            self.name = name
            self.src = src
            self.from = from
        }

        /// Whether the attachment is removed: neither `src` nor `from`, or both empty.
        public var isRemoval: Bool { (src ?? "").isEmpty && (from ?? "").isEmpty }
    }

    /// How the block is written.
    public var version: Version
    /// Identifier of the case.
    public var caseID: String?
    /// When the case was changed, as sent.
    public var dateModified: String?
    /// Who changed it; in version 1 the `user_id` of `create` where the block has none.
    public var userID: String?
    /// The contents of `create`; nil without.
    public var create: Create?
    /// The contents of `update`, in order and with repetitions; nil without.
    public var update: [Property]?
    /// Whether there is a `close`.
    public var isClosed: Bool
    /// Indices set and removed.
    public var indices: [Index]
    /// Attachments set and removed.
    public var attachments: [Attachment]
    /// Whether something is missing or shortened here because of ``CommCareBounds``.
    public var isCut: Bool
    /// Where the block begins.
    public var position: XMLPosition

    /// A block with these values.
    public init(
        version: Version = .two, caseID: String?, dateModified: String? = nil,
        userID: String? = nil, create: Create? = nil, update: [Property]? = nil,
        isClosed: Bool = false, indices: [Index] = [], attachments: [Attachment] = [],
        isCut: Bool = false, position: XMLPosition = .start
    ) {
        self.version = version
        self.caseID = caseID
        self.dateModified = dateModified
        self.userID = userID
        self.create = create
        self.update = update
        self.isClosed = isClosed
        self.indices = indices
        self.attachments = attachments
        self.isCut = isCut
        self.position = position
    }
}
