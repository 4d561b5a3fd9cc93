public import Notation
import Wire

/// What a server takes a device to have: kept from the restore it sent and the forms that came since.
///
/// A case is primary, or dependent: there only because others refer to it. A form whose cases are
/// closed or given to another owner purges them where nothing keeps them.
///
/// Source: `SimplifiedSyncLog.update_phone_lists` of CommCare HQ;
/// OpenRosa/Specification.md#sync-ledger.
public struct SyncLog: Hashable, Sendable {
    /// The user and the groups whose cases belong on the device.
    public var ownerIDs: Set<ExactText>
    /// Cases that are on the device.
    public private(set) var caseIDs: Set<ExactText> = []
    /// Those of ``caseIDs`` that others keep there.
    public internal(set) var dependentIDs: Set<ExactText> = []
    /// Cases that forms closed.
    public internal(set) var closedIDs: Set<ExactText> = []
    var children = CaseIndexTree()
    var extensions = CaseIndexTree()
    private var digest = CaseStateHash.Digest.zero

    /// A device without cases.
    ///
    /// - Parameters:
    ///   - ownerIDs: The user and the groups.
    ///   - count: For how many cases there is to be room.
    public init(ownerIDs: Set<ExactText>, count: Int = 0) {
        self.ownerIDs = ownerIDs
        caseIDs.reserveCapacity(count)
    }

    /// A device that has just received these cases.
    public init(_ set: CaseSet, ownerIDs: Set<ExactText>) {
        self.init(ownerIDs: ownerIDs, count: set.cases.count)
        for state in set.cases.values { receive(state) }
    }

    /// Adds a case of a restore; its owner has to be in ``ownerIDs`` by now, if it is to be.
    public mutating func receive(_ state: CaseState) {
        let id = ExactText(state.id)
        hold(id)
        if state.isClosed { closedIDs.insert(id) }
        let isOwned = state.ownerID.map { ownerIDs.contains(ExactText($0)) } ?? false
        if state.isClosed || !isOwned { dependentIDs.insert(id) }
        for (name, index) in state.indices {
            let target = ExactText(index.target)
            if index.isExtension {
                extensions.set(name, of: id, to: target)
            } else {
                children.set(name, of: id, to: target)
            }
        }
    }

    /// The hash that the server expects as `state`: kept up to date with every case.
    public var stateHash: CaseStateHash {
        CaseStateHash(digest: caseIDs.isEmpty ? nil : digest)
    }

    /// Puts a case on the device.
    private mutating func hold(_ id: ExactText) {
        if caseIDs.insert(id).inserted { digest = digest ^ CaseStateHash.Digest(of: id.string) }
    }

    /// Takes a case off the device.
    ///
    /// - Returns: Whether it was there.
    mutating func release(_ id: ExactText) -> Bool {
        guard caseIDs.remove(id) != nil else { return false }
        digest = digest ^ CaseStateHash.Digest(of: id.string)
        return true
    }

    /// Primary cases: those that are not only on the device because another refers to them.
    public var primaryIDs: Set<ExactText> { caseIDs.subtracting(dependentIDs) }

    /// Adds a form that was received with the sync token.
    ///
    /// - Parameter form: The case blocks of one form, in order; those without identifier are
    ///   skipped.
    public mutating func apply(_ form: some Sequence<CaseBlock>) {
        var updates: [ExactText: Update] = [:]
        var order: [ExactText] = []
        for block in form {
            guard let text = block.caseID, !text.isEmpty else { continue }
            let id = ExactText(text)
            if updates[id] == nil {
                order.append(id)
                updates[id] = Update(wasLive: caseIDs.contains(id) && !dependentIDs.contains(id))
            }
            updates[id]?.add(block)
        }
        var others: [(id: ExactText, update: Update)] = []
        for id in order {
            guard let update = updates[id] else { continue }
            if update.isLive(ownerIDs) {
                hold(id)
                dependentIDs.remove(id)
                index(id, by: update)
            } else {
                others.append((id, update))
                if update.isClosed { closedIDs.insert(id) }
            }
        }
        // What keeps a case there may come later in the form, so hosts and parents go first.
        for (id, update) in Self.targetsFirst(others) {
            let isReferredTo = children.hasSources(of: id) || extensions.hasSources(of: id)
            if isReferredTo {
                hold(id)
                dependentIDs.insert(id)
            }
            if update.indices.contains(where: { $0.index?.isExtension == true }) {
                hold(id)
            } else if !isReferredTo {
                continue
            }
            set(id, by: update)
        }
        var purged: Set<ExactText> = []
        for (id, update) in others where caseIDs.contains(id) {
            purge(id, &purged)
            if caseIDs.contains(id) { index(id, by: update) }
        }
    }

    private mutating func index(_ id: ExactText, by update: Update) {
        set(id, by: update)
        for entry in update.indices where entry.index == nil {
            children.remove(entry.name, of: id)
            extensions.remove(entry.name, of: id)
        }
    }

    private mutating func set(_ id: ExactText, by update: Update) {
        let childTargets = Set(
            update.indices.compactMap { entry in
                entry.index.flatMap { $0.isExtension ? nil : ExactText($0.target) }
            })
        for entry in update.indices {
            guard let index = entry.index else { continue }
            let target = ExactText(index.target)
            if index.isExtension {
                extensions.set(entry.name, of: id, to: target)
                if !childTargets.contains(target), !update.isLive(ownerIDs) {
                    dependentIDs.insert(id)
                }
            } else {
                children.set(entry.name, of: id, to: target)
            }
        }
    }

    /// Cases that others of the same form refer to come before those.
    private static func targetsFirst(
        _ updates: [(id: ExactText, update: Update)]
    ) -> [(id: ExactText, update: Update)] {
        let places = Dictionary(
            uniqueKeysWithValues: updates.enumerated().map { ($0.element.id, $0.offset) })
        var result: [(id: ExactText, update: Update)] = []
        var isSeen = [Bool](repeating: false, count: updates.count)
        for start in updates.indices {
            var path = [(start, false)]
            while let (place, isDone) = path.popLast() {
                if isDone {
                    result.append(updates[place])
                    continue
                }
                guard !isSeen[place] else { continue }
                isSeen[place] = true
                path.append((place, true))
                for entry in updates[place].update.indices {
                    if let index = entry.index, let target = places[ExactText(index.target)] {
                        path.append((target, false))
                    }
                }
            }
        }
        return result
    }
}
