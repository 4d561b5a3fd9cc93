/// Restores that are being made or wait to be fetched: a bounded number, for a bounded time.
struct RestoreLine: Sendable {
    /// The maximum number of concurrent restores; further requests wait.
    static let most = 8
    /// The approximate maximum of the bytes of all of them; beyond that one at a time proceeds.
    static let room = 256 << 20

    private struct Entry {
        var order: RestoreOrder
        var making: RestoreMaking
        /// How often it was requested.
        var asked = 0
        /// When it was requested last, in seconds since 1970.
        var last: Int64
    }

    private var entries: [Entry] = []
    /// How many restores got done or were dropped.
    private(set) var finished = 0
    /// Whose turn is next.
    private var turn = 0
    /// Seconds without a request after which a restore is dropped.
    private let patience: Int64

    /// No restores, for clients that have to wait `retryAfter` seconds between two requests.
    init(retryAfter: Int) { patience = 60 + 2 * Int64(retryAfter) }

    /// Whether there are any.
    var isEmpty: Bool { entries.isEmpty }

    /// Whether one is not done yet.
    var hasWork: Bool { entries.contains { !$0.making.isDone } }

    /// Whether one more can begin.
    var hasRoom: Bool {
        entries.count < Self.most && entries.reduce(0) { $0 + $1.making.size } < Self.room
    }

    /// Whether a restore is being made or waits to be fetched.
    func contains(_ order: RestoreOrder) -> Bool { entries.contains { $0.order == order } }

    /// Begins a restore.
    mutating func add(_ making: RestoreMaking, now: Int64) {
        entries.append(Entry(order: making.occasion.order, making: making, last: now))
    }

    /// Notes a request for a restore.
    ///
    /// - Returns: How often that was before, how much is done, of how much; nil where there is none.
    mutating func ask(
        _ order: RestoreOrder, now: Int64
    ) -> (times: Int, done: Int, total: Int)? {
        guard let place = entries.firstIndex(where: { $0.order == order }) else { return nil }
        defer { entries[place].asked += 1 }
        entries[place].last = now
        let making = entries[place].making
        return (entries[place].asked, making.done, making.total)
    }

    /// Removes a restore that is done.
    mutating func take(_ order: RestoreOrder) -> RestoreMaking? {
        guard let place = entries.firstIndex(where: { $0.order == order && $0.making.isDone })
        else { return nil }
        finished += 1
        return entries.remove(at: place).making
    }

    /// Drops restores that are no longer valid for this sync token.
    mutating func drop(domain: String, since: String) {
        let count = entries.count
        entries.removeAll { $0.order.domain == domain && $0.order.since == since }
        finished += count - entries.count
    }

    /// Drops what was not requested for a time.
    mutating func tidy(now: Int64) {
        let count = entries.count
        entries.removeAll { now - $0.last >= patience || now < $0.last - patience }
        finished += count - entries.count
    }

    /// Continues with one of them; see ``RestoreMaking/advance(_:)``.
    mutating func work(_ units: Int) {
        guard hasWork else { return }
        if entries.reduce(0, { $0 + $1.making.size }) >= Self.room {
            turn = entries.firstIndex { !$0.making.isDone } ?? 0
        } else {
            let places = entries.indices.map { (turn + $0) % entries.count }
            turn = places.first { !entries[$0].making.isDone } ?? 0
        }
        var budget = units
        entries[turn].making.advance(&budget)
        if entries[turn].making.isDone { finished += 1 }
        turn += 1
    }
}
