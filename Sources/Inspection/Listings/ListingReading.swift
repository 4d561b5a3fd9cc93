internal import Serving
internal import Trace

/// Fills a listing, and follows the trace from there on.
struct ListingReading: Sendable {
    let listing: Listing
    let listings: Listings
    let desk: TraceDesk

    /// Rows that are added at a time: the first soon, and then more and more.
    private static let least = 64
    private static let most = 16_384
    /// Between two looks at a trace that grows, and at one that does not.
    private static let short = Duration.milliseconds(50)
    private static let long = Duration.milliseconds(250)
    /// Looks without news after which a trace does not grow.
    private static let quiet = 100

    /// Reads until the listing is dropped.
    func run() async {
        do throws(ServedProblem) {
            var follower = try await desk.read { reader throws(TraceError) in
                try fill(reader)
            }
            listing.complete()
            var idle = 0
            while listings.has(listing) {
                let (next, news) = try await desk.read { [follower] reader throws(TraceError) in
                    var follower = follower
                    let news = try follower.poll(reader)
                    return (follower, news)
                }
                follower = next
                listing.append(news.added)
                if !news.changed.isEmpty { listing.change(news.changed) }
                idle = news.isEmpty ? idle + 1 : 0
                let pause = idle < Self.quiet ? Self.short : Self.long
                do { try await Task.sleep(for: pause) } catch { return }
            }
        } catch {
            listing.fail(error.message)
        }
    }

    private func fill(_ reader: TraceReader) throws(TraceError) -> PlaceFollower {
        var follower = try PlaceFollower(reader, filter: listing.filter, of: listing.side)
        var batch: [LinePlace] = []
        var size = Self.least
        let isUnwanted = { !listings.has(listing) }
        try follower.existing(reader, until: isUnwanted) { place in
            batch.append(place)
            guard batch.count == size else { return true }
            listing.append(batch)
            batch.removeAll(keepingCapacity: true)
            size = min(Self.most, 2 * size)
            return listings.has(listing)
        }
        listing.append(batch)
        return follower
    }
}
