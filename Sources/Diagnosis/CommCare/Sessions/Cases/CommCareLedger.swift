import Notation
import OpenRosa
import Wire

/// The cases that a device has, as far as the session shows: a full restore and later changes.
struct CommCareLedger: Sendable {
    /// The maximum number of cases of one device.
    static let maxCases = 200_000
    /// The maximum number of cases created by forms that are remembered beside those of the set.
    static let maxCreated = 100_000
    /// The maximum number of steps of one search for a circle.
    static let maxSteps = 50_000

    /// The cases.
    private(set) var set = CaseSet()
    /// Sync token of the restore it was last brought up to date by.
    var token: String
    /// Identifier of the user, if a registration named it.
    var userID: String?
    /// Whether no case was closed, changed its owner or extends another.
    private var isPlain = true
    /// Owners of the cases that restores brought: the user, and the groups the user belongs to.
    private var owners: Set<ExactText> = []
    /// Owners of cases that forms created.
    private var formOwners: Set<ExactText> = []
    /// Whether every form that was seen was accepted by the server.
    var isExact = true
    /// Cases that forms created, accepted by the server or not.
    private(set) var created: Set<ExactText> = []
    /// Whether there were more than are kept.
    private(set) var isOverfull = false

    init(token: String) { self.token = token }

    /// Whether the device has the case, or has had it.
    func knows(_ id: String) -> Bool { set[id] != nil || created.contains(ExactText(id)) }

    /// Remembers what a form creates.
    mutating func note(_ form: CommCareForm) {
        for block in form.blocks where block.create != nil {
            guard created.count < Self.maxCreated else {
                isOverfull = true
                return
            }
            if let id = block.caseID { created.insert(ExactText(id)) }
        }
    }

    /// Adds a block.
    ///
    /// - Returns: The first thing for which a device refuses it.
    mutating func apply(_ block: CaseBlock, from source: CaseSet.Source) -> CaseProblem? {
        guard set.cases.count < Self.maxCases else {
            isOverfull = true
            return nil
        }
        let known = block.caseID.flatMap { set[$0] }
        let owner = block.update?.last { $0.name == "owner_id" }?.value ?? block.create?.ownerID
        if block.isClosed || known.map({ owner != nil && $0.ownerID != owner }) ?? false
            || block.indices.contains(where: { $0.relationship == CaseState.Index.extension })
        {
            isPlain = false
        }
        if let owner = owner ?? (block.create == nil ? nil : block.userID), owners.count < 10_000,
            formOwners.count < 10_000
        {
            if source == .restore {
                owners.insert(ExactText(owner))
            } else {
                formOwners.insert(ExactText(owner))
            }
        }
        do {
            try set.apply(block, from: source, .strict)
            return nil
        } catch {
            return error
        }
    }

    /// Whether the device's purge removes nothing: all cases are plain and the user's own.
    var isSimple: Bool {
        guard isPlain, let user = userID.map(ExactText.init) else { return false }
        return owners.union(formOwners).isSubset(of: [user])
    }

    /// The hashes that a device with these cases may send: before its purge, and after one that
    /// uses no owners, those of restores, or only the user.
    var hashes: [CaseStateHash] {
        var hashes = [set.stateHash]
        let user = Set([userID].compactMap { $0.map(ExactText.init) })
        for known in [nil, owners.union(user), user] {
            var purged = set
            if (try? purged.purge(owners: known)) != nil { hashes.append(purged.stateHash) }
        }
        return hashes
    }

    /// A circle of indices through one of the cases.
    ///
    /// - Parameters:
    ///   - ids: Where to begin.
    ///   - overlay: The references of cases that are not added yet.
    /// - Returns: The cases, each referring to the next and the last to the first.
    func cycle(through ids: [ExactText], overlay: [ExactText: [ExactText]] = [:]) -> [String]? {
        let circle = CaseCircle.find(from: ids, maxSteps: Self.maxSteps) { id in
            let known = set.cases[id]?.indices.values.map { ExactText($0.target) } ?? []
            // A case with an index to itself breaks another rule.
            return ((overlay[id] ?? []) + known).filter { $0 != id }
        }
        return circle?.map(\.string)
    }
}
