internal import Wire

/// Which exchanges ask again for an answer that was being prepared (202).
///
/// A 202 and the next request with the same method, host, path and query belong together, up to
/// the first answer that is no 202.
struct HTTPPollChains: Sendable {
    /// The answers of the live server in one chain.
    struct Chain: Sendable {
        /// The final answer, where it came before the recording has it.
        var final: HTTPPlayAnswer?
        /// When the server is to be polled again.
        var notBefore: Instant?
    }

    private struct Key: Hashable {
        var host: String
        var path: String
        var query: String?
    }

    /// The first exchange of the chain that an exchange belongs to.
    private var first: [ExchangeID: ExchangeID] = [:]
    /// The last of each chain, by the first.
    private var last: [ExchangeID: ExchangeID] = [:]
    private var states: [ExchangeID: Chain] = [:]

    init(_ exchanges: some Sequence<RecordedExchange>) {
        var open: [Key: ExchangeID] = [:]
        for exchange in exchanges where exchange.method == "GET" {
            guard !open.isEmpty || exchange.status == 202 else { continue }
            let key = Key(host: exchange.host, path: exchange.path, query: exchange.query)
            let begun = open[key]
            guard begun != nil || exchange.status == 202 else { continue }
            let head = begun ?? exchange.id
            first[exchange.id] = head
            last[head] = exchange.id
            open[key] = exchange.status == 202 ? head : nil
        }
    }

    /// Whether the exchange belongs to a chain.
    func contains(_ id: ExchangeID) -> Bool { first[id] != nil }

    /// Whether it is the last of its chain.
    func isLast(_ id: ExchangeID) -> Bool { first[id].map { last[$0] == id } ?? true }

    subscript(id: ExchangeID) -> Chain {
        get { first[id].flatMap { states[$0] } ?? Chain() }
        set {
            guard let head = first[id] else { return }
            states[head] = newValue
        }
    }

    /// Removes the answers of a completed chain.
    mutating func end(_ id: ExchangeID) {
        guard let head = first[id] else { return }
        states[head] = nil
    }
}
