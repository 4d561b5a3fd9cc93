package import Replaying
package import Trace
package import Wire

/// What the servers of a trace held at a point in time.
package struct HoldingsReading {
    /// What they held.
    package private(set) var holdings: ServerHoldings
    /// The state of each side, from which that follows.
    package let state: SessionState
    /// The time, since the start of the first session; nil for the end of the trace.
    package let at: Instant?
    /// Commands that could not be read, since their bytes were evicted.
    package let cut: Int

    /// Reads a trace up to a point in time, and after that only what adds to what was there then:
    /// the data of versions of which the number alone had been sent.
    ///
    /// - Throws: ``SessionError`` where that cannot be read, has no such point in time, or shows no
    ///   server by then.
    package static func read(
        _ reader: StateReader, upto moment: StateMoment
    ) throws(SessionError) -> HoldingsReading {
        let reading = try SessionStateReading.read(reader, upto: moment, keepsHistory: true)
        var holdings = reading.state.holdings
        guard !holdings.isEmpty else {
            throw .missing(
                "the trace shows no Simperium or CommCare server that accepted a client "
                    + (moment == .end ? "" : "by then ")
                    + "; `tapedeck state` shows what it has, and --at a later time may have more")
        }
        if moment != .end {
            let whole = try SessionStateReading.read(reader, upto: .end, keepsHistory: true)
            holdings.complete(from: whole.state)
        }
        return HoldingsReading(
            holdings: holdings, state: reading.state, at: reading.at, cut: reading.cut)
    }
}
