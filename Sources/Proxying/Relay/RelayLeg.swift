import Framing
import Wire

/// A server leg as the relay sees it.
struct RelayLeg {
    let id: LegID
    /// The server that is meant: behind another proxy that of the tunnel.
    var address: ServerAddress
    /// Whether what passes is written to the trace.
    let isRecorded: Bool
    /// The proxy that gets the requests themselves, with absolute targets; nil where they are sent to
    /// the server, directly or in a tunnel.
    var proxy: UpstreamProxy?
    /// Whether it can be written to.
    var isReady = false
    /// What is to be sent as soon as it can be.
    var held: [UInt8] = []
    /// Which directions are over; ours from when the end is to be sent as soon as it can be.
    var ends = LegEnds.neither
    var responses = HTTPFramer(role: .response)
    var scan = MessageScan()
}

/// A request that was forwarded and is not answered.
struct RelayRequest {
    let leg: LegID
    let kind: HTTPRequestKind
    /// How the client names the proxy, to lead it back there.
    let proxyName: String
    /// Its `X-OpenRosa-Version`, where it has one: an answer of Tapedeck is then one of OpenRosa.
    var openRosaVersion: String?
    /// Whether a rule sent it to another server than it names.
    var isMapped = false
    /// Its head, where it requests an upgrade or a tunnel.
    var switching: HTTPHead?
    /// The answer, where Tapedeck gives it.
    var local: LocalAnswer?
}

/// An answer in the server's name, which waits for its turn.
struct LocalAnswer {
    let bytes: [UInt8]
    /// Whether the connection is closed after it.
    let closes: Bool
}
