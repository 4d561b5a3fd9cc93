/// The last recorded request whose key was made: polling clients repeat the same request.
struct KeyMemory: Sendable {
    private var query: String?
    private var message = ReplayMessage()
    private var known: RequestKey?

    /// Bytes of the largest body that is kept.
    static let most = 1 << 16

    /// The key of a request, made again only where the request differs from the last one.
    mutating func key(
        _ query: String?, _ message: ReplayMessage, _ rules: HTTPReplay.Rules
    ) -> RequestKey {
        if let known, query == self.query, message == self.message { return known }
        let key = RequestKey(query: query, message: message, rules: rules)
        guard message.body.count <= Self.most else { return key }
        self.query = query
        self.message = message
        known = key
        return key
    }
}
