internal import Wire

/// The order of the times of recorded commands, and where these are equal, of their places.
///
/// Numbers are assigned for one connection after the other, so that the numbers of two connections
/// may contradict the times, and nothing waited for what came later. A command with an earlier time
/// than its predecessor on its connection gets the time of that.
struct TimeOrder {
    /// Places in the order; empty where that is the order of the places.
    private var places: [Int32] = []
    /// Times in the order, where some differ from those of the commands; empty otherwise.
    private var times: [Instant] = []

    /// The order of `count` commands; `socket` and `at` return those of a place.
    init(count: Int, socket: (Int) -> ConnectionID, at: (Int) -> Instant) {
        let isOrdered = (0..<count).dropFirst().allSatisfy { at($0 - 1) <= at($0) }
        guard !isOrdered else { return }
        var latest: [ConnectionID: Instant] = [:]
        let reported = (0..<count).map { place in
            let time = max(at(place), latest[socket(place)] ?? at(place))
            latest[socket(place)] = time
            return time
        }
        places = (0..<Int32(truncatingIfNeeded: count)).sorted {
            (reported[Int($0)], $0) < (reported[Int($1)], $1)
        }
        times = places.map { reported[Int($0)] }
    }

    /// The place of what comes at `index` in the order.
    func place(_ index: Int) -> Int { places.isEmpty ? index : Int(places[index]) }

    /// When that arrived; nil where it is the time of the command.
    func at(_ index: Int) -> Instant? { times.isEmpty ? nil : times[index] }
}
