/// Something about a case block that its specification forbids, or that does not fit what is there.
///
/// Source: OpenRosa/Specification.md#case-blocks (the parsers of commcare-core).
public struct CaseProblem: Error, Hashable, Sendable {
    /// The action of a block on a case.
    public enum Action: String, Hashable, Sendable, CaseIterable {
        /// To change properties.
        case update
        /// To close it.
        case close
        /// To set or remove an index.
        case index
        /// To set or remove an attachment.
        case attachment
    }

    /// The kind of problem.
    public enum Reason: Hashable, Sendable {
        /// The block names no case.
        case missingCaseID
        /// The block has no date.
        case missingDateModified
        /// The date is none of ISO 8601.
        case invalidDate(property: String, value: String)
        /// A new case has no type.
        case missingCaseType
        /// A new case has no name.
        case missingCaseName
        /// A new case has no owner, and the block no user.
        case missingOwner
        /// `create` holds something other than type, name and owner.
        case unexpectedInCreate(String)
        /// The case is not there.
        case unknownCase(Action)
        /// The case exists already; the block changes it.
        case alreadyExists
        /// An index of the case to itself.
        case selfIndex(String)
        /// An index with `relationship=""`.
        case emptyRelationship(index: String)
        /// A relationship other than `child` and `extension`.
        case unknownRelationship(index: String, String)
        /// A value with more than 255 UTF-16 code units, `units` of them.
        case tooLong(property: String, units: Int)
        /// Indices or attachments in a block of version 1, which has none.
        case notInVersion1(Action)
        /// The block is longer than is kept of one; the case may lack something.
        case cut
        /// A ledger block without a date, an entity, or an entry's identifier.
        case incompleteLedger(missing: String)
        /// A quantity that is not an integer of 32 bits.
        case invalidQuantity(String)
    }

    /// The kind of problem.
    public var reason: Reason
    /// The case, or the ledger's entity; nil where the block names none.
    public var caseID: String?
    /// Where the block begins.
    public var position: XMLPosition?

    /// A problem with these values.
    public init(_ reason: Reason, caseID: String?, at position: XMLPosition? = nil) {
        self.reason = reason
        self.caseID = caseID
        self.position = position
    }

    /// Whether a CommCare client aborts the whole sync, or form, because of it.
    public var isFatal: Bool {
        switch reason {
        case .alreadyExists, .unknownRelationship, .notInVersion1, .cut: false
        default: true
        }
    }

    /// The same as text.
    public var detail: String {
        let id = caseID ?? ""
        return switch reason {
        case .missingCaseID: "a case block without case_id"
        case .missingDateModified: "the block of case \(id) has no date_modified"
        case .invalidDate(let property, let value):
            "\(property) of case \(id) is not a date: \(value)"
        case .missingCaseType: "case \(id) is created without case_type"
        case .missingCaseName: "case \(id) is created without case_name"
        case .missingOwner: "case \(id) is created without owner_id, and the block has no user_id"
        case .unexpectedInCreate(let name):
            "create of case \(id) has \(name), and only case_type, case_name and owner_id are "
                + "allowed"
        case .unknownCase(let action): "\(action.rawValue) of case \(id), which is not there"
        case .alreadyExists: "case \(id) is created and was there already"
        case .selfIndex(let name): "index \(name) of case \(id) refers to the case itself"
        case .emptyRelationship(let index):
            "index \(index) of case \(id) has an empty relationship"
        case .unknownRelationship(let index, let value):
            "index \(index) of case \(id) has relationship \(value), neither child nor extension"
        case .tooLong(let property, let units):
            "\(property) of case \(id) has \(units) UTF-16 code units, and 255 are allowed"
        case .notInVersion1(let action):
            "the block of case \(id) has \(action.rawValue), which is not in version 1"
        case .cut: "the block of \(id) is too long to be kept whole"
        case .incompleteLedger(let missing): "a ledger block of \(id) has no \(missing)"
        case .invalidQuantity(let text):
            "a quantity in a ledger of \(id) is not an integer of 32 bits: \(text)"
        }
    }
}
