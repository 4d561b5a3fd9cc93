import Dissection
import Wire

/// Connections that come to nothing, one after the other: Diagnosis/Catalogue.md#r51.
extension SimperiumSessionCheck {
    /// Nanoseconds within which only a program connects again.
    private static let pause: Int64 = 300_000_000

    private static func host(_ client: String) -> String {
        client.lastIndex(of: ":").map { String(client[..<$0]) } ?? client
    }

    mutating func arrive(_ row: ConnectionRow) {
        let host = Self.host(row.client)
        guard arrivals.count < Self.maxLives || arrivals[host] != nil,
            arrivals[host]?.open.count ?? 0 < SimperiumSessionArrivals.mostOpen
        else { return }
        arrivals[host, default: SimperiumSessionArrivals()].open[row.id] = row.at
    }

    /// A request that opens no socket: it is no client of Simperium.
    mutating func ask(_ exchange: borrowing ExchangeEvidence, _ session: borrowing SessionView) {
        let connection = exchange.row.connection
        guard !exchange.row.path.hasPrefix("/sock/"), let host = session[connection]?.host,
            arrivals[host]?.open.removeValue(forKey: connection) != nil
        else { return }
        arrivals[host]?.inARow = 0
    }

    /// A client of Simperium opens a bucket.
    mutating func know(
        _ clientID: String, _ connection: ConnectionID, _ session: borrowing SessionView
    ) {
        guard let host = session[connection]?.host else { return }
        arrivals[host]?.open[connection] = nil
        guard arrivals[host]?.clients.count ?? 0 < SimperiumSessionArrivals.mostClients else {
            return
        }
        arrivals[host]?.clients.insert(clientID)
    }

    /// A connection ends.
    mutating func depart(
        _ connection: ConnectionID, at: Instant, _ session: borrowing SessionView,
        _ report: inout Report
    ) {
        guard let host = session[connection]?.host,
            let begin = arrivals[host]?.open.removeValue(forKey: connection),
            session.isWhole(connection), var known = arrivals[host]
        else { return }
        defer { arrivals[host] = known }
        let pause = known.lastEnd.map { begin.nanoseconds - $0.nanoseconds }
        known.lastEnd = at
        guard let pause, pause >= 0, pause <= Self.pause else {
            (known.inARow, known.longest) = (1, 0)
            return
        }
        known.inARow += 1
        known.longest = max(known.longest, pause)
        guard known.inARow >= known.tooMany else { return }
        let client = known.clients.count == 1 ? known.clients.first ?? host : host
        report.add(
            Finding(
                Rules.reconnectStorm, connection: connection, client: client,
                detail:
                    "\(known.inARow) connections in a row from \(host) on which nothing was opened, each at most \(Self.seconds(known.longest)) after the end of the one before.",
                steps: [
                    FindingStep(
                        at: begin,
                        "a new connection \(Self.seconds(pause)) after the end of the last"),
                    FindingStep(at: at, "it ends"),
                ]))
    }
}
