/// A dictionary that forgets what was not used for longest, in two generations.
///
/// What was used lately is in the young one; when that is full it becomes the old one, and what was
/// old is gone. So at least half of ``most`` is kept, and at most all of it.
struct SimperiumChangeRecent<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private var young: [Key: Value] = [:]
    private var old: [Key: Value] = [:]
    private var cost = 0
    /// Most that both generations cost together.
    let most: Int

    init(most: Int) { self.most = most }

    /// The value, which counts as used.
    mutating func value(_ key: Key) -> Value? {
        if let value = young[key] { return value }
        guard let value = old.removeValue(forKey: key) else { return nil }
        young[key] = value
        return value
    }

    /// The value, without using it.
    func peek(_ key: Key) -> Value? { young[key] ?? old[key] }

    /// Sets a value; `cost` is what it costs more than what was there.
    mutating func set(_ key: Key, _ value: Value, cost added: Int) {
        old[key] = nil
        young[key] = value
        cost += added
        guard cost > most / 2 else { return }
        old = young
        young = [:]
        cost = 0
    }

    mutating func remove(_ key: Key) {
        young[key] = nil
        old[key] = nil
    }

    mutating func removeAll() {
        young = [:]
        old = [:]
        cost = 0
    }
}
