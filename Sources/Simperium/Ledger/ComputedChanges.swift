internal import Notation

/// The last changes that were computed, so that each is computed once for all peers that receive it.
public struct ComputedChanges: Sendable {
    private struct Step: Sendable {
        var base: [UInt8]
        var operations: [UInt8]
        var result: [UInt8]?
    }

    private var steps: [Step] = []
    private var places: [ExactText: Int] = [:]
    private var names: [ExactText] = []
    private var oldest = 0
    private let limit: Int

    /// A cache of the last `limit` changes.
    public init(limit: Int) { self.limit = limit }

    /// The JSON text of an object after a change.
    ///
    /// - Parameters:
    ///   - cv: Change version that the change led to, which a faulty server may use for several changes.
    ///   - operations: The JSON text of its operations.
    ///   - base: The JSON text that they are applied to.
    ///   - compute: Applies them; nil where they do not fit.
    /// - Returns: The result of `compute`, now or for the same base and operations before.
    mutating func result(
        _ cv: String?, _ operations: ArraySlice<UInt8>, on base: [UInt8],
        _ compute: () -> [UInt8]?
    ) -> [UInt8]? {
        guard let cv, limit > 0 else { return compute() }
        let name = ExactText(cv)
        let place = places[name]
        if let place, steps[place].base == base, steps[place].operations[...] == operations {
            return steps[place].result
        }
        let step = Step(base: base, operations: Array(operations), result: compute())
        if let place {
            steps[place] = step
        } else if steps.count < limit {
            places[name] = steps.count
            names.append(name)
            steps.append(step)
        } else {
            places[names[oldest]] = nil
            places[name] = oldest
            names[oldest] = name
            steps[oldest] = step
            oldest = (oldest + 1) % limit
        }
        return step.result
    }
}
