internal import Notation
internal import Wire

/// Indices of one relationship between cases, to be followed in both directions.
struct CaseIndexTree: Hashable, Sendable {
    private var outgoing: [ExactText: [ExactText: ExactText]] = [:]
    private var incoming: [ExactText: Set<ExactText>] = [:]

    init() {}

    /// Cases that a case refers to.
    func targets(of id: ExactText) -> Set<ExactText> {
        Set(outgoing[id]?.values.lazy.map { $0 } ?? [])
    }

    /// Cases that refer to a case.
    func sources(of id: ExactText) -> Set<ExactText> { incoming[id] ?? [] }

    func hasTargets(of id: ExactText) -> Bool { outgoing[id] != nil }

    func hasSources(of id: ExactText) -> Bool { incoming[id] != nil }

    /// Sets the index `name` of a case.
    mutating func set(_ name: ExactText, of id: ExactText, to target: ExactText) {
        remove(name, of: id)
        outgoing[id, default: [:]][name] = target
        incoming[target, default: []].insert(id)
    }

    /// Removes the index `name` of a case, if it is there.
    mutating func remove(_ name: ExactText, of id: ExactText) {
        guard let target = outgoing[id]?.removeValue(forKey: name) else { return }
        if outgoing[id]?.isEmpty == true { outgoing[id] = nil }
        // Another index of the case may go to the same target.
        guard outgoing[id]?.values.contains(target) != true else { return }
        forget(id, at: target)
    }

    /// Removes all indices of a case; what refers to it stays.
    mutating func removeAll(of id: ExactText) {
        for target in Set(outgoing.removeValue(forKey: id)?.values.lazy.map { $0 } ?? []) {
            forget(id, at: target)
        }
    }

    private mutating func forget(_ id: ExactText, at target: ExactText) {
        incoming[target]?.remove(id)
        if incoming[target]?.isEmpty == true { incoming[target] = nil }
    }
}
