/// A dictionary that evicts what was not used for longest, in two generations.
///
/// Recently used entries are young; when there are too many they become old, and the old ones are
/// evicted. So at least half of ``most`` is kept, and at most all of it.
struct SimperiumChangeRecent<Value: Sendable>: Sendable {
    typealias Key = SimperiumChangePlace

    private var places = SimperiumChangePlaces()
    private var keys: [Key] = []
    private var isYoung: [Bool] = []
    /// The values, each at the place of its key until anything is set or removed.
    ///
    /// To be changed where they are, since a copy of a large one takes long.
    var values: [Value] = []
    private var cost = 0
    /// The maximum cost of both generations together.
    let most: Int

    init(most: Int) { self.most = most }

    /// The place of a key, without using it.
    func place(of key: Key) -> Int? { places.place(key.print) { keys[$0] == key } }

    /// The place of a key, which counts as used.
    mutating func use(_ key: Key) -> Int? {
        guard let place = place(of: key) else { return nil }
        isYoung[place] = true
        return place
    }

    /// The value, which counts as used.
    mutating func value(_ key: Key) -> Value? { use(key).map { values[$0] } }

    /// The value, without using it.
    func peek(_ key: Key) -> Value? { place(of: key).map { values[$0] } }

    /// Sets a value; `cost` is what it costs more than what was there.
    mutating func set(_ key: Key, _ value: Value, cost added: Int) {
        if let place = use(key) {
            values[place] = value
        } else {
            places.add(values.count, key.print, count: values.count + 1)
            keys.append(key)
            isYoung.append(true)
            values.append(value)
        }
        spend(added)
    }

    /// Increases the cost of an existing entry.
    mutating func spend(_ added: Int) {
        cost += added
        guard cost > most / 2 else { return }
        forgetOld()
        cost = 0
    }

    private mutating func forgetOld() {
        var count = 0
        // By buffers, which move what they swap.
        keys.withUnsafeMutableBufferPointer { keys in
            values.withUnsafeMutableBufferPointer { values in
                for place in values.indices where isYoung[place] {
                    if count != place {
                        keys.swapAt(count, place)
                        values.swapAt(count, place)
                    }
                    isYoung[count] = false
                    count += 1
                }
            }
        }
        guard count < values.count else { return }
        keys.removeSubrange(count...)
        isYoung.removeSubrange(count...)
        values.removeSubrange(count...)
        places.reset(keys.map(\.print))
    }

    mutating func remove(_ key: Key) {
        guard let place = place(of: key) else { return }
        places.remove(place, key.print)
        let last = values.count - 1
        if place != last {
            places.move(last, keys[last].print, to: place)
            keys.swapAt(place, last)
            isYoung.swapAt(place, last)
            values.swapAt(place, last)
        }
        keys.removeLast()
        isYoung.removeLast()
        values.removeLast()
    }

    mutating func removeAll() {
        places = SimperiumChangePlaces()
        keys = []
        isYoung = []
        values = []
        cost = 0
    }
}
