import Framing

/// Requests that a proxy gets itself, with who asks in each of them.
///
/// A value without I/O. It keeps what is unanswered, as far as there is room, so that all of it can be
/// sent once more where the proxy wants to know who asks in another way: a password or a nonce that is too
/// old may be found out with any request. The client sees nothing of that. Source: RFC 9110, 11.7.
struct ProxiedRequests {
    /// What comes of bytes of the proxy.
    enum Step: Hashable {
        /// The client's side gets these bytes.
        case pass([UInt8])
        /// What is unanswered is to be sent again, with an answer to this, on another connection.
        case challenged(ProxyChallenge)
        /// What is unanswered cannot be sent again, for this reason; what follows can have an answer.
        case missed(ProxyChallenge, String)
        /// There is no way through the proxy, for this reason.
        case failed(String)
    }

    /// The value of `Proxy-Authorization` for a request, by method and target.
    typealias Authorize = (_ method: String, _ target: String) -> String

    /// Bytes of unanswered requests that are kept to be sent again.
    static let mostKept = 64 << 10
    /// How often a request is sent, where the proxy says that the nonce was too old.
    private static let mostAttempts = 4

    /// A request that was sent.
    private struct Sent {
        let kind: HTTPRequestKind
        let method: String
        let target: String
        /// Where the field stands.
        let place: Int
        /// The request without that field, as far as it came.
        var bytes: [UInt8]
        /// Whether these are all bytes that came of it.
        var isWhole = true
    }

    private var requests = HTTPFramer(role: .request)
    private var responses = HTTPFramer(role: .response)
    /// Requests without an answer, oldest first.
    private var sent: [Sent] = []
    private var kept = 0
    /// The start of a head of the client's side, and of one of the proxy.
    private var partial: [UInt8] = []
    private var held: [UInt8] = []
    /// Whether the last bytes of the client's side, and of the proxy, are within a message.
    private var isInRequest = false
    private var isInResponse = false
    private var isFinal = false
    /// Whether both directions can be framed: after an odd one everything passes as it is.
    private var isFramed = true
    /// Whether what is unanswered is to be sent again, and nothing is sent until then.
    private(set) var isWaiting = false
    private var attempts = 1
    /// How the proxy was last answered for the oldest request: by Basic, or to a challenge of its own.
    private var saidBasic = false
    private var lastScheme: ProxyChallenge.Scheme?

    // MARK: To the proxy

    /// Takes bytes for the proxy.
    ///
    /// - Returns: What it gets now.
    mutating func send(_ bytes: [UInt8], _ authorize: Authorize) -> [UInt8] {
        guard isFramed else { return isWaiting ? [] : bytes }
        // What looked like a request for another protocol was answered in this one.
        if requests.isPaused, sent.isEmpty { requests.resume(.http) }
        var events: [HTTPEvent] = []
        let taken = requests.consume(bytes.span, into: &events)
        var result: [UInt8] = []
        var position = 0
        for event in events {
            switch event {
            case .head(let head, let end):
                partial = []
                result += begin(head, authorize)
                position = end
            case .end(let at):
                result += go(on: bytes[position..<at])
                position = at
                isInRequest = false
            case .failure:
                isFramed = false
            case .content, .trailers, .note, .opaque: continue
            }
        }
        // After a request for another protocol nothing is framed.
        if taken < bytes.count { isFramed = false }
        let rest = bytes[position...]
        if !isFramed {
            result += partial + rest
            partial = []
            loseAll()
        } else if isInRequest {
            result += go(on: rest)
        } else {
            partial += rest
        }
        return isWaiting ? [] : result
    }

    /// The client's side has ended; gives what was held of a head that will not be complete.
    mutating func finishSending() -> [UInt8] {
        defer { partial = [] }
        return isWaiting ? [] : partial
    }

    /// A head came: what is sent of it.
    private mutating func begin(_ head: HTTPHead, _ authorize: Authorize) -> [UInt8] {
        let request = Sent(
            kind: HTTPRequestKind(head), method: head.method, target: head.target,
            place: head.fields.first?.line.lowerBound ?? max(0, head.bytes.count - 2),
            bytes: head.bytes)
        responses.expect(request.kind)
        sent.append(request)
        isInRequest = true
        keep(head.bytes.count)
        return text(request, authorize)
    }

    /// More of the request that is sent last.
    private mutating func go(on bytes: ArraySlice<UInt8>) -> [UInt8] {
        if !sent.isEmpty, sent[sent.count - 1].isWhole, !bytes.isEmpty {
            sent[sent.count - 1].bytes += bytes
            keep(bytes.count)
        }
        return Array(bytes)
    }

