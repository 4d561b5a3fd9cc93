import Wire

/// The events that an add-on is asked about, from the question to the verdict.
///
/// Identifiers are given in order and never again, so that one that was not given is known. What
/// its deadline overtook stays known until its verdict comes.
struct AddonWindow {
    /// An event that was sent.
    struct Asked {
        let ticket: Int64
        let kind: AddonEventKind
        let isAwaited: Bool
        let deadline: Instant
        /// Whether its deadline has passed.
        var isLate = false
    }

    /// An event that waits to be sent.
    struct Waiting {
        let ticket: Int64
        let event: AddonEvent
        let interest: AddonInterest
        let bytes: Int
    }

    /// Late events that are remembered before the add-on counts as broken.
    static let maxLate = 65_536

    private var open: [Int64: Asked] = [:]
    /// Identifiers in their order, of events that may be decided already.
    private var order: [Int64] = []
    private var firstInOrder = 0
    private var waiting: [Waiting] = []
    private var firstWaiting = 0
    private var lastID: Int64 = 0
    /// Bytes of what waits to be sent.
    private(set) var waitingBytes = 0
    /// Events whose verdict would come too late.
    private(set) var lateCount = 0

    /// Events that were sent and whose deadline has not come.
    var openCount: Int { open.count - lateCount }

    /// Events that wait to be sent.
    var waitingCount: Int { waiting.count - firstWaiting }

    /// Whether something was sent whose verdict is waited for.
    var isAwaiting: Bool { openCount > 0 }

    /// Queues an event.
    mutating func append(_ item: Waiting) {
        waiting.append(item)
        waitingBytes += item.bytes
    }

    /// Takes the next event to be sent, and gives it an identifier.
    mutating func next(deadline: Instant) -> (id: Int64, item: Waiting)? {
        guard firstWaiting < waiting.count else { return nil }
        let item = waiting[firstWaiting]
        firstWaiting += 1
        waitingBytes -= item.bytes
        if firstWaiting == waiting.count {
            waiting.removeAll(keepingCapacity: true)
            firstWaiting = 0
        } else if firstWaiting >= 4_096 {
            waiting.removeFirst(firstWaiting)
            firstWaiting = 0
        }
        lastID += 1
        open[lastID] = Asked(
            ticket: item.ticket, kind: item.event.kind, isAwaited: item.interest.isAwaited,
            deadline: deadline)
        order.append(lastID)
        return (lastID, item)
    }

    /// The event of an identifier; nil where none has it that is not decided.
    func asked(_ id: Int64) -> Asked? { open[id] }

    /// Closes an event.
    mutating func close(_ id: Int64) {
        if open.removeValue(forKey: id)?.isLate == true { lateCount -= 1 }
        trim()
    }

    /// Marks the events as late whose deadline has come, and returns the tickets among them that
    /// are waited for.
    mutating func expire(at: Instant) -> [Int64] {
        var tickets: [Int64] = []
        var place = firstInOrder
        while place < order.count {
            let id = order[place]
            place += 1
            guard let item = open[id], !item.isLate else { continue }
            guard item.deadline <= at else { break }
            open[id]?.isLate = true
            lateCount += 1
            if item.isAwaited { tickets.append(item.ticket) }
        }
        trim()
        return tickets
    }

    /// The next deadline.
    var nextDeadline: Instant? {
        firstInOrder < order.count ? open[order[firstInOrder]]?.deadline : nil
    }

    /// Forgets what waits to be sent, and returns its tickets.
    mutating func takeWaiting() -> [Int64] {
        let tickets = waiting[firstWaiting...].map(\.ticket)
        waiting = []
        (firstWaiting, waitingBytes) = (0, 0)
        return tickets
    }

    /// Forgets everything, and returns the tickets that are waited for, in order.
    mutating func takeAll() -> [Int64] {
        var tickets: [Int64] = []
        for id in order[firstInOrder...] {
            guard let item = open[id], item.isAwaited, !item.isLate else { continue }
            tickets.append(item.ticket)
        }
        open = [:]
        order = []
        (firstInOrder, lateCount) = (0, 0)
        return tickets + takeWaiting()
    }

    /// Skips what is decided or late at the beginning of the order.
    private mutating func trim() {
        while firstInOrder < order.count, open[order[firstInOrder]]?.isLate ?? true {
            firstInOrder += 1
        }
        if firstInOrder == order.count {
            order.removeAll(keepingCapacity: true)
            firstInOrder = 0
        } else if firstInOrder >= 4_096 {
            order.removeFirst(firstInOrder)
            firstInOrder = 0
        }
    }
}
