internal import Notation
internal import OpenRosa
internal import Wire

/// Finds out, a few cases at a time, which of a domain's cases belong on a device.
///
/// Those that a device would not purge: what the user owns, what it refers to and what extends it;
/// the same as ``CasePurge`` with complete passes, of cases without circles, which no form may make.
struct Footprint: Sendable {
    private enum Stage: Int {
        case list, link, orphans, relevant, relevantTargets, relevantExtensions, available
        case availableExtensions, alive, aliveTargets, aliveExtensions, done
    }

    private struct Edge {
        var node: Int
        var isExtension: Bool
    }

    private let owners: Set<ExactText>?
    /// The case of each node.
    private(set) var states: [CaseState] = []
    private var nodes: [ExactText: Int] = [:]
    private var stage = Stage.list
    /// The next node that is looked at.
    private var cursor = 0
    /// Nodes from which marks spread.
    private var waiting: [Int] = []
    private var hasSpread = false
    private var targets: [[Edge]] = []
    private var sources: [[Edge]] = []
    private var isOpen: [Bool] = []
    private var isOwned: [Bool] = []
    private var extends: [Bool] = []
    private var isRemoved: [Bool] = []
    private var isRelevant: [Bool] = []
    private var isMarked: [Bool] = []

    /// A search without cases yet.
    ///
    /// - Parameters:
    ///   - owners: The user and the groups; nil for everybody's cases.
    ///   - count: About how many cases there will be.
    init(owners: Set<ExactText>?, count: Int) {
        self.owners = owners
        states.reserveCapacity(count)
        nodes.reserveCapacity(count)
    }

    /// Adds a case, before the first ``advance(_:)``.
    mutating func add(_ state: CaseState) {
        nodes[ExactText(state.id)] = states.count
        states.append(state)
    }

    /// Lets go of a few cases, once nothing more is asked.
    ///
    /// - Returns: Whether all are gone.
    mutating func dwindle(_ budget: inout Int) -> Bool {
        while budget > 0, states.popLast() != nil { budget -= 1 }
        return states.isEmpty
    }

    /// Whether all is found out.
    var isDone: Bool { stage == .done }

    /// How far it is, in thousandths; may go back a little where marks spread once more.
    var permille: Int {
        (stage.rawValue * 1000 + cursor * 1000 / max(1, states.count)) / Stage.done.rawValue
    }

    /// Whether the case of a node belongs on the device.
    func isAlive(_ node: Int) -> Bool { isMarked[node] }

    /// Whether a case is there and belongs on the device.
    func isAlive(_ id: ExactText) -> Bool { nodes[id].map { isMarked[$0] } ?? false }

    /// Goes on; `budget` goes down by one for each case that is looked at.
    mutating func advance(_ budget: inout Int) {
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
            (isOpen, isOwned, extends, isRemoved) = (none, none, none, none)
        case .orphans:
            waiting = states.indices.filter { isRemoved[$0] }
            cursor = states.count
        case .relevant: isMarked = none
        case .available: isRelevant = isMarked
        case .aliveTargets: hasSpread = false
        case .done where hasSpread:
            next = .aliveTargets
            hasSpread = false
        default: break
        }
        stage = next
    }

    private mutating func visit(_ node: Int) {
        switch stage {
        case .link: link(node)
        case .relevant: isMarked[node] = isOwned[node] && isOpen[node] && !isRemoved[node]
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
        // Of two indices of a case to the same target, one that is no extension counts.
        var isExtension: [ExactText: Bool] = [:]
        for index in state.indices.values {
            let target = ExactText(index.target)
            isExtension[target] = (isExtension[target] ?? true) && index.isExtension
        }
        for (target, isExtension) in isExtension {
            guard let other = nodes[target] else {
                isRemoved[node] = true
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
                guard !isRemoved[next] else { continue }
                isRemoved[next] = true
            } else {
                guard isToTargets || edge.isExtension, !isMarked[next], !isRemoved[next] else {
                    continue
                }
                // What is closed extends nothing any more, other than where it is relevant.
                let mayBeClosed = isToTargets || stage == .relevantExtensions
                guard mayBeClosed || isOpen[next] else { continue }
                isMarked[next] = true
                hasSpread = true
            }
            waiting.append(next)
        }
    }
}