    /// Counts what is kept of the last request, or gives it up where it is too much.
    private mutating func keep(_ count: Int) {
        kept += count
        guard kept > Self.mostKept else { return }
        let last = sent.count - 1
        kept -= sent[last].bytes.count
        sent[last].bytes = []
        sent[last].isWhole = false
    }

    private mutating func loseAll() {
        kept = 0
        for index in sent.indices {
            sent[index].bytes = []
            sent[index].isWhole = false
        }
    }

    /// A request with the field.
    private mutating func text(_ request: Sent, _ authorize: Authorize) -> [UInt8] {
        let value = authorize(request.method, request.target)
        saidBasic = value.hasPrefix("Basic ")
        return request.bytes[..<request.place] + Array("Proxy-Authorization: \(value)\r\n".utf8)
            + request.bytes[request.place...]
    }

    /// Everything that is unanswered once more, for a new connection.
    ///
    /// - Returns: What is sent; nil where more came meanwhile than could be kept.
    mutating func again(_ authorize: Authorize) -> [UInt8]? {
        isWaiting = false
        guard isFramed, sent.allSatisfy(\.isWhole) else { return nil }
        responses = HTTPFramer(role: .response)
        (held, isInResponse) = ([], false)
        for request in sent { responses.expect(request.kind) }
        return sent.flatMap { text($0, authorize) }
    }

    // MARK: From the proxy

    /// Takes bytes of the proxy.
    mutating func receive(_ bytes: [UInt8]) -> [Step] {
        guard !isWaiting else { return [] }
        guard isFramed else { return pass(bytes[...]) }
        var events: [HTTPEvent] = []
        let taken = responses.consume(bytes.span, into: &events)
        var passed: [UInt8] = []
        var position = 0
        for event in events {
            switch event {
            case .head(let head, let end):
                if head.status == 407, !sent.isEmpty {
                    let before: [Step] = passed.isEmpty ? [] : [.pass(passed)]
                    return before + [challenge(head)]
                }
                passed += held + bytes[position..<end]
                (held, position) = ([], end)
                isInResponse = true
                isFinal = !(100..<200).contains(head.status ?? 0) || head.status == 101
                if isFinal { (attempts, lastScheme) = (1, nil) }
            case .end(let at):
                passed += bytes[position..<at]
                position = at
                isInResponse = false
                if isFinal, !sent.isEmpty { kept -= sent.removeFirst().bytes.count }
            case .failure:
                isFramed = false
            case .content, .trailers, .note, .opaque: continue
            }
        }
        if taken < bytes.count { isFramed = false }
        let rest = bytes[position...]
        if !isFramed || isInResponse {
            if !isFramed { loseAll() }
            return pass(passed + held + rest)
        }
        held += rest
        return pass(passed[...])
    }

    /// The proxy has ended; gives what was held of a head that will not be complete.
    mutating func finishReceiving() -> [UInt8] {
        defer { held = [] }
        return isWaiting ? [] : held
    }

    private mutating func pass(_ bytes: some Collection<UInt8>) -> [Step] {
        if !isFramed || isInResponse { held = [] }
        return bytes.isEmpty ? [] : [.pass(Array(bytes))]
    }

    /// The proxy wants to know who asks.
    private mutating func challenge(_ head: HTTPHead) -> Step {
        let fields = head.all("proxy-authenticate").map { head.text($0.value) }
        guard let challenge = ProxyChallenge.best(of: fields) else {
            let ways = fields.map { $0.prefix { $0 != " " } }.joined(separator: ", ")
            return .failed(
                "it answered with 407: of its ways to log in (\(ways)) none is supported")
        }
        // Where nothing is known, Basic is tried before it is asked for.
        let isAnswered =
            challenge.scheme == .basic
            ? saidBasic : challenge.scheme == lastScheme && !challenge.isStale
        if isAnswered || attempts >= Self.mostAttempts {
            return .failed("it does not accept the user and the password")
        }
        guard sent.allSatisfy(\.isWhole) else {
            return .missed(
                challenge,
                "it wants to know who asks in another way (407), and more of the request came than the "
                    + "\(Self.mostKept >> 10) KiB that are kept to be sent again; the next one says it at once"
            )
        }
        attempts += 1
        lastScheme = challenge.scheme
        isWaiting = true
        return .challenged(challenge)
    }
}
