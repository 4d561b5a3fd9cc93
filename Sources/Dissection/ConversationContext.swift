import Wire

/// The properties of a connection, whatever its protocol.
final class ConversationContext {
    fileprivate struct Leg {
        let row: LegRow
        var isTLS = false
    }

    /// What may change.
    struct State {
        fileprivate var legs: [LegID: Leg] = [:]
        fileprivate var isClientClosed = false
        fileprivate var isClientTLS = false
        fileprivate var isInTunnel = false
        fileprivate var isServerTLS: Bool?
        fileprivate var server: (host: String, port: Int)?
        fileprivate var isSeenFromStart = false
    }

    let row: ConnectionRow
    private(set) var state = State()

    init(_ row: ConnectionRow) {
        self.row = row
        // The client is connected to its server, as in a tunnel.
        state.isInTunnel = row.mode == .transparent
    }

    /// The properties that `other` has, or had in `state`, which change by themselves from now on.
    init(copying other: ConversationContext, in state: State? = nil) {
        row = other.row
        self.state = state ?? other.state
    }

    /// Whether a capture saw the connection being opened.
    var isSeenFromStart: Bool {
        get { state.isSeenFromStart }
        set { state.isSeenFromStart = newValue }
    }
    /// Whether its bytes may begin in the middle of anything: those of a capture that was late.
    var mayBeginAnywhere: Bool { row.mode == .capture && !isSeenFromStart }

    /// Whether all legs are closed.
    var isOver: Bool { state.isClientClosed && state.legs.isEmpty }

    /// Whether the client uses TLS: inside the tunnel, where one was opened.
    var isClientTLS: Bool { state.isClientTLS }
    /// Whether a tunnel was opened, so that the client is no longer connected to a proxy.
    var isInTunnel: Bool { state.isInTunnel }
    /// Whether TLS is to be used with the server of a reverse proxy; nil where that is unknown.
    private var isServerTLS: Bool? { state.isServerTLS }
    /// Where the server of a reverse proxy is.
    var server: (host: String, port: Int)? { state.server }

    func add(_ leg: LegRow) {
        state.legs[leg.id] = Leg(row: leg)
        guard leg.peer == .server else { return }
        state.isServerTLS = leg.isTLS ?? isServerTLS
        state.server = (leg.host, leg.port)
    }

    /// What follows is inside a tunnel; TLS outside of it does not concern its contents.
    func beginTunnel() {
        state.isInTunnel = true
        state.isClientTLS = false
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
        state.legs[id]?.isTLS = true
        if peer(of: id) == .client { state.isClientTLS = true }
    }

    func close(_ id: LegID) {
        if peer(of: id) == .client { state.isClientClosed = true }
        state.legs[id] = nil
    }

    func peer(of id: LegID) -> Peer? { state.legs[id]?.row.peer }

    /// The row of a leg that is open.
    func leg(_ id: LegID) -> LegRow? { state.legs[id]?.row }

    /// The legs to servers on which TLS is not up.
    var plainServerLegs: [LegID] {
        state.legs.values.filter { $0.row.peer == .server && !$0.isTLS }.map(\.row.id)
    }

    /// Whether TLS is up on the leg.
    func isTLS(_ id: LegID) -> Bool { state.legs[id]?.isTLS ?? false }

    /// The row of the server's leg of a captured connection, which has one; nil once it is closed,
    /// and for other connections.
    var capturedServer: LegRow? {
        guard row.mode == .capture else { return nil }
        return state.legs.values.first { $0.row.peer == .server }?.row
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
        state.legs.contains { $0.key != leg && $0.value.row.peer == .server }
    }

    /// Whether a server leg is open.
    var hasServer: Bool { state.legs.values.contains { $0.row.peer == .server } }
}
