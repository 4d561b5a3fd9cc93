public import Notation
import Wire

/// Which cases a device deletes before it syncs: those that are not alive by `CaseLiveness`.
public struct CasePurge: Hashable, Sendable {
    /// Identifiers of the cases that go.
    public var removed: Set<ExactText> = []
    /// Those of ``removed`` that refer, directly or not, to a case that is not there.
    public var orphaned: Set<ExactText> = []
    /// Identifiers referred to and not there.
    public var missing: Set<ExactText> = []

    /// Cases that refer to each other in a cycle: a device aborts and requests a full restore.
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

    /// How often devices pass liveness on.
    static let deviceRounds = 2

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
        var search = CaseLiveness(owners: owners, count: cases.count, passes: passes)
        // In the order of their bytes, so that the same circle is found each time.
        let ids = cases.keys.sorted { $0.string.utf8.lexicographicallyPrecedes($1.string.utf8) }
        for id in ids {
            if let state = cases[id] { search.add(state) }
        }
        var budget = Int.max
        search.advance(&budget)
        if let cycle = search.cycle() { throw Cycle(ids: cycle.map { ids[$0].string }) }
        var result = CasePurge()
        result.missing = search.missing
        for (node, id) in ids.enumerated() where !search.isAlive(node) {
            result.removed.insert(id)
            if search.isOrphan(node) { result.orphaned.insert(id) }
        }
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
