internal import Wire

/// Decides which request is sent when: lanes, width, lifecycle, retries.
///
/// A value without I/O: events and the time go in, commands come out. A request is in one of three
/// places until it completes: queued in its lane, running, or waiting for its next attempt, which
/// holds no place in the width. A retry that is due joins its lane by its age, ahead of what was
/// added later, and is paused in the background like anything queued. Sources:
/// HTTPLayer/Specification.md#order, #retries, #background.
struct RequestQueue {
    private enum Place {
        case queued
        case running
        case waiting(until: Instant)
    }

    private struct Entry {
        let priority: Request.Priority
        let retryCount: Int
        var attempts = 0
        var place = Place.queued
    }

    private let width: Int
    private let backoff: Backoff
    private var entries: [UInt64: Entry] = [:]
    private var immediate = Lane()
    private var normal = Lane()
    private var running = 0
    /// Those waiting, soonest first.
    private var waiting: [(due: Instant, id: UInt64)] = []
    private var lifecycle = Lifecycle.foreground
    private var isBackgroundTaskEnabled = false
    private var isStopped = false

    init(width: Int, backoff: Backoff) {
        self.width = max(width, 1)
        self.backoff = backoff
    }

    /// When the next retry is due; nil where none waits.
    var nextDue: Instant? { waiting.first?.due }

    /// Requests not completed.
    var count: Int { entries.count }

    mutating func handle(
        _ event: QueueEvent, at now: Instant, into commands: inout [QueueCommand]
    ) {
        switch event {
        case .added(let id, let priority, let retryCount):
            guard !isStopped else {
                commands.append(.complete(id, attempts: 0, isCancelled: true))
                return
            }
            entries[id] = Entry(priority: priority, retryCount: retryCount)
            enqueue(id, priority)
        case .refused(let id):
            commands.append(.complete(id, attempts: 0, isCancelled: isStopped))
        case .cancelled(let id): cancel(id, into: &commands)
        case .finished(let id, let result): finish(id, result, at: now, into: &commands)
        case .lifecycle(let value): lifecycle = value
        case .backgroundTasks(let enabled): isBackgroundTaskEnabled = enabled
        case .ticked: break
        case .stopped:
            isStopped = true
            for id in entries.keys.sorted() { cancel(id, into: &commands) }
        }
        wake(at: now)
        start(into: &commands)
    }

    private mutating func enqueue(_ id: UInt64, _ priority: Request.Priority) {
        switch priority {
        case .immediate: immediate.insert(id)
        case .normal: normal.insert(id)
        }
    }

    private mutating func cancel(_ id: UInt64, into commands: inout [QueueCommand]) {
        guard let entry = entries.removeValue(forKey: id) else { return }
        switch entry.place {
        case .queued:
            switch entry.priority {
            case .immediate: immediate.remove(id)
            case .normal: normal.remove(id)
            }
        case .running:
            running -= 1
            commands.append(.abort(id))
        case .waiting:
            waiting.removeAll { $0.id == id }
        }
        commands.append(.complete(id, attempts: entry.attempts, isCancelled: true))
    }

    private mutating func finish(
        _ id: UInt64, _ result: AttemptResult, at now: Instant, into commands: inout [QueueCommand]
    ) {
        // A cancelled attempt may still report its end.
        guard var entry = entries[id], case .running = entry.place else { return }
        running -= 1
        guard Self.isWorthRepeating(result), entry.attempts <= entry.retryCount else {
            entries[id] = nil
            commands.append(.complete(id, attempts: entry.attempts, isCancelled: false))
            return
        }
        let components = backoff.wait(after: entry.attempts).components
        let wait = components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
        let due = Instant(nanoseconds: now.nanoseconds + wait)
        entry.place = .waiting(until: due)
        entries[id] = entry
        let place = waiting.firstIndex { $0.due > due } ?? waiting.count
        waiting.insert((due, id), at: place)
    }

    private static func isWorthRepeating(_ result: AttemptResult) -> Bool {
        switch result {
        case .answered(let status): (500...599).contains(status)
        case .failed(let isTransient): isTransient
        }
    }

    /// Puts the retries that are due into their lanes.
    private mutating func wake(at now: Instant) {
        let due = waiting.prefix { $0.due <= now }
        guard !due.isEmpty else { return }
        waiting.removeFirst(due.count)
        for (_, id) in due {
            guard var entry = entries[id] else { continue }
            entry.place = .queued
            entries[id] = entry
            enqueue(id, entry.priority)
        }
    }

    private mutating func start(into commands: inout [QueueCommand]) {
        guard lifecycle == .foreground || isBackgroundTaskEnabled else { return }
        while running < width, let id = immediate.popFirst() ?? normal.popFirst() {
            guard var entry = entries[id] else { continue }
            entry.attempts += 1
            entry.place = .running
            entries[id] = entry
            running += 1
            commands.append(.start(id, attempt: entry.attempts))
        }
    }
}
