internal import Filters
internal import Serving
internal import Synchronization
internal import Trace

/// The listings of a trace that pages look at.
final class Listings: Sendable {
    private struct State {
        var listings: [Int: Listing] = [:]
        var next = 1
    }

    /// How long a listing stays that nobody asks for.
    static let patience = Duration.seconds(600)
    /// The most listings at a time: those of twenty pages with a filter and without.
    static let most = 40

    private let state = Mutex(State())

    /// Makes a listing.
    ///
    /// - Throws: ``ServedProblem`` where there are too many.
    func make(_ filter: Filter?, _ side: LineSide) throws(ServedProblem) -> Listing {
        let listing = state.withLock { state -> Listing? in
            if state.listings.count >= Self.most {
                // Rather an old one than none for a new page.
                let oldest = state.listings.values.min { $0.usedAt < $1.usedAt }
                guard let oldest, oldest.usedAt.duration(to: .now) > .seconds(5) else { return nil }
                state.listings[oldest.id] = nil
            }
            let made = Listing(id: state.next, filter: filter, side: side)
            state.next += 1
            state.listings[made.id] = made
            return made
        }
        guard let listing else {
            throw ServedProblem(
                429, "too-many-listings", "\(Self.most) listings are open",
                hint: "close pages of this trace, or delete listings")
        }
        return listing
    }

    /// The listing of a number.
    ///
    /// - Throws: ``ServedProblem`` where there is none.
    func listing(_ id: Int) throws(ServedProblem) -> Listing {
        guard let listing = state.withLock({ $0.listings[id] }) else {
            throw ServedProblem(
                404, "no-listing", "there is no listing \(id)",
                hint: "it was dropped since nobody asked for it: make it again")
        }
        listing.use()
        return listing
    }

    /// Whether a listing is still wanted.
    func has(_ listing: Listing) -> Bool {
        state.withLock { $0.listings[listing.id] === listing }
    }

    /// Drops a listing.
    func drop(_ id: Int) { state.withLock { $0.listings[id] = nil } }

    /// All of them, without those that nobody has asked for.
    var wanted: [Listing] {
        state.withLock { state in
            state.listings = state.listings.filter {
                $0.value.usedAt.duration(to: .now) < Self.patience
            }
            return Array(state.listings.values)
        }
    }
}
