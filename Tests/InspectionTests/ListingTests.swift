import Filters
import Testing
import Trace

@testable import Inspection

@Suite("Listings")
struct ListingTests {
    @Test("keep places and find them again")
    func places() {
        let listing = Listing(id: 1, filter: nil, side: .client)
        let places = (1...1_000).map { id in
            LinePlace([.exchange, .command, .message][id % 3], Int64(id))
        }
        listing.append(Array(places[..<10]))
        listing.append([])
        listing.append(Array(places[10...]))
        #expect(listing.progress == .init(count: 1_000, isComplete: false, changes: 2))
        #expect(listing.places(from: 0, count: 2_000) == places)
        #expect(listing.places(from: 990, count: 20) == Array(places[990...]))
        #expect(listing.places(from: 1_000, count: 1) == [])
        #expect(listing.position(of: places[77]) == 77)
        #expect(listing.position(of: LinePlace(.exchange, 77_777)) == nil)
        listing.complete()
        #expect(listing.progress.isComplete)
    }

    @Test(
        "say when they begin, or that it takes long",
        arguments: ["rows", "none", "a problem", "nothing yet"])
    func beginning(how: String) async {
        let listing = Listing(id: 1, filter: nil, side: .client)
        let limit = how == "nothing yet" ? Duration.milliseconds(1) : .seconds(3_600)
        async let begun: Void = listing.begin(within: limit)
        switch how {
        case "rows": listing.append([LinePlace(.exchange, 1)])
        case "none": listing.complete()
        case "a problem": listing.fail("no disk")
        default: break
        }
        await begun
        #expect(listing.progress.count == (how == "rows" ? 1 : 0))
        // Whoever comes later does not wait.
        if how != "nothing yet" { await listing.begin(within: .seconds(3_600)) }
    }

    @Test("say what changed after a change that a page knows of, or that anything may have")
    func changes() {
        let listing = Listing(id: 1, filter: nil, side: .client)
        let places = (1...3).map { LinePlace(.exchange, $0) }
        listing.append(places)
        let first = listing.progress.changes
        listing.change([places[0]])
        listing.change([places[2]])
        #expect(listing.changed(after: first) == [places[0], places[2]])
        #expect(listing.changed(after: first + 1) == [places[2]])
        #expect(listing.changed(after: first + 2) == [])
        listing.change(nil)
        #expect(listing.changed(after: first + 2) == nil)
        #expect(listing.changed(after: first + 3) == [])
        let many = (1...Listing.remembered + 5).map { LinePlace(.command, Int64($0)) }
        for place in many { listing.change([place]) }
        #expect(listing.changed(after: first + 3) == nil)
        #expect(listing.changed(after: listing.progress.changes - 2)?.count == 2)
    }

    @Test("are bounded in number, and the oldest makes room")
    func bounded() throws {
        let listings = Listings()
        let first = try listings.make(nil, .client)
        for _ in 1..<Listings.most { _ = try listings.make(nil, .client) }
        // All are of the last five seconds.
        #expect(throws: (any Error).self) { try listings.make(nil, .client) }
        #expect(listings.has(first))
        listings.drop(first.id)
        #expect(!listings.has(first))
        #expect(throws: (any Error).self) { try listings.listing(first.id) }
        #expect(try listings.make(nil, .client).id == Listings.most + 1)
    }
}
