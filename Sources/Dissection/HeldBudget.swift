import Wire

/// How much all conversations of a dissector hold together, and which hold most.
struct HeldBudget {
    /// The minimum that a conversation has to hold to be considered.
    static let large = 2 * BodyCollector.leftOfShed

    let limit: Int
    private(set) var total = 0
    private var largeOnes: [ConnectionID: Int] = [:]

    init(limit: Int) { self.limit = limit }

    /// Whether more is held than may be.
    var isExceeded: Bool { total > limit }

    /// Whether so much is free again that no conversation has to discard for a time: finding the
    /// largest takes time proportional to their number.
    var isEased: Bool { total <= limit - limit / 8 }

    /// A conversation that held `old` bytes holds `new` ones.
    mutating func change(_ id: ConnectionID, from old: Int, to new: Int) {
        total += new - old
        if new >= Self.large {
            largeOnes[id] = new
        } else if old >= Self.large {
            largeOnes[id] = nil
        }
    }

    /// Who has to give way, the largest first, of equals the oldest.
    func largestFirst() -> [ConnectionID] {
        largeOnes.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map(\.key)
    }
}
