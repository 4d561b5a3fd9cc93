import Dissection
import Framing
import Wire

/// An exchange whose response is not complete.
struct LiveExchange {
    /// Its number on this connection, from 1.
    let number: Int
    /// The head of the request.
    let head: HTTPHead
    /// The request's properties that determine the response.
    let kind: HTTPRequestKind
    /// Whether it requests an upgrade.
    let isUpgrade: Bool
    let startedAt: Instant
    var requestEndedAt: Instant?
    var requestSize: Int64 = 0
    var request = KeptContent()
    var responseHead: HTTPHead?
    var respondedAt: Instant?
    var responseSize: Int64 = 0
    var response = KeptContent()
    /// Codes of what the framers noticed.
    private(set) var notes: [String] = []
    /// The firings for the response, found since the request came.
    var deferred: [Firing] = []
    /// Whether it is a repetition, the answer to which the client is not to see.
    var isRepetition = false
    /// Whether its answer is a local one.
    var isLocal = false
    /// Whether the client was sent 100 Continue in the server's place.
    var isAskedToContinue = false

    init(number: Int, head: HTTPHead, at: Instant) {
        self.number = number
        self.head = head
        kind = HTTPRequestKind(head)
        isUpgrade =
            head.first("upgrade") != nil && head.contains(token: "upgrade", in: "connection")
        startedAt = at
    }

    /// Whether `server` is the target of a request to a proxy.
    func isFor(_ server: GateContext.Server) -> Bool {
        guard let authority = (try? head.parsedTarget())?.authority else { return true }
        return authority.host == server.host && authority.port == server.port
    }

    /// Adds an anomaly once; a trace has each occurrence, a filter only tests whether it is
    /// present.
    mutating func add(note: String) {
        if !notes.contains(note) { notes.append(note) }
    }

    /// Whether nothing but its response has to be waited for.
    var isPlain: Bool { deferred.isEmpty && !isRepetition && !isAskedToContinue }

    /// The row a trace would have of it now.
    ///
    /// A reverse proxy uses the address of the server itself, as a trace does.
    func row(_ context: GateContext) -> ExchangeRow {
        let address = RequestAddress(head)
        // The protocol between client and proxy does not imply that of the server.
        let scheme =
            context.server.map { $0.isTLS ? "https" : "http" } ?? address.scheme ?? "http"
        let host = context.server?.host ?? address.host
        var row = ExchangeRow(
            id: ExchangeID(Int64(number)), connection: context.connection,
            api: api(host: host, address),
            method: head.method, scheme: scheme, host: host,
            port: context.server?.port ?? address.port ?? (scheme == "https" ? 443 : 80),
            path: address.path, query: address.query, version: head.version,
            startedAt: startedAt, requestPlace: Place(chunk: ChunkID(0), offset: 0))
        row.device = Device.identifier(in: head, query: address.query)
        row.requestEndedAt = requestEndedAt
        row.requestSize = requestSize
        guard let responseHead else { return row }
        row.status = responseHead.status
        row.reason = responseHead.reason
        row.respondedAt = respondedAt
        row.isLocal = isLocal
        row.responseSize = responseSize
        row.retryAfter = responseHead.first("retry-after").map { responseHead.text($0.value) }
        return row
    }

    /// What it is for.
    func api(_ context: GateContext) -> String {
        let address = RequestAddress(head)
        return api(host: context.server?.host ?? address.host, address)
    }

    private func api(host: String, _ address: RequestAddress) -> String {
        API.name(
            method: head.method, host: host, path: address.path, query: address.query,
            isUpgrade: head.asksForWebSocket)
    }

    /// Its messages as far as received.
    var contents: ExchangeContents {
        var messages = [
            ExchangeContents.Message(sender: .client, head: head, content: request)
        ]
        if let responseHead {
            messages.append(
                ExchangeContents.Message(sender: .server, head: responseHead, content: response))
        }
        return ExchangeContents(messages, notes: notes)
    }
}
