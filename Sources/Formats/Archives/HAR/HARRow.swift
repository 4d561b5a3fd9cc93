internal import Framing
internal import Storage
internal import Trace
internal import Wire

/// An exchange of a trace as an HTTP archive needs it.
struct HARRow {
    /// What is read, in the order of the members below.
    static let sql = """
        SELECT x.id, x.connection_id, x.server_leg_id, x.method, x.scheme, x.host, x.port, x.path,
          x.query, x.version, x.status, x.reason, x.started_ns, x.request_ended_ns, x.responded_ns,
          x.ended_ns, x.outcome, x.problem, x.is_local, s.started_unix_ns
        FROM http_exchange x JOIN session s ON s.id = x.session_id ORDER BY x.id
        """

    let id: ExchangeID
    let connection: Int64
    let leg: Int64?
    let method: String
    private let scheme: String
    private let authority: HTTPAuthority
    private let target: String
    let query: String?
    let version: String
    let status: Int64?
    let reason: String
    /// Wall clock at the first byte of the request, nanoseconds since 1970 UTC.
    let startedUnixNanoseconds: Int64
    /// Wall clock at the start of its session, nanoseconds since 1970 UTC.
    let sessionUnixNanoseconds: Int64
    /// To the last byte of the request, in nanoseconds.
    let send: Int64
    /// To the first byte of the response, in nanoseconds.
    let wait: Int64
    /// To the last byte of the response, in nanoseconds.
    let receive: Int64
    private let outcome: String
    private let problem: String?
    private let isLocal: Bool

    init(_ row: Statement) {
        id = ExchangeID(row.integer(0))
        connection = row.integer(1)
        leg = row.optionalInteger(2)
        method = row.string(3)
        scheme = row.string(4)
        authority = HTTPAuthority(host: row.string(5), port: Int(row.integer(6)))
        query = row.optionalString(8)
        target = row.string(7) + (query.map { "?" + $0 } ?? "")
        version = row.string(9)
        status = row.optionalInteger(10)
        reason = row.string(11)
        let started = row.integer(12)
        let requestEnded = max(started, row.optionalInteger(13) ?? started)
        let ended = max(requestEnded, row.optionalInteger(15) ?? requestEnded)
        let responded = min(max(requestEnded, row.optionalInteger(14) ?? ended), ended)
        sessionUnixNanoseconds = row.integer(19)
        startedUnixNanoseconds = sessionUnixNanoseconds &+ started
        send = requestEnded - started
        wait = responded - requestEnded
        receive = ended - responded
        outcome = row.string(16)
        problem = row.optionalString(17)
        isLocal = row.integer(18) != 0
    }

    /// Whether a side was read when the exchange had come as far as here.
    func isAsFar(as side: ReplaySide) -> Bool { side.outcome == outcome }

    /// Whether it is a tunnel, whose exchanges have their own entries.
    var isTunnel: Bool { method == "CONNECT" && (200..<300).contains(status ?? 0) }

    /// The URL; with the scheme of WebSockets where `isSocket`.
    func url(isSocket: Bool) -> String {
        let shown = isSocket ? (scheme == "https" ? "wss" : "ws") : scheme
        let isUsual = HTTPTarget.defaultPort(of: scheme) == authority.port
        let host = authority.host.utf8.contains(0x3A) ? "[\(authority.host)]" : authority.host
        let place = isUsual ? host : authority.description
        // A CONNECT has no path, and `*` is none.
        let path = target == "*" ? "/" : target.hasPrefix("/") ? target : "/" + target
        return "\(shown)://\(place)\(path)"
    }

    /// Why there is no whole answer; nil where there is one.
    var error: String? {
        guard outcome != "complete" else { return nil }
        return problem ?? (outcome == "open" ? "not over yet" : outcome)
    }

    /// The comments on it.
    var comments: [String] { isLocal ? ["answered by Tapedeck, not by the server"] : [] }
}
