internal import Notation
internal import OpenRosa
internal import Wire

/// What the server takes a device to have since a restore it gave it: the sync log of CommCare HQ.
struct DeviceLog: Hashable, Sendable {
    /// The restore identifier, which is the device's sync token.
    var id: String
    /// Identifier of the user who received it.
    var user: String
    /// The number of the last form that was in it.
    var form: Int
    /// When it was given, in seconds since 1970.
    var created: Int64
    /// The cases.
    var cases: SyncLog

    /// How long CommCare HQ keeps one, in seconds: 63 days.
    static let lifetime: Int64 = 63 * 86400

    /// The cases of a device that keeps only those of owners whom the restore named.
    ///
    /// Real devices delete what forms brought of others before they sync. Nil where it is the same
    /// as ``cases``.
    private(set) var casesOfNamedOwners: SyncLog?

    /// A log with these values.
    init(id: String, user: String, form: Int, created: Int64, cases: SyncLog) {
        self.id = id
        self.user = user
        self.form = form
        self.created = created
        self.cases = cases
    }

    /// How many cases are kept.
    var weight: Int { cases.caseIDs.count + (casesOfNamedOwners?.caseIDs.count ?? 0) }

    /// Adds a form that was received with the token.
    ///
    /// - Parameters:
    ///   - form: The form.
    ///   - ownsAll: Whether every owner's cases belong on the device.
    mutating func take(_ form: FormDocument, ownsAll: Bool) {
        let blocks = form.caseBlocks
        if ownsAll {
            let owners = Self.owners(in: blocks)
            if casesOfNamedOwners == nil, !owners.isSubset(of: cases.ownerIDs) {
                casesOfNamedOwners = cases
            }
            cases.ownerIDs.formUnion(owners)
        }
        casesOfNamedOwners?.apply(blocks)
        cases.apply(blocks)
    }

    /// The log of a device that states this hash; nil where none has it.
    func stated(_ hash: CaseStateHash) -> DeviceLog? {
        if cases.stateHash == hash { return self }
        guard let other = casesOfNamedOwners, other.stateHash == hash else { return nil }
        var log = self
        log.cases = other
        log.casesOfNamedOwners = nil
        return log
    }

    /// The owners that blocks name.
    private static func owners(in blocks: [CaseBlock]) -> Set<ExactText> {
        var owners: Set<ExactText> = []
        for block in blocks {
            let updated = block.update?.last { $0.name == "owner_id" }?.value
            if let owner = block.create.map({ $0.ownerID ?? block.userID }) ?? nil {
                owners.insert(ExactText(owner))
            }
            if let updated { owners.insert(ExactText(updated)) }
        }
        return owners
    }
}
