import Testing
import Wire

@testable import Trace

@Suite struct MissingBytesTests {
    @Test func `counts chunks by leg and direction and keeps events in their place`() {
        var missing = MissingBytes()
        var traffic = Traffic()
        let opened = traffic.open()
        for record in opened.records { missing.take(record) }
        let exchange = traffic.exchange(opened, number: 0, body: "0123456789")
        for record in exchange + exchange { missing.take(record) }
        for record in traffic.close(opened) { missing.take(record) }
        let records = missing.drain(at: .zero)
        #expect(records.prefix(4) == opened.records[...])
        let gaps = records.compactMap { record -> GapRow? in
            if case .gap(let gap) = record { gap } else { nil }
        }
        #expect(gaps.map(\.sender) == [.client, .server])
        #expect(gaps.map(\.chunks) == [2, 4])
        // The gaps stand before the event that ends their connection.
        guard case .gap = records[4], case .gap = records[5], case .event = records[6] else {
            Issue.record("\(records)")
            return
        }
        #expect(missing.isEmpty)
    }

    @Test func `stays bounded and says what it could not keep`() {
        var missing = MissingBytes()
        let event = Record.event(
            EventRow(.warning, at: .zero, detail: String(repeating: "x", count: 100_000)))
        for _ in 0..<1_000 { missing.take(event) }
        for number in 0..<10 {
            missing.take(
                .chunk(
                    Chunk(
                        connection: ConnectionID(Int64(number + 1)), leg: LegID(1),
                        sender: .client, at: .zero, bytes: [0])))
        }
        #expect(missing.dropped > 900)
        let records = missing.drain(at: .zero)
        #expect(records.count < 110)
        guard case .gap(let gap) = records.dropLast().last else {
            Issue.record("no gap for what could not be counted singly")
            return
        }
        #expect(gap.connection == nil)
        #expect(gap.chunks == 10)
    }
}
