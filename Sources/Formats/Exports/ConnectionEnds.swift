internal import Capturing
internal import Storage
internal import Wire

/// The endpoints of the synthesized packets of a connection.
struct ConnectionEnd: Hashable {
    /// The client.
    var client: Endpoint
    /// Where the client connected to: the proxy, except in a passive capture.
    var listener: Endpoint
    /// The server that answered first, or else the listener.
    var server: Endpoint
    /// Name of the server; empty where it is an address.
    var serverName = ""
    /// Legs to servers.
    var serverLegs: Set<LegID> = []
}

/// Finds the ends of connections in a trace.
final class ConnectionEnds {
    private let legs: Statement

    init(_ db: Connection) throws(StorageFault) {
        legs = try db.prepare(
            """
            SELECT l.id, l.host, l.port,
              (SELECT e.detail FROM event e WHERE e.connection_id = l.connection_id
                 AND e.leg_id = l.id AND e.kind = 'opened' LIMIT 1) AS opened
            FROM leg l WHERE l.connection_id = ? AND l.peer = 1
            ORDER BY opened IS NULL, l.id
            """)
    }

    /// The ends of a connection.
    func find(_ row: ConnectionRow) throws(StorageFault) -> ConnectionEnd {
        let made = SynthesizedAddress.client(row.id.rawValue)
        let listener =
            Endpoint(row.listener) ?? Endpoint(SynthesizedAddress.server(row.listener), 80)
        var end = ConnectionEnd(
            client: Endpoint(row.client) ?? made, listener: listener, server: listener)
        legs.bind(1, row.id.rawValue)
        while try legs.step() {
            let isFirst = end.serverLegs.isEmpty
            end.serverLegs.insert(LegID(legs.integer(0)))
            guard isFirst else { continue }
            let host = legs.string(1)
            let port = UInt16(truncatingIfNeeded: legs.integer(2))
            end.server =
                Endpoint(legs.string(3))
                ?? Endpoint(IPAddress(host) ?? SynthesizedAddress.server(host), port)
            end.server.port = port
            if IPAddress(host) == nil { end.serverName = host }
        }
        return end
    }
}
