internal import Framing
internal import Replaying
internal import Wire

/// Which recorded exchange answers a live request, and how its answer is given now.
///
/// A class, since a copy of all that it has would be made for each request that is looked up in it.
final class RecordedReplies {
    let source: ReplaySource
    var http: HTTPReplay
    private let onlyHost: String?

    /// The replies of `source`, where `leftOut` takes no part in comparisons.
    init(_ source: ReplaySource, leftOut: LeftOut) {
        self.source = source
        onlyHost = source.exchanges.onlyHost
        http = HTTPReplay(
            source.exchanges, rules: .init(leftOut: leftOut), fetch: source.message)
    }

    /// A request as it is compared.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - server: The server that it is for; nil for what the request says.
    /// - Returns: The request with the host that the recording has for that server.
    func replayed(_ request: LiveRequest, for server: HTTPAuthority? = nil) -> ReplayRequest {
        let authority = onlyHost == nil ? server ?? request.authority : nil
        let host =
            onlyHost
            ?? source.exchanges.host(
                meantBy: authority?.host, port: authority?.port ?? 80, method: request.head.method,
                path: request.target.path)
        return request.replayed(host: host)
    }

    /// The recorded response, with the identifiers of live devices for the cases that they made.
    func response(_ exchange: ExchangeID) -> RecordedResponse? {
        guard var response = source.response(exchange) else { return nil }
        guard let body = bound(exchange) else { return response }
        response.body = body
        response.fields.removeAll { ["content-encoding", "etag"].contains($0.name.lowercased()) }
        return response
    }

    /// The body of a recorded response, where live devices have another identifier for something in
    /// it.
    func bound(_ exchange: ExchangeID) -> [UInt8]? {
        guard !http.cases.isEmpty else { return nil }
        return source.message(exchange, .server).flatMap { http.rewritten($0.body) }
    }

    /// How a response that leads elsewhere leads to Tapedeck; nil where it leads nowhere, and where it
    /// stays what it is.
    func rewrite(
        _ response: RecordedResponse, of exchange: RecordedExchange, to request: LiveRequest
    ) -> LocationRewrite? {
        guard response.has("location") || response.has("content-location") else { return nil }
        // Through a proxy the client gets to the recorded address as it is.
        guard request.proxied == nil, let live = request.head.value(of: "host") else { return nil }
        var recorded: Set<HTTPAuthority> = []
        var names = source.listeners
        names.insert(exchange.host)
        if let own = source.message(exchange.id, .client)?.value("host") { names.insert(own) }
        for name in names {
            for port in [80, 443] {
                if let one = try? HTTPAuthority.parse(name, defaultPort: port) {
                    recorded.insert(one)
                }
            }
        }
        return LocationRewrite(recorded: recorded, live: live, isSecure: request.isSecure)
    }
}

@available(*, unavailable)
extension RecordedReplies: Sendable {}
