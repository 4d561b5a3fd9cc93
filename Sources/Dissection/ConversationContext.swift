import Wire

/// What is known about a connection whatever is spoken on it.
final class ConversationContext {
    private struct Leg {
        let row: LegRow
        var isTLS = false
    }

    let row: ConnectionRow
    private var legs: [LegID: Leg] = [:]
    private var isClientClosed = false

    init(_ row: ConnectionRow) { self.row = row }

    /// Whether no leg is open any more.
    var isOver: Bool { isClientClosed && legs.isEmpty }

    /// Whether the client speaks TLS.
    private(set) var isClientTLS = false

    func add(_ leg: LegRow) { legs[leg.id] = Leg(row: leg) }

    func setTLS(_ id: LegID) {
        legs[id]?.isTLS = true
        if legs[id]?.row.peer == .client { isClientTLS = true }
    }

    func close(_ id: LegID) {
        if legs[id]?.row.peer == .client { isClientClosed = true }
        legs[id] = nil
    }

    func peer(of id: LegID) -> Peer? { legs[id]?.row.peer }

    /// The row of a leg that is open.
    func leg(_ id: LegID) -> LegRow? { legs[id]?.row }

    /// Whether TLS is up on the leg.
    func isTLS(_ id: LegID) -> Bool { legs[id]?.isTLS ?? false }

    /// The row of the server's leg of a captured connection, which has one; nil once it is closed,
    /// and for other connections.
    var capturedServer: LegRow? {
        guard row.mode == .capture else { return nil }
        return legs.values.first { $0.row.peer == .server }?.row
    }

    /// Whether a server leg is open.
    var hasServer: Bool { legs.values.contains { $0.row.peer == .server } }
}
