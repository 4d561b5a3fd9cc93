import Dissection
import Framing
import Wire

/// An exchange whose response is not complete.
struct LiveExchange {
    /// Its number on this connection, from 1.
    let number: Int
    /// The head of the request.
    let head: HTTPHead
    /// What its response has to know of it.
    let kind: HTTPRequestKind
    /// Whether it asks for another protocol.
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
    /// What rules want done to the response since the request came.
    var deferred: [Firing] = []
    /// Whether it is a repetition, the answer to which the client is not to see.
    var isRepetition = false
    /// Whether its answer is one of our own.
    var isLocal = false
    /// Whether the client was told to go on in the server's place.
    var isAskedToContinue = false

    init(number: Int, head: HTTPHead, at: Instant) {
        self.number = number
        self.head = head
        kind = HTTPRequestKind(head)
        isUpgrade =
            head.first("upgrade") != nil && head.contains(token: "upgrade", in: "connection")
        startedAt = at
    }

    /// Whether `server` is the one that a request to a proxy asks for.
    func isFor(_ server: GateContext.Server) -> Bool {
        guard let authority = (try? head.parsedTarget())?.authority else { return true }
        return authority.host == server.host && authority.port == server.port
    }

    /// Remembers what was noticed; a trace has it as often, a filter asks only whether it is there.
    mutating func add(note: String) {
        if !notes.contains(note) { notes.append(note) }
    }

    /// Whether nothing but its response has to be waited for.
    var isPlain: Bool { deferred.isEmpty && !isRepetition && !isAskedToContinue }

    /// What a trace would say of it now.
    ///
    /// In front of a server it is the server's own address that counts, as in a trace.
    func row(_ context: GateContext) -> ExchangeRow {
        let address = RequestAddress(head)
        // What the client speaks to the proxy says nothing about the server.
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

    /// Its messages as far as they came.
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
