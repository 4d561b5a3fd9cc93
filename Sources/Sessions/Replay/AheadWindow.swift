package import Replaying
package import Wire

/// Decides which exchanges are read before they are requested, and keeps them until they are.
///
/// Clients mostly send requests in the order of the recording. Two batches are kept, the one being
/// played and the next; once the second is begun, the first is evicted. No more are read ahead than
/// were requested in a row, so that little is read in vain where the order differs.
package struct AheadWindow {
    /// The requested side of an exchange; nil where it has to be read another way.
    package struct Messages: Equatable {
        /// The request.
        var request: ReplayMessage?
        /// The response.
        var response: RecordedResponse?
    }

    /// Exchanges whose numbers follow each other.
    package struct Batch: Equatable {
        /// Number of the first.
        var first: ExchangeID
        /// The content of each.
        var messages: [Messages]

        /// The place of an exchange in it; nil where it is not in it.
        func place(of id: ExchangeID) -> Int? {
            let (place, overflow) = id.rawValue.subtractingReportingOverflow(first.rawValue)
            return !overflow && place >= 0 && place < Int64(messages.count) ? Int(place) : nil
        }

        /// The number after its last one.
        var end: ExchangeID { ExchangeID(first.rawValue &+ Int64(messages.count)) }
    }

    /// Exchanges to be read.
    package struct Order: Equatable {
        var first: ExchangeID
        var count: Int
    }

    /// The maximum number of exchanges of a batch.
    package static let most = 32
    /// The number of exchanges that may be skipped by a request that is still in order.
    private static let maxSkipped: Int64 = 8
    /// The number of consecutive requests out of order that begin another order.
    private static let maxStrays = 4

    /// Bytes of the largest body whose memory is used again.
    private static let maxSpare = 1 << 16

    private var played: Batch?
    private var next: Batch?
    /// Bodies of evicted answers.
    private var spares: [[UInt8]] = []
    private var isReading = false
    /// The exchange that was requested last.
    private var last: ExchangeID?
    /// The number requested in a row, at most ``most``.
    private var run = 0
    /// The number requested out of order since.
    private var strays = 0

    /// Records a requested exchange.
    ///
    /// - Returns: The request where it was read already, and what is to be read now; ``add(_:)``
    ///   has to be called with that.
    package mutating func request(_ id: ExchangeID) -> (request: ReplayMessage?, order: Order?) {
        guard isInOrder(id) else { return (request(of: id), nil) }
        if let next, next.place(of: id) != nil {
            spares = played?.messages.compactMap { $0.response?.body } ?? []
            spares.removeAll { $0.capacity > Self.maxSpare }
            played = next
            self.next = nil
        } else if played?.place(of: id) == nil {
            // They arrived too late, or belong to another order.
            played = nil
            next = nil
        }
        let found = request(of: id)
        guard run > 0, !isReading, next == nil else { return (found, nil) }
        isReading = true
        return (found, Order(first: played?.end ?? ExchangeID(id.rawValue &+ 1), count: run))
    }

    /// The response of an exchange where it was read already.
    package func response(_ id: ExchangeID) -> RecordedResponse? {
        if let played, let place = played.place(of: id) { return played.messages[place].response }
        if let next, let place = next.place(of: id) { return next.messages[place].response }
        return nil
    }

    /// Unused arrays, for what is read now.
    package mutating func takeSpares() -> [[UInt8]] { exchange(&spares, with: []) }

    /// Takes in what was read.
    package mutating func add(_ batch: Batch) {
        next = batch
        isReading = false
    }

    private func request(of id: ExchangeID) -> ReplayMessage? {
        if let played, let place = played.place(of: id) { return played.messages[place].request }
        if let next, let place = next.place(of: id) { return next.messages[place].request }
        return nil
    }

    /// Whether a request is of the order that is followed, which may be a new one.
    private mutating func isInOrder(_ id: ExchangeID) -> Bool {
        let (step, overflow) = id.rawValue.subtractingReportingOverflow(last?.rawValue ?? 0)
        if last != nil, !overflow, step >= 0, step <= Self.maxSkipped {
            if step > 0 { run = min(run + 1, Self.most) }
            strays = 0
        } else {
            // A skipped one is not a new order yet.
            strays += 1
            guard last == nil || strays >= Self.maxStrays else { return false }
            run = 0
            strays = 0
        }
        last = id
        return true
    }
}
