package import Framing
internal import Replaying
internal import Synchronization
internal import Wire

/// The HTTP answers of a recording, held in memory for live requests.
///
/// Matched as by a replayed server, with the same state: which of several equal requests comes next.
package final class RecordedAnswers: Sendable {
    /// What a recording has for a request.
    package enum Answer: Hashable, Sendable {
        /// The bytes of an answer, and whether the connection ends after it.
        case recorded([UInt8], closes: Bool)
        /// Nothing; the reason in words.
        case missed(String)
    }

    /// A recording with more than ``maximumBytes``.
    package struct TooLarge: Error {}

    /// The maximum number of bytes of all requests and answers together.
    package static let maximumBytes = 256 << 20

    private let replies: Mutex<RecordedReplies>

    /// Reads the HTTP of `source`; what changed to another protocol is left out.
    ///
    /// - Throws: ``TooLarge``.
    package convenience init(_ source: ReplaySource) throws(TooLarge) {
        try self.init(source, maximumBytes: Self.maximumBytes)
    }

    init(_ source: ReplaySource, maximumBytes: Int) throws(TooLarge) {
        let held = try HeldMessages(source, maximumBytes: maximumBytes)
        replies = Mutex(
            RecordedReplies(
                ReplaySource(
                    exchanges: source.exchanges, listeners: source.listeners,
                    message: { held.message($0, $1) }, response: { held.responses[$0] }),
                leftOut: .usual))
    }

    /// Finds the answer to a request and counts it as used.
    ///
    /// - Parameters:
    ///   - head: The head of the request.
    ///   - body: Its content without transfer coding.
    ///   - server: Host and port of the server that it is for; nil for what the request says.
    ///   - isSecure: Whether the client uses TLS.
    /// - Returns: The answer, of which the body is not chunked.
    package func answer(
        _ head: HTTPHead, body: [UInt8], server: (host: String, port: Int)?, isSecure: Bool
    ) -> Answer {
        guard let target = try? head.parsedTarget() else {
            return .missed("the target of the request is malformed")
        }
        let request = LiveRequest(
            LiveRequest(head, target, proxied: nil, isSecure: isSecure), body: body)
        let authority = server.flatMap {
            try? HTTPAuthority.parse(
                $0.host.contains(":") ? "[\($0.host)]" : $0.host, defaultPort: $0.port)
        }
        return replies.withLock { replies in
            let exchange: RecordedExchange
            switch replies.http.answer(replies.replayed(request, for: authority)) {
            case .recorded(let found): exchange = found
            case .missed(let miss):
                return .missed("the recording has no answer: \(miss.reason.description)")
            }
            guard var response = replies.response(exchange.id), response.status >= 200 else {
                return .missed("exchange \(exchange.id) of the recording has no answer")
            }
            // Stated as a length: the receiver of these bytes may change the body.
            response.fields.removeAll { $0.name.lowercased() == "transfer-encoding" }
            let rewrite = replies.rewrite(response, of: exchange, to: request)
            let bytes = AnswerBytes(response, to: request.framing) {
                rewrite?.applied(to: $0) ?? $0
            }
            return .recorded(bytes.head + bytes.body, closes: bytes.closes)
        }
    }
}

/// Messages of a recording in memory.
private struct HeldMessages: Sendable {
    private var requests: [ExchangeID: ReplayMessage] = [:]
    private(set) var responses: [ExchangeID: RecordedResponse] = [:]

    init(
        _ source: ReplaySource, maximumBytes: Int
    ) throws(RecordedAnswers.TooLarge) {
        var left = maximumBytes
        for exchange in source.exchanges where exchange.status != 101 {
            if let request = source.message(exchange.id, .client) {
                left -= Self.size(request.fields) + request.body.count
                requests[exchange.id] = request
            }
            if let response = source.response(exchange.id) {
                left -= Self.size(response.fields) + response.body.count
                responses[exchange.id] = response
            }
            guard left >= 0 else { throw RecordedAnswers.TooLarge() }
        }
    }

    private static func size(_ fields: [ReplayMessage.Field]) -> Int {
        fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
    }

    func message(_ id: ExchangeID, _ peer: Peer) -> ReplayMessage? {
        guard peer == .server else { return requests[id] }
        guard let response = responses[id] else { return nil }
        let message = ReplayMessage(fields: response.fields, body: response.body)
        return ReplayMessage(
            fields: response.fields,
            body: DecodedContent.of(response.body, codings: message.value("content-encoding")))
    }
}
