/// Finds cycles of indices, for which a device requests a full restore and a server refuses a form.
package enum CaseCircle {
    /// Looks for a circle that can be reached from some cases.
    ///
    /// Iterative, since chains of cases may be of any length.
    ///
    /// - Parameters:
    ///   - starts: Where to begin.
    ///   - maxSteps: How many cases and indices are inspected; beyond them none is found.
    ///   - targets: What a case refers to.
    /// - Returns: The cases, each referring to the next and the last to the first; nil where there is
    ///   no circle.
    package static func find<Case: Hashable>(
        from starts: some Sequence<Case>, maxSteps: Int = .max, targets: (Case) -> [Case]
    ) -> [Case]? {
        var steps = 0
        var left: Set<Case> = []
        for start in starts where !left.contains(start) {
            var path: [(id: Case, rest: [Case])] = [(start, targets(start))]
            var onPath: Set<Case> = [start]
            while let last = path.indices.last {
                steps += 1
                guard steps <= maxSteps else { return nil }
                guard let next = path[last].rest.popLast() else {
                    left.insert(path[last].id)
                    onPath.remove(path[last].id)
                    path.removeLast()
                    continue
                }
                if onPath.contains(next) {
                    return path.drop { $0.id != next }.map(\.id)
                }
                guard !left.contains(next) else { continue }
                onPath.insert(next)
                path.append((next, targets(next)))
            }
        }
        return nil
    }
}
