import Notation
import Replaying
import Testing
import Wire

@Suite struct RecordedExchangesTests {
    @Test func `gives back what was put in`() {
        var random = SplitMix64(seed: 3)
        var list: [RecordedExchange] = []
        for number in 1...500 {
            let start = Int64(number) * 1_000
            list.append(
                RecordedExchange(
                    id: ExchangeID(Int64(number) * 3),
                    method: ["GET", "POST", ""][random.below(3)],
                    host: ["a.org", "b.org:81"][random.below(2)], path: "/\(random.below(9))é",
                    query: [nil, "", "q=\(random.below(5))"][random.below(3)],
                    status: [nil, 0, 200, 999][random.below(4)],
                    startedAt: Instant(nanoseconds: start),
                    respondedAt: random.chance(50) ? Instant(nanoseconds: start + 5) : nil,
                    endedAt: [
                        nil, Instant(nanoseconds: start + 9), Instant(nanoseconds: start - 7),
                        Instant(nanoseconds: start + 1 << 33),
                    ][random.below(4)],
                    connection: ConnectionID([1, 0, 3, .max][random.below(4)]),
                    api: ["", "http", "commcare.submit"][random.below(3)]))
        }
        let exchanges = RecordedExchanges(list)
        #expect(Array(exchanges) == list)
        #expect(list.indices.allSatisfy { exchanges.place(of: list[$0].id) == $0 })
        #expect(exchanges.place(of: ExchangeID(4)) == nil)
        #expect(exchanges.indices.map { exchanges.id(at: $0) } == list.map(\.id))
    }
}
