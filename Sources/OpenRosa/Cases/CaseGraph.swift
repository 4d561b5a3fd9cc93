internal import Notation
internal import Wire

/// Cases as nodes, and their indices as edges from the referring case to its target.
struct CaseGraph {
    struct Edge: Hashable {
        var node: Int
        var isExtension: Bool
    }

    enum Direction {
        /// Along all indices, from a case to what it refers to.
        case toTargets
        /// Against the indices that are extensions, from a host to what extends it.
        case toExtensions
    }

    /// Identifiers in the order of their bytes.
    let ids: [ExactText]
    let states: [CaseState]
    private(set) var targets: [[Edge]]
    private(set) var sources: [[Edge]]
    private(set) var isRemoved: [Bool]
    private(set) var missing: Set<ExactText> = []
    private var hasMissingTarget: [Int] = []

    /// Of two indices of a case to the same target, one that is no extension counts.
    init(_ cases: [ExactText: CaseState]) {
        ids = cases.keys.sorted { $0.string.utf8.lexicographicallyPrecedes($1.string.utf8) }
        states = ids.compactMap { cases[$0] }
        let places = Dictionary(
            uniqueKeysWithValues: ids.enumerated().map { ($0.element, $0.offset) })
        targets = Array(repeating: [], count: ids.count)
        sources = targets
        isRemoved = Array(repeating: false, count: ids.count)
        for (node, state) in states.enumerated() {
            var isExtension: [ExactText: Bool] = [:]
            for index in state.indices.values {
                let target = ExactText(index.target)
                isExtension[target] = (isExtension[target] ?? true) && index.isExtension
            }
            for (target, isExtension) in isExtension {
                guard let place = places[target] else {
                    missing.insert(target)
                    hasMissingTarget.append(node)
                    continue
                }
                targets[node].append(Edge(node: place, isExtension: isExtension))
                sources[place].append(Edge(node: node, isExtension: isExtension))
            }
        }
    }

    /// Takes out what refers to a case that is not there, with all that refers to that in turn.
    ///
    /// - Returns: The nodes taken out, in no order.
    mutating func removeOrphans() -> [Int] {
        var removed: [Int] = []
        var waiting = hasMissingTarget
        while let node = waiting.popLast() {
            guard !isRemoved[node] else { continue }
            isRemoved[node] = true
            removed.append(node)
            waiting.append(contentsOf: sources[node].map(\.node))
        }
        return removed
    }

    /// A circle of indices among what was not taken out, if there is one.
    func cycle() -> [Int]? {
        // Iterative: chains of cases may be as long as a peer likes.
        var mark = [UInt8](repeating: 0, count: states.count)
        var path: [(node: Int, next: Int)] = []
        for start in states.indices where mark[start] == 0 && !isRemoved[start] {
            path.append((start, 0))
            mark[start] = 1
            while let top = path.last {
                guard top.next < targets[top.node].count else {
                    mark[top.node] = 2
                    path.removeLast()
                    continue
                }
                path[path.count - 1].next += 1
                let node = targets[top.node][top.next].node
                guard !isRemoved[node] else { continue }
                if mark[node] == 1, let begin = path.firstIndex(where: { $0.node == node }) {
                    return path[begin...].map(\.node)
                }
                if mark[node] == 0 {
                    mark[node] = 1
                    path.append((node, 0))
                }
            }
        }
        return nil
    }

    /// Marks all that can be reached from marked nodes through nodes that are allowed.
    func spread(
        _ marks: inout [Bool], _ direction: Direction,
        where isAllowed: (Int) -> Bool = { _ in true }
    ) {
        var waiting = marks.indices.filter { marks[$0] }
        while let node = waiting.popLast() {
            let edges =
                direction == .toTargets ? targets[node] : sources[node].filter(\.isExtension)
            for edge in edges {
                let next = edge.node
                guard !marks[next], !isRemoved[next], isAllowed(next) else { continue }
                marks[next] = true
                waiting.append(next)
            }
        }
    }
}
