/// What rules remember about scopes, a bounded number of them: those used least recently go.
struct ScopeCounts {
    private struct Node {
        var key: ScopeKey
        var count: ScopeCount
        /// The one used next before this one, and next after it; -1 for none.
        var older: Int
        var newer: Int
    }

    private let capacity: Int
    private var nodes: [Node] = []
    private var places: [ScopeKey: Int] = [:]
    private var oldest = -1
    private var newest = -1

    /// Room for `capacity` scopes, at least 1.
    init(capacity: Int) { self.capacity = max(1, capacity) }

    /// How many there are.
    var count: Int { places.count }

    /// What is kept about `key`, if anything.
    subscript(key: ScopeKey) -> ScopeCount? { places[key].map { nodes[$0].count } }

    /// Changes the entry of `key`, creating it where there is none.
    ///
    /// - Returns: The rule whose scope was dropped to make room, if one was.
    mutating func update(_ key: ScopeKey, _ change: (inout ScopeCount) -> Void) -> Int? {
        var forgotten: Int?
        let place: Int
        if let found = places[key] {
            place = found
            unlink(place)
        } else if nodes.count < capacity {
            place = nodes.count
            nodes.append(Node(key: key, count: ScopeCount(), older: -1, newer: -1))
            places[key] = place
        } else {
            place = oldest
            forgotten = nodes[place].key.rule
            unlink(place)
            places[nodes[place].key] = nil
            nodes[place] = Node(key: key, count: ScopeCount(), older: -1, newer: -1)
            places[key] = place
        }
        change(&nodes[place].count)
        nodes[place].older = newest
        nodes[place].newer = -1
        if newest >= 0 { nodes[newest].newer = place } else { oldest = place }
        newest = place
        return forgotten
    }

    /// Drops the scopes of all rules that are not `kept`.
    mutating func keep(where kept: (Int) -> Bool) {
        var rest = ScopeCounts(capacity: capacity)
        var place = oldest
        while place >= 0 {
            let node = nodes[place]
            if kept(node.key.rule) { _ = rest.update(node.key) { $0 = node.count } }
            place = node.newer
        }
        self = rest
    }

    private mutating func unlink(_ place: Int) {
        let node = nodes[place]
        if node.older >= 0 { nodes[node.older].newer = node.newer } else { oldest = node.newer }
        if node.newer >= 0 { nodes[node.newer].older = node.older } else { newest = node.older }
    }
}
