import Wire

/// The properties of a connection, whatever its protocol.
final class ConversationContext {
    private struct Leg {
        let row: LegRow
        var isTLS = false
    }

    let row: ConnectionRow
    private var legs: [LegID: Leg] = [:]
    private var isClientClosed = false

    init(_ row: ConnectionRow) {
        self.row = row
        // The client is connected to its server, as in a tunnel.
        isInTunnel = row.mode == .transparent
    }

    /// The same properties, which change by themselves from now on.
    init(copying other: ConversationContext) {
        row = other.row
        legs = other.legs
        isClientClosed = other.isClientClosed
        isClientTLS = other.isClientTLS
        isInTunnel = other.isInTunnel
        isServerTLS = other.isServerTLS
        server = other.server
        isSeenFromStart = other.isSeenFromStart
    }

    /// Whether a capture saw the connection being opened.
    var isSeenFromStart = false
    /// Whether its bytes may begin in the middle of anything: those of a capture that was late.
    var mayBeginAnywhere: Bool { row.mode == .capture && !isSeenFromStart }

    /// Whether all legs are closed.
    var isOver: Bool { isClientClosed && legs.isEmpty }

    /// Whether the client uses TLS: inside the tunnel, where one was opened.
    private(set) var isClientTLS = false
    /// Whether a tunnel was opened, so that the client is no longer connected to a proxy.
    private(set) var isInTunnel = false
    /// Whether TLS is to be used with the server of a reverse proxy; nil where that is unknown.
    private var isServerTLS: Bool?
    /// Where the server of a reverse proxy is.
    private(set) var server: (host: String, port: Int)?

    func add(_ leg: LegRow) {
        legs[leg.id] = Leg(row: leg)
        guard leg.peer == .server else { return }
        isServerTLS = leg.isTLS ?? isServerTLS
        server = (leg.host, leg.port)
    }

    /// What follows is inside a tunnel; TLS outside of it does not concern its contents.
    func beginTunnel() {
        isInTunnel = true
        isClientTLS = false
    }

    /// The scheme of a request whose target names none.
    var scheme: String {
        let isTLS =
            switch row.mode {
            // The protocol between client and proxy does not imply that of the server.
            case .forward where !isInTunnel: false
            case .reverse where !isInTunnel: isServerTLS ?? isClientTLS
            default: isClientTLS
            }
        return isTLS ? "https" : "http"
    }

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

    /// The legs to servers on which TLS is not up.
    var plainServerLegs: [LegID] {
        legs.values.filter { $0.row.peer == .server && !$0.isTLS }.map(\.row.id)
    }

    /// Whether TLS is up on the leg.
    func isTLS(_ id: LegID) -> Bool { legs[id]?.isTLS ?? false }

    /// The row of the server's leg of a captured connection, which has one; nil once it is closed,
    /// and for other connections.
    var capturedServer: LegRow? {
        guard row.mode == .capture else { return nil }
        return legs.values.first { $0.row.peer == .server }?.row
    }

    /// The server that every request goes to; nil where each names its own.
    var onlyServer: (host: String, port: Int)? {
        switch row.mode {
        case .capture: capturedServer.map { ($0.host, $0.port) }
        case .reverse: server
        case .forward, .transparent, .archive: isInTunnel ? server : nil
        }
    }

    /// Whether a server leg is open besides `leg`.
    func hasServer(besides leg: LegID) -> Bool {
        legs.contains { $0.key != leg && $0.value.row.peer == .server }
    }

    /// Whether a server leg is open.
    var hasServer: Bool { legs.values.contains { $0.row.peer == .server } }
}
