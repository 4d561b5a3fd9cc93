internal import Wire

/// Records that wait until a trace can be written again, within a budget of memory.
struct HeldRecords {
    private var records: [Record] = []
    private var cost = 0
    private let budget: Int
    /// Whether one did not fit; then no later one may, to keep the order.
    private(set) var isFull = false

    /// Room for `budget` bytes, overhead included.
    init(budget: Int) { self.budget = budget }

    /// Keeps a record; returns whether there was room for it.
    mutating func take(_ record: Record) -> Bool {
        if cost + record.cost > budget { isFull = true }
        guard !isFull else { return false }
        cost += record.cost
        records.append(record)
        return true
    }

    /// Returns everything in order and removes it.
    mutating func drain() -> [Record] {
        defer { self = Self(budget: budget) }
        return records
    }
}
