internal import Notation
internal import Simperium
internal import Wire

/// The changes of a bucket in their order, as all the clients of a recording received them, and the
/// change versions between them.
struct ImpliedLog {
    /// A change that the recorded server made.
    struct Entry {
        /// As it was sent.
        var change: SimperiumChange<JSONValue>
        /// Place of the first command that contains it.
        var place: Int32
        /// Whether it was made by now.
        var isPast: Bool
        /// Whether a client that is there will make it.
        var isAwaited: Bool
    }

    /// A change version that no sent change led to.
    private struct Point {
        var cv: String
        /// The number of changes sent before.
        var position: Int
        /// The first change after it, where that is known.
        var next: String?
        var isPast: Bool
    }

    private(set) var entries: [Entry] = []
    private var places: [String: Int] = [:]
    private var points: [Point] = []

    /// Adds the changes of one command, in order.
    ///
    /// - Parameters:
    ///   - changes: Those that were made, each with a change version.
    ///   - since: The change version that they follow; nil where they are the newest.
    ///   - place: Place of the command.
    ///   - isPast: Whether it was sent by now.
    ///   - isAwaited: Whether a client that is there will make a change.
    mutating func tell(
        _ changes: [SimperiumChange<JSONValue>], since: String?, at place: Int32, isPast: Bool,
        isAwaited: (SimperiumChange<JSONValue>) -> Bool
    ) {
        var cursor = entries.count
        if let since {
            points.append(
                Point(
                    cv: since, position: entries.count, next: changes.first?.cv, isPast: isPast))
            if let known = places[since] {
                cursor = known + 1
            } else if let first = changes.first(where: { places[$0.cv ?? ""] != nil })?.cv {
                cursor = places[first] ?? cursor
            }
        }
        for change in changes {
            guard let cv = change.cv else { continue }
            if let known = places[cv] {
                entries[known].isPast = entries[known].isPast || isPast
                cursor = known + 1
                continue
            }
            let entry = Entry(
                change: change, place: place, isPast: isPast, isAwaited: isAwaited(change))
            entries.insert(entry, at: cursor)
            places[cv] = cursor
            cursor += 1
            // Nearly always the end.
            for later in cursor..<max(cursor, entries.count) {
                if let cv = entries[later].change.cv { places[cv] = later }
            }
        }
    }

    /// Adds the bucket's change version of an index.
    mutating func see(current: String, isPast: Bool) {
        points.append(Point(cv: current, position: entries.count, next: nil, isPast: isPast))
    }

    /// Marks changes that were made but not sent to any client yet: their author was connected and
    /// made them.
    mutating func make(_ isMade: (SimperiumChange<JSONValue>) -> Bool) {
        for index in entries.indices where isMade(entries[index].change) {
            entries[index].isPast = true
        }
    }

    /// Settles what was made by now: all that comes before something that was, unless a client
    /// will yet make it.
    mutating func settle() {
        for point in points where point.isPast {
            if let known = places[point.cv] { entries[known].isPast = true }
        }
        guard let last = entries.lastIndex(where: \.isPast) else { return }
        var needed: Set<ExactText> = []
        for index in (0...last).reversed() {
            // What a later change of the same object builds on was made as well.
            let key = ExactText(entries[index].change.key ?? "")
            if !entries[index].isAwaited || needed.contains(key) { entries[index].isPast = true }
            if entries[index].isPast { needed.insert(key) }
        }
    }

    /// Place in ``entries`` of the last change of a client that is at a change version; nil where
    /// that is unknown, -1 before all of them.
    func position(of cv: String) -> Int? {
        places[cv] ?? points.first { $0.cv == cv }.map { place(of: $0) - 1 }
    }

    /// Place of the first change after a point.
    private func place(of point: Point) -> Int {
        point.next.flatMap { places[$0] } ?? point.position
    }

    /// The changes that can be sent, by their places, and the change version before the first of
    /// them.
    ///
    /// What happened unseen between two changes makes those before it useless.
    var reported: (start: String?, places: [Int]) {
        var start: (cv: String, position: Int)?
        for point in points where point.isPast && places[point.cv] == nil {
            let position = place(of: point)
            if position >= start?.position ?? 0 { start = (point.cv, position) }
        }
        if start == nil,
            let point = points.first(where: { places[$0.cv] == nil && place(of: $0) == 0 })
        {
            start = (point.cv, 0)
        }
        let first = min(start?.position ?? 0, entries.count)
        return (start?.cv, entries.indices[first...].filter { entries[$0].isPast })
    }
}
