import Wire

/// The marks of a session, the latest of each name first of all.
struct FaultMarks {
    /// The maximum number of marks that are listed, and of names that are kept.
    static let maximum = 10_000

    /// The marks in the order in which they were put; the oldest go where there are too many.
    private(set) var rows: [MarkRow] = []
    private var latest: [String: Int64] = [:]

    /// Puts a mark.
    mutating func put(_ mark: MarkRow) {
        if rows.count == Self.maximum {
            let gone = rows.removeFirst()
            if latest[gone.name] == gone.at.nanoseconds { latest[gone.name] = nil }
        }
        rows.append(mark)
        latest[mark.name] = max(latest[mark.name] ?? .min, mark.at.nanoseconds)
    }

    /// Whether a mark of this name was put.
    func isKnown(_ name: String) -> Bool { latest[name] != nil }

    /// When the latest mark of this name was put, if one was by `at`.
    func latest(_ name: String, by at: Instant) -> Int64? {
        guard let found = latest[name] else { return nil }
        if found <= at.nanoseconds { return found }
        return rows.last { $0.name == name && $0.at <= at }?.at.nanoseconds
    }

    /// Whether the windows of `schedule` are open at `at`.
    func isOpen(_ schedule: FaultSchedule, at: Instant) -> Bool {
        if let from = schedule.from, at.nanoseconds < from { return false }
        if let to = schedule.to, at.nanoseconds >= to { return false }
        guard schedule.afterMark != nil || schedule.beforeMark != nil else { return true }
        let end = schedule.beforeMark.flatMap { latest($0, by: at) }
        guard let name = schedule.afterMark else { return end == nil }
        guard let start = latest(name, by: at) else { return false }
        // Of two marks put at the same time, the one that ends counts.
        return end.map { $0 < start } ?? true
    }
}
