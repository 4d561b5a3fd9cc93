public import Notation
import Wire

/// A case as a device or a server has it after the blocks it has seen.
public struct CaseState: Hashable, Sendable {
    /// How a case refers to another.
    public struct Index: Hashable, Sendable {
        /// Type of the case referred to, as sent.
        public var caseType: String?
        /// `child`, `extension` or what was sent; `child` where nothing was.
        public var relationship: String
        /// Identifier of the case referred to, never empty.
        public var target: String

        /// An index with these values.
        public init(target: String, relationship: String = Index.child, caseType: String? = nil) {
            self.caseType = caseType
            self.relationship = relationship
            self.target = target
        }

        /// The relationship of a case that keeps its parent on the device.
        public static let child = "child"
        /// The relationship of a case that lives as long as its host.
        public static let `extension` = "extension"

        /// Whether the case lives as long as the one it refers to.
        public var isExtension: Bool { ExactText(relationship) == ExactText(Self.extension) }
    }

    /// A file that belongs to a case.
    public struct Attachment: Hashable, Sendable {
        /// Where it is, as sent.
        public var source: String?
        /// `local`, `remote` or `inline`, as sent.
        public var from: String?

        /// An attachment with these values.
        public init(source: String? = nil, from: String? = nil) {
            self.source = source
            self.from = from
        }
    }

    /// Identifier, never empty.
    public var id: String
    /// Type, such as `patient`; nil only where a block without it was accepted.
    public var caseType: String?
    /// Name; nil only where a block without it was accepted.
    public var name: String?
    /// User or group that it belongs to.
    public var ownerID: String?
    /// Identifier in another system.
    public var externalID: String?
    /// User of the last block.
    public var userID: String?
    /// When it was opened, as sent.
    public var dateOpened: String?
    /// When it was changed last, as sent.
    public var dateModified: String?
    /// Whether it was closed; nothing opens it again.
    public var isClosed = false
    /// All other properties by name.
    public var properties: [ExactText: String] = [:]
    /// References to other cases by name.
    public var indices: [ExactText: Index] = [:]
    /// Files by name.
    public var attachments: [ExactText: Attachment] = [:]

    /// A case with only its identifier known.
    public init(id: String) { self.id = id }

    /// The value of a property that is none of the named ones.
    public subscript(property name: String) -> String? { properties[ExactText(name)] }

    /// The index with this name.
    public subscript(index name: String) -> Index? { indices[ExactText(name)] }
}
