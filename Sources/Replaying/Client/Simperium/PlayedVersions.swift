/// The mapping of recorded versions of an object to live ones.
///
/// Versions of one object mostly differ by the same amount from one change to the next, so that only
/// where that amount changes is kept.
struct PlayedVersions: Sendable {
    private struct Object {
        /// From which recorded version on what is added, in order.
        var steps: [(from: Int64, shift: Int64)] = []
        /// The newest recorded version that is bound, and its live one.
        var last: (recorded: Int64, live: Int64)?
        /// The newest version that the live server sent.
        var newest: Int64?

        func shift(at version: Int64) -> Int64 {
            var (low, high) = (0, steps.count)
            while low < high {
                let middle = (low + high) / 2
                if steps[middle].from <= version { low = middle + 1 } else { high = middle }
            }
            return low > 0 ? steps[low - 1].shift : 0
        }
    }

    private var objects: [String: Object] = [:]

    /// The live version for a recorded one, bound or assumed.
    func live(_ key: String, _ recorded: Int64) -> Int64 {
        guard let object = objects[key] else { return recorded }
        return recorded.addingReportingOverflow(object.shift(at: recorded)).partialValue
    }

    /// The newest version that the live server sent.
    func newest(_ key: String) -> Int64? { objects[key]?.newest }

    /// Binds a live version to a recorded one, and shifts those after it accordingly.
    mutating func bind(_ key: String, recorded: Int64, live: Int64) {
        let shift = live.subtractingReportingOverflow(recorded).partialValue
        if shift != objects[key, default: Object()].shift(at: recorded) {
            let steps = objects[key, default: Object()].steps
            let place = steps.firstIndex { $0.from >= recorded } ?? steps.count
            if place < steps.count, steps[place].from == recorded {
                objects[key, default: Object()].steps[place].shift = shift
            } else {
                objects[key, default: Object()].steps.insert((recorded, shift), at: place)
            }
        }
        if recorded >= objects[key]?.last?.recorded ?? .min {
            objects[key, default: Object()].last = (recorded, live)
        }
        tell(key, live: live)
    }

    /// The live server sent a version.
    mutating func tell(_ key: String, live: Int64) {
        guard live > objects[key]?.newest ?? .min else { return }
        objects[key, default: Object()].newest = live
    }

    /// A recorded version was not made: it is mapped to what the live server has.
    mutating func miss(_ key: String, recorded: Int64) {
        guard let newest = objects[key]?.newest, newest < live(key, recorded) else { return }
        bind(key, recorded: recorded, live: newest)
    }

    /// The last version of the recorded client is mapped to what the live server has now.
    mutating func reload(_ key: String, live: Int64) {
        if let last = objects[key]?.last {
            bind(key, recorded: last.recorded, live: live)
        } else {
            tell(key, live: live)
        }
    }
}
