package import Notation

/// Finds out, a few cases at a time, which cases belong on a device: those that its purge keeps.
///
/// Owned and open cases are relevant, and what they refer to; open and relevant cases that extend
/// no other are available, and what extends them; owned, relevant and available cases are alive,
/// and what they refer to or what extends them. What is not alive is purged. A case that refers to
/// a missing one is purged too, with everything that refers to it.
///
/// A value; however it is cut, the result is the same. Marks only spread, so that circles of indices,
/// which ``cycle()`` finds, do not keep it from ending.
///
/// Source: `CasePurgeFilter` of commcare-core; OpenRosa/Specification.md#purging.
package struct CaseLiveness: Sendable {
    private enum Stage: Int {
        case list, link, orphans, relevant, relevantTargets, relevantExtensions, available
        case availableExtensions, alive, aliveTargets, aliveExtensions, done
    }

    /// An index, from the case that refers to its target.
    private struct Edge {
        var node: Int
        var isExtension: Bool
    }

    private let owners: Set<ExactText>?
    private let passes: CasePurge.Passes
    /// The case of each node.
    package private(set) var states: [CaseState] = []
    private var nodes: [ExactText: Int] = [:]
    private var stage = Stage.list
    /// The next node that is inspected.
    private var cursor = 0
    /// Nodes from which marks spread.
    private var waiting: [Int] = []
    /// Whether the pass that is running has marked a case.
    private var hasSpread = false
    /// How often liveness was passed along the indices in both directions.
    private var rounds = 0
    private var targets: [[Edge]] = []
    private var sources: [[Edge]] = []
    private var isOpen: [Bool] = []
    private var isOwned: [Bool] = []
    private var extends: [Bool] = []
    private var isOrphan: [Bool] = []
    private var isRelevant: [Bool] = []
    private var isMarked: [Bool] = []
    /// Identifiers that are referred to and not there, once all cases were inspected.
    package private(set) var missing: Set<ExactText> = []

    /// A search without cases yet.
    ///
    /// - Parameters:
    ///   - owners: The user and the groups whose cases belong on the device; nil for those of all
    ///     users.
    ///   - count: About how many cases there will be.
    ///   - passes: How thoroughly liveness is passed on.
    package init(owners: Set<ExactText>?, count: Int, passes: CasePurge.Passes = .complete) {
        self.owners = owners
        self.passes = passes
        states.reserveCapacity(count)
        nodes.reserveCapacity(count)
    }

    /// Adds a case, before the first ``advance(_:)``.
    package mutating func add(_ state: CaseState) {
        nodes[ExactText(state.id)] = states.count
        states.append(state)
    }

    /// Frees a few cases, once no further query follows.
    ///
    /// - Returns: Whether all are freed.
    package mutating func dwindle(_ budget: inout Int) -> Bool {
        while budget > 0, states.popLast() != nil { budget -= 1 }
        return states.isEmpty
    }

    /// Whether all is found out.
    package var isDone: Bool { stage == .done }

    /// How far it is, in thousandths; may go back a little where marks spread once more.
    package var permille: Int {
        (stage.rawValue * 1000 + cursor * 1000 / max(1, states.count)) / Stage.done.rawValue
    }

    /// Whether the case of a node belongs on the device.
    package func isAlive(_ node: Int) -> Bool { isMarked[node] }

    /// Whether a case is there and belongs on the device.
    package func isAlive(_ id: ExactText) -> Bool { nodes[id].map { isMarked[$0] } ?? false }

    /// Whether the case of a node refers, directly or not, to a case that is not there.
    func isOrphan(_ node: Int) -> Bool { isOrphan[node] }

    /// Continues; `budget` goes down by one for each case and index that is inspected.
    package mutating func advance(_ budget: inout Int) {
        while budget > 0, stage != .done {
            budget -= 1
            if let node = waiting.popLast() {
                spread(from: node, &budget)
            } else if stage != .list, cursor < states.count {
                visit(cursor)
                cursor += 1
            } else {
                enter(Stage(rawValue: stage.rawValue + 1) ?? .done)
            }
        }
    }

    private mutating func enter(_ next: Stage) {
        var next = next
        cursor = 0
        let none = [Bool](repeating: false, count: states.count)
        switch next {
        case .link:
            targets = Array(repeating: [], count: states.count)
            sources = targets
            (isOpen, isOwned, extends, isOrphan) = (none, none, none, none)
        case .orphans:
            waiting = states.indices.filter { isOrphan[$0] }
            cursor = states.count
        case .relevant: isMarked = none
        case .available: isRelevant = isMarked
        case .aliveTargets:
            hasSpread = false
            rounds = 1
        case .done where hasSpread && (passes == .complete || rounds < CasePurge.deviceRounds):
            next = .aliveTargets
            hasSpread = false
            rounds += 1
        default: break
        }
        stage = next
    }

    private mutating func visit(_ node: Int) {
        switch stage {
        case .link: link(node)
        case .relevant: isMarked[node] = isOwned[node] && isOpen[node] && !isOrphan[node]
        case .available: isMarked[node] = isMarked[node] && isOpen[node] && !extends[node]
        case .alive: isMarked[node] = isMarked[node] && isOwned[node] && isRelevant[node]
        default: if isMarked[node] { waiting.append(node) }
        }
    }

    private mutating func link(_ node: Int) {
        let state = states[node]
        isOpen[node] = !state.isClosed
        isOwned[node] =
            owners.map { owners in
                state.ownerID.map { owners.contains(ExactText($0)) } ?? false
            } ?? true
        // Of two indices of a case to the same target, one that is not an extension counts.
        var isExtension: [ExactText: Bool] = [:]
        for index in state.indices.values {
            let target = ExactText(index.target)
            isExtension[target] = (isExtension[target] ?? true) && index.isExtension
        }
        for (target, isExtension) in isExtension {
            guard let other = nodes[target] else {
                missing.insert(target)
                isOrphan[node] = true
                continue
            }
            targets[node].append(Edge(node: other, isExtension: isExtension))
            sources[other].append(Edge(node: node, isExtension: isExtension))
            extends[node] = extends[node] || isExtension
        }
    }

    private mutating func spread(from node: Int, _ budget: inout Int) {
        let isToTargets = stage == .relevantTargets || stage == .aliveTargets
        let edges = isToTargets ? targets[node] : sources[node]
        budget -= edges.count
        for edge in edges {
            let next = edge.node
            if stage == .orphans {
                guard !isOrphan[next] else { continue }
                isOrphan[next] = true
            } else {
                guard isToTargets || edge.isExtension, !isMarked[next], !isOrphan[next] else {
                    continue
                }
                // A closed case extends nothing, except where it is relevant.
                let mayBeClosed = isToTargets || stage == .relevantExtensions
                guard mayBeClosed || isOpen[next] else { continue }
                isMarked[next] = true
                hasSpread = true
            }
            waiting.append(next)
        }
    }

    /// A circle of indices among the cases that are not orphans, if there is one; once it is done.
    ///
    /// - Returns: The nodes, each referring to the next and the last to the first.
    func cycle() -> [Int]? {
        let nodes = states.indices.lazy.filter { !isOrphan[$0] }
        return CaseCircle.find(from: nodes) { node in
            targets[node].map(\.node).filter { !isOrphan[$0] }
        }
    }
}
