internal import Formats

extension Harness {
    /// Files of other programs that become exchanges.
    static let archives = [mitmproxy]

    /// Reads a flow of mitmproxy; what comes of it is no larger than what it came from, and in order.
    private static let mitmproxy = Harness(name: "mitmproxy") { bytes in
        let flow: MitmproxyFlow
        do throws(MitmproxyFlow.Refusal) {
            flow = try MitmproxyFlow(parsing: bytes)
        } catch {
            guard case .mistake(let mistake) = error else { return }
            return demand((0...bytes.count).contains(mistake.offset), "\(mistake) is inside")
        }
        guard case .exchange(let exchange) = flow else { return }
        let bodies = [exchange.request, exchange.response ?? ArchivedExchange.Message()]
        let kept =
            bodies.reduce(0) { $0 + $1.body.count }
            + exchange.messages.reduce(0) { $0 + $1.payload.count }
        demand(kept <= bytes.count, "no more is kept than came")
        demand(bodies.allSatisfy { $0.missing >= 0 }, "no less than nothing is missing")
        let start = exchange.startedUnixNanoseconds
        demand(start >= 0, "nothing is before 1970")
        demand(exchange.requestEndedUnixNanoseconds >= start, "a request ends after it starts")
        // A server may answer before it has heard all.
        demand(exchange.respondedUnixNanoseconds >= start, "an answer comes after the request")
        demand(
            exchange.endedUnixNanoseconds >= exchange.respondedUnixNanoseconds,
            "an answer ends after it starts")
        demand(exchange.response == nil || (100...999).contains(exchange.status), "a status")
        for message in exchange.messages {
            demand((0...15).contains(message.opcode), "an opcode has four bits")
        }
    }
}
