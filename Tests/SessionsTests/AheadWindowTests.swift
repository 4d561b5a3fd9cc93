import Replaying
import Testing
import Wire

@testable import Sessions

@Suite("What is read before it is asked for")
struct AheadWindowTests {
    private func batch(_ order: AheadWindow.Order) -> AheadWindow.Batch {
        let messages = (0..<order.count).map { place in
            AheadWindow.Messages(request: message(order.first.rawValue + Int64(place)))
        }
        return AheadWindow.Batch(first: order.first, messages: messages)
    }

    private func message(_ id: Int64) -> ReplayMessage {
        ReplayMessage(body: Array("\(id)".utf8))
    }

    @Test func `reads as many ahead as were asked for in a row, up to a bound`() {
        var window = AheadWindow()
        var counts: [Int] = []
        var found = 0
        for id: Int64 in 1...500 {
            let (request, order) = window.request(ExchangeID(id))
            if let request {
                #expect(request == message(id))
                found += 1
            }
            guard let order else { continue }
            #expect(order.first.rawValue > id)
            counts.append(order.count)
            window.add(batch(order))
        }
        #expect(counts.first == 1)
        #expect(counts == counts.sorted())
        #expect(counts.last == AheadWindow.most)
        #expect(found == 498)
    }

    @Test func `reads nothing ahead of those who ask in no order`() {
        var window = AheadWindow()
        for id: Int64 in [900, 5, 300, 41, 700, 2, 650, 333, 80, 1, 999, 500] {
            let (request, order) = window.request(ExchangeID(id))
            #expect(request == nil && order == nil)
        }
    }

    @Test func `goes on after what was asked for out of order`() throws {
        var window = AheadWindow()
        for id: Int64 in 1...100 {
            if let order = window.request(ExchangeID(id)).order { window.add(batch(order)) }
            #expect(window.request(ExchangeID(5000 - id)).order == nil)
        }
        #expect(window.request(ExchangeID(101)).request == message(101))
    }

    @Test func `follows a new order once it is one`() {
        var window = AheadWindow()
        var found: [Int64] = []
        for id: Int64 in [500...520, 1...20].joined() {
            let (request, order) = window.request(ExchangeID(id))
            if request != nil { found.append(id) }
            if let order { window.add(batch(order)) }
        }
        #expect(found == Array([502...520, 6...20].joined()))
    }

    @Test func `takes in what comes too late, and lets go of it`() throws {
        var window = AheadWindow()
        _ = window.request(ExchangeID(1))
        let order = try #require(window.request(ExchangeID(2)).order)
        for id: Int64 in 3...50 { #expect(window.request(ExchangeID(id)).order == nil) }
        window.add(batch(order))
        let next = try #require(window.request(ExchangeID(51)).order)
        #expect(next == AheadWindow.Order(first: ExchangeID(52), count: AheadWindow.most))
        #expect(window.response(ExchangeID(3)) == nil)
    }

    @Test func `gives back the bodies of answers that were let go of, once`() throws {
        var window = AheadWindow()
        var given: [[UInt8]] = []
        for id: Int64 in 1...40 {
            guard let order = window.request(ExchangeID(id)).order else { continue }
            given += window.takeSpares()
            #expect(window.takeSpares().isEmpty)
            var read = batch(order)
            for place in read.messages.indices {
                let body = [UInt8](
                    repeating: 1, count: id < 8 ? 100_000 : Int(order.first.rawValue) + place)
                read.messages[place].response = RecordedResponse(
                    status: 200, reason: "OK", fields: [], body: body)
            }
            window.add(read)
        }
        // Large ones are not kept.
        #expect(given.map(\.count).max() ?? 0 < 100)
        #expect(!given.isEmpty && Set(given.map(\.count)).count == given.count)
    }

    @Test func `bears numbers of any size`() {
        var window = AheadWindow()
        for id in [Int64.max - 1, .max, .min, .min + 1, .max, .min, 0, -1, .max, .max] {
            if let order = window.request(ExchangeID(id)).order {
                window.add(batch(bounded(order)))
            }
        }
    }

    /// What a trace gives where there are no such numbers.
    private func bounded(_ order: AheadWindow.Order) -> AheadWindow.Order {
        AheadWindow.Order(first: order.first, count: order.first.rawValue > 0 ? 0 : 1)
    }
}
