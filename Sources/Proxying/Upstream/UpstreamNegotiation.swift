import Framing

/// What is said to another proxy until it has connected a server.
///
/// A value without I/O: it gives the first bytes to send, eats what the proxy answers, and says what
/// comes of it. Source: RFC 9110, 9.3.6 (CONNECT); RFC 1928 and RFC 1929 (SOCKS 5).
struct UpstreamNegotiation {
    /// What is to be done.
    enum Step: Hashable {
        /// The proxy gets these bytes.
        case send([UInt8])
        /// The server is connected; these bytes are the first of it.
        case connected([UInt8])
        /// The proxy wants to know who asks, and may be asked again on another connection.
        case challenged(ProxyChallenge)
        /// There is no way through this proxy, for this reason.
        case failed(String)
    }

    private enum State: Hashable {
        /// The head of the answer to CONNECT is awaited.
        case response
        /// The method of SOCKS is awaited.
        case method
        /// The answer to a user and password is awaited.
        case password
        /// The answer to a request of SOCKS is awaited.
        case reply
        case over
    }

    private let proxy: UpstreamProxy
    private let target: String
    private let server: ServerAddress
    /// Whether credentials were sent to the proxy.
    private let isAuthorized: Bool
    private var state: State
    private var framer = HTTPFramer(role: .response)
    private var held: [UInt8] = []

    /// A negotiation for `server`.
    ///
    /// - Parameters:
    ///   - proxy: The proxy.
    ///   - server: What it is to connect.
    ///   - authorization: The value of `Proxy-Authorization` for CONNECT; nil for none.
    ///   - steps: Gains what is to be sent first.
    init(
        _ proxy: UpstreamProxy, to server: ServerAddress, authorization: String?,
        into steps: inout [Step]
    ) {
        self.proxy = proxy
        self.server = server
        target = server.place
        isAuthorized = authorization != nil
        switch proxy.kind {
        case .http, .https:
            state = .response
            framer.expect(.connect)
            let field = authorization.map { "Proxy-Authorization: \($0)\r\n" } ?? ""
            steps.append(
                .send(Array("CONNECT \(target) HTTP/1.1\r\nHost: \(target)\r\n\(field)\r\n".utf8)))
        case .socks5:
            state = .method
            steps.append(.send(proxy.credentials == nil ? [5, 1, 0] : [5, 2, 0, 2]))
        }
    }

    /// Takes what the proxy sent.
    mutating func consume(_ bytes: [UInt8]) -> [Step] {
        guard state != .over else { return [] }
        if state == .response { return response(bytes) }
        held += bytes
        var steps: [Step] = []
        while state != .over, let step = next() { steps.append(step) }
        return steps
    }

    /// The proxy ended the connection.
    mutating func ended() -> [Step] {
        guard state != .over else { return [] }
        return [fail("it closed the connection before it had connected the server")]
    }

    private mutating func fail(_ why: String) -> Step {
        state = .over
        return .failed("the upstream proxy \(proxy.address): \(why)")
    }

    // MARK: HTTP

    private mutating func response(_ bytes: [UInt8]) -> [Step] {
        var events: [HTTPEvent] = []
        let taken = framer.consume(bytes.span, into: &events)
        for event in events {
            switch event {
            case .head(let head, _):
                let status = head.status ?? 0
                if (100..<200).contains(status), status != 101 { continue }
                if (200..<300).contains(status) {
                    state = .over
                    return [.connected(Array(bytes[taken...]))]
                }
                return [refused(status, head)]
            case .failure(let error): return [fail("its answer cannot be read: \(error)")]
            default: continue
            }
        }
        return []
    }

    private mutating func refused(_ status: Int, _ head: HTTPHead) -> Step {
        let reason = "it answered CONNECT \(target) with \(status)"
        guard status == 407 else { return fail(reason) }
        let fields = head.all("proxy-authenticate").map { head.text($0.value) }
        guard proxy.credentials != nil else {
            return fail("\(reason): it wants a user and a password, \(Self.advice)")
        }
        guard let challenge = ProxyChallenge.best(of: fields) else {
            let ways = fields.map { $0.prefix { $0 != " " } }.joined(separator: ", ")
            return fail("\(reason): of its ways to log in (\(ways)) none is supported")
        }
        if isAuthorized, !challenge.isStale, challenge.scheme == .basic {
            return fail("\(reason): it does not accept the user and the password")
        }
        state = .over
        return .challenged(challenge)
    }

    /// How credentials are given.
    private static let advice = "--upstream SCHEME://USER:PASSWORD@HOST:PORT"

    // MARK: SOCKS

    private mutating func next() -> Step? {
        switch state {
        case .method:
            guard held.count >= 2 else { return nil }
            let method = held[1]
            guard held[0] == 5 else { return fail("it does not speak SOCKS 5") }
            held.removeFirst(2)
            switch (method, proxy.credentials) {
            case (0, _):
                state = .reply
                return request()
            case (2, let credentials?):
                state = .password
                let user = Array(credentials.user.utf8.prefix(255))
                let password = Array(credentials.password.utf8.prefix(255))
                return .send([1, UInt8(user.count)] + user + [UInt8(password.count)] + password)
            default:
                return fail(
                    proxy.credentials == nil
                        ? "it wants a user and a password, \(Self.advice)"
                        : "it takes no user and password")
            }
        case .password:
            guard held.count >= 2 else { return nil }
            guard held[1] == 0 else {
                return fail("it does not accept the user and the password")
            }
            held.removeFirst(2)
            state = .reply
            return request()
        case .reply:
            guard held.count >= 5 else { return nil }
            guard held[1] == 0 else { return fail(Self.reason(held[1], target)) }
            let length: Int
            switch held[3] {
            case 1: length = 10
            case 4: length = 22
            case 3: length = 7 + Int(held[4])
            default: return fail("its answer cannot be read")
            }
            guard held.count >= length else { return nil }
            state = .over
            return .connected(Array(held[length...]))
        case .response, .over: return nil
        }
    }

    /// The request for a server by its name, which the proxy resolves.
    private func request() -> Step {
        let port = [UInt8(server.port >> 8 & 255), UInt8(server.port & 255)]
        if let address = AddressText.bytes(server.host) {
            return .send([5, 1, 0, address.count == 4 ? 1 : 4] + address + port)
        }
        let name = Array(server.host.utf8.prefix(255))
        return .send([5, 1, 0, 3, UInt8(name.count)] + name + port)
    }

    /// What a code means (RFC 1928, 6).
    private static func reason(_ code: UInt8, _ target: String) -> String {
        let what =
            switch code {
            case 1: "general failure"
            case 2: "its rules forbid it"
            case 3: "network unreachable"
            case 4: "host unreachable"
            case 5: "connection refused"
            case 6: "it took too long"
            case 7: "it does not connect to servers"
            case 8: "it does not know this kind of address"
            default: "code \(code)"
            }
        return "no connection to \(target): \(what)"
    }
}
