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

    @Test func `batches of rows give what their rows have`() {
        var random = SplitMix64(seed: 5)
        let hosts = (0..<40).map { "h\($0).org" }
        var (list, exchanges) = ([RecordedExchange](), RecordedExchanges())
        for _ in 0..<20 {
            var batch = RecordedExchanges.Batch()
            for _ in 0..<random.below(100) {
                // Ports of one host alone differ.
                let host = hosts[random.below(random.chance(50) ? 3 : hosts.count)]
                let port = host == hosts[0] ? 80 + random.below(3) : 443
                let exchange = RecordedExchange(
                    id: ExchangeID(Int64(list.count) + 1),
                    method: ["GET", "POST"][random.below(2)],
                    host: host == hosts[0] ? "\(host):\(port)" : host,
                    path: "/\(random.below(50))é", query: [nil, "", "a=1"][random.below(3)],
                    status: [nil, 200, 404][random.below(3)],
                    startedAt: Instant(nanoseconds: Int64(list.count)),
                    respondedAt: random.chance(50) ? Instant(nanoseconds: 1 << 40) : nil,
                    endedAt: random.chance(50) ? Instant(nanoseconds: 7) : nil,
                    connection: ConnectionID(Int64(random.below(9))),
                    api: ["http", "commcare.restore"][random.below(2)])
                list.append(exchange)
                append(exchange, host, port, to: &batch)
            }
            exchanges.append(batch)
        }
        #expect(Array(exchanges) == list)
        #expect(Set(exchanges.hostNames) == Set(list.map(\.host)))
    }

    private func append(
        _ exchange: RecordedExchange, _ host: String, _ port: Int,
        to batch: inout RecordedExchanges.Batch
    ) {
        let texts = [exchange.api, exchange.method, host, exchange.path, exchange.query ?? ""]
        let bytes = texts.map { Array($0.utf8) }
        let all = bytes.flatMap { $0 }
        all.withUnsafeBytes { all in
            var rest = all[...]
            let parts = bytes.map { part in
                defer { rest = rest.dropFirst(part.count) }
                return UnsafeRawBufferPointer(rebasing: rest.prefix(part.count))
            }
            batch.append(
                RecordedExchanges.Row(
                    id: exchange.id, connection: exchange.connection, api: parts[0],
                    method: parts[1], host: parts[2], port: port, path: parts[3],
                    query: exchange.query.map { _ in parts[4] }, status: exchange.status,
                    startedAt: exchange.startedAt, respondedAt: exchange.respondedAt,
                    endedAt: exchange.endedAt))
        }
    }
}
