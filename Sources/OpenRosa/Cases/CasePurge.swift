public import Notation
import Wire

/// Which cases a device deletes before it syncs.
///
/// Owned and open cases are relevant, and what they refer to; open and relevant cases that extend no
/// other are available, and what extends them; owned, relevant and available cases are alive, and
/// what they refer to or what extends them. What is not alive goes. A case that refers to one that is
/// not there goes too, with everything that refers to it.
///
/// Source: `CasePurgeFilter` of commcare-core; reference/commcare-in-practice.md, 8.1.
public struct CasePurge: Hashable, Sendable {
    /// Identifiers of the cases that go.
    public var removed: Set<ExactText> = []
    /// Those of ``removed`` that refer, directly or not, to a case that is not there.
    public var orphaned: Set<ExactText> = []
    /// Identifiers referred to and not there.
    public var missing: Set<ExactText> = []

    /// Cases that refer to each other in a circle: a device gives up and asks for a full restore.
    public struct Cycle: Error, Hashable, Sendable {
        /// Identifiers of the cases, each referring to the next and the last to the first.
        public var ids: [String]
    }

    /// How often liveness is passed along the indices in both directions.
    public enum Passes: Hashable, Sendable {
        /// Twice, as devices do: chains that change direction more often are deleted wrongly.
        case asDevices
        /// Until nothing changes.
        case complete
    }

    /// Judges the cases of a device.
    ///
    /// Takes time linear in the number of cases and indices, times the number of passes.
    ///
    /// - Parameters:
    ///   - cases: The cases.
    ///   - owners: The user and the groups whose cases belong on the device; nil for all.
    ///   - passes: How thoroughly liveness is passed on.
    /// - Returns: Which cases go, and why.
    /// - Throws: ``Cycle``.
    public static func judge(
        _ cases: [ExactText: CaseState], owners: Set<ExactText>?, passes: Passes = .asDevices
    ) throws(Cycle) -> CasePurge {
        var graph = CaseGraph(cases)
        var result = CasePurge()
        result.missing = graph.missing
        let orphans = graph.removeOrphans()
        result.orphaned = Set(orphans.map { graph.ids[$0] })
        if let cycle = graph.cycle() { throw Cycle(ids: cycle.map { graph.ids[$0].string }) }

        let isOpen = graph.states.map { !$0.isClosed }
        let isOwned = graph.states.map { state in
            guard let owners else { return true }
            return state.ownerID.map { owners.contains(ExactText($0)) } ?? false
        }
        let nodes = graph.states.indices.filter { !graph.isRemoved[$0] }
        var isRelevant = [Bool](repeating: false, count: graph.states.count)
        for node in nodes { isRelevant[node] = isOwned[node] && isOpen[node] }
        graph.spread(&isRelevant, .toTargets)
        graph.spread(&isRelevant, .toExtensions)
        var isAvailable = isRelevant
        for node in nodes where isAvailable[node] {
            isAvailable[node] =
                isOpen[node] && !graph.targets[node].contains { $0.isExtension }
        }
        graph.spread(&isAvailable, .toExtensions) { isOpen[$0] }
        var isAlive = isAvailable
        for node in nodes where isAlive[node] { isAlive[node] = isOwned[node] && isRelevant[node] }
        var rounds = 0
        var before: [Bool]
        repeat {
            before = isAlive
            graph.spread(&isAlive, .toTargets)
            graph.spread(&isAlive, .toExtensions) { isOpen[$0] }
            rounds += 1
        } while passes == .asDevices ? rounds < 2 : isAlive != before
        result.removed = result.orphaned.union(
            nodes.lazy.filter { !isAlive[$0] }.map { graph.ids[$0] })
        return result
    }
}

extension CaseSet {
    /// Deletes what a device deletes before it syncs; see ``CasePurge``.
    ///
    /// - Returns: Which cases went, and why.
    /// - Throws: ``CasePurge/Cycle``; the set is as before.
    @discardableResult
    public mutating func purge(
        owners: Set<ExactText>?, passes: CasePurge.Passes = .asDevices
    ) throws(CasePurge.Cycle) -> CasePurge {
        let result = try CasePurge.judge(cases, owners: owners, passes: passes)
        for id in result.removed { remove(id.string) }
        return result
    }
}
