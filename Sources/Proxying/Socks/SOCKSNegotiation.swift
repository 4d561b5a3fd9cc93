/// What a client of SOCKS says before it is connected, and what it is answered.
///
/// A value without I/O: it eats the client's bytes and says what to send and where to connect. Source:
/// RFC 1928 (version 5), RFC 1929 (user and password), "SOCKS: A protocol for TCP proxy across
/// firewalls" and "SOCKS 4A" (version 4, and names in it).
struct SOCKSNegotiation: Hashable {
    /// What is to be done.
    enum Step: Hashable {
        /// The client gets these bytes.
        case send([UInt8])
        /// The client asks for this server; ``granted`` or ``refused(_:)`` is the answer.
        case connect(host: String, port: Int)
        /// The client gets these bytes, which may be none, and is hung up on.
        case refuse([UInt8], why: String)
    }

    /// What the client says next.
    private enum State: Hashable {
        case greeting
        case password
        case request
        case over
    }

    /// The name and password that clients have to give; nil where any will do, or none.
    let credentials: SOCKSCredentials?
    /// Version of the protocol, 4 or 5; 0 before its first byte.
    private(set) var version: UInt8 = 0
    /// Bytes that were received and are not understood yet; afterwards those that follow.
    private(set) var held: [UInt8] = []
    private var state = State.greeting

    /// A negotiation that begins.
    init(credentials: SOCKSCredentials? = nil) { self.credentials = credentials }

    /// Whether a client that sends `byte` first uses SOCKS.
    static func begins(with byte: UInt8) -> Bool { byte == 4 || byte == 5 }

    /// Takes what the client sent.
    ///
    /// - Returns: What is to be done, in order; nothing more after a server or a refusal.
    mutating func consume(_ bytes: some Sequence<UInt8>) -> [Step] {
        held += bytes
        var steps: [Step] = []
        while state != .over, let step = next() { steps.append(step) }
        return steps
    }

    /// The bytes behind the request, which are for the server and no longer kept here.
    mutating func takeRest() -> [UInt8] {
        defer { held = [] }
        return held
    }

    /// The answer to a client whose server is connected.
    var granted: [UInt8] { reply(version == 4 ? 90 : 0) }

    /// The answer to a client whose server could not be connected.
    func refused(_ cause: Unreachable) -> [UInt8] {
        guard version == 5 else { return reply(91) }
        let code: UInt8 =
            switch cause {
            case .other: 1
            case .forbidden: 2
            case .noNetwork: 3
            case .noHost: 4
            case .refused: 5
            case .timedOut: 6
            }
        return reply(code)
    }

    /// An answer with this code; the address of our end, which it also has room for, is not in it.
    private func reply(_ code: UInt8) -> [UInt8] {
        version == 4 ? [0, code, 0, 0, 0, 0, 0, 0] : [5, code, 0, 1, 0, 0, 0, 0, 0, 0]
    }

    // MARK: Reading

    /// Reads the next message where all of it is there.
    private mutating func next() -> Step? {
        guard let first = held.first else { return nil }
        switch state {
        case .greeting:
            version = first
            switch first {
            case 4: return requestOfVersion4()
            case 5: return greeting()
            default: return refuse([], "version \(first) of SOCKS")
            }
        case .password: return password()
        case .request: return request()
        case .over: return nil
        }
    }

    /// The methods that a client offers: version, their number, the methods (RFC 1928, 3).
    private mutating func greeting() -> Step? {
        guard held.count >= 2, held.count >= 2 + Int(held[1]) else { return nil }
        let methods = held[2..<2 + Int(held[1])]
        drop(2 + methods.count)
        let (open, named): (UInt8, UInt8) = (0, 2)
        if credentials == nil, methods.contains(open) {
            state = .request
            return .send([5, open])
        }
        if methods.contains(named) {
            state = .password
            return .send([5, named])
        }
        return refuse(
            [5, 0xFF],
            credentials == nil
                ? "the client offers no way to log in that is known here"
                : "the client has no user and password, which this listener wants")
    }

    /// Version 1, name and password, each after its length (RFC 1929, 2).
    private mutating func password() -> Step? {
        guard held[0] == 1 else { return refuse([1, 1], "a password message that is none") }
        guard held.count >= 2 else { return nil }
        let name = 2..<2 + Int(held[1])
        guard held.count > name.upperBound else { return nil }
        let word = name.upperBound + 1..<name.upperBound + 1 + Int(held[name.upperBound])
        guard held.count >= word.upperBound else { return nil }
        let isAllowed = credentials?.allow(held[name], held[word]) ?? true
        drop(word.upperBound)
        guard isAllowed else { return refuse([1, 1], "the user or the password is wrong") }
        state = .request
        return .send([1, 0])
    }

    /// Version, command, a zero, the kind of address, the address and the port (RFC 1928, 4).
    private mutating func request() -> Step? {
        guard held[0] == 5 else { return refuse(reply(1), "a request that is none") }
        guard held.count >= 5 else { return nil }
        let address: Range<Int>
        switch held[3] {
        case 1: address = 4..<8
        case 3: address = 5..<5 + Int(held[4])
        case 4: address = 4..<20
        case let kind: return refuse(reply(8), "addresses of kind \(kind)")
        }
        let end = address.upperBound + 2
        guard held.count >= end else { return nil }
        let command = held[1]
        let bytes = Array(held[address])
        let host =
            held[3] == 3 ? String(validating: bytes, as: UTF8.self) : AddressText.text(bytes)
        let port = Int(held[end - 2]) << 8 | Int(held[end - 1])
        drop(end)
        guard command == 1 else { return refuse(reply(7), Self.name(ofCommand: command)) }
        return connect(host, port)
    }

    /// Version, command, port, address, a user's name and, where the address is 0.0.0.x, a host's
    /// name, each name with a zero at its end.
    private mutating func requestOfVersion4() -> Step? {
        guard held.count >= 9 else { return nil }
        guard credentials == nil else {
            return refuse(
                reply(93), "version 4 of SOCKS has no passwords, and this listener wants one")
        }
        let isNamed = held[4..<7].allSatisfy { $0 == 0 } && held[7] != 0
        guard let user = zero(from: 8), let name = isNamed ? zero(from: user + 1) : user else {
            return held.count > Self.longest ? refuse(reply(91), "a name that does not end") : nil
        }
        let command = held[1]
        let host =
            isNamed
            ? String(validating: held[(user + 1)..<name], as: UTF8.self)
            : AddressText.text(Array(held[4..<8]))
        let port = Int(held[2]) << 8 | Int(held[3])
        drop(name + 1)
        guard command == 1 else { return refuse(reply(91), Self.name(ofCommand: command)) }
        return connect(host, port)
    }

    /// The longest request of version 4 that is waited for, in bytes.
    private static let longest = 1_024

    private func zero(from start: Int) -> Int? {
        guard start < held.count else { return nil }
        return held[start...].firstIndex(of: 0)
    }

    private mutating func connect(_ host: String?, _ port: Int) -> Step {
        guard let host, port > 0, !host.isEmpty,
            host.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else {
            return refuse(refused(.other), "a server without a name or a port")
        }
        state = .over
        return .connect(host: host.lowercased(), port: port)
    }

    private mutating func refuse(_ answer: [UInt8], _ why: String) -> Step {
        state = .over
        return .refuse(answer, why: why)
    }

    private mutating func drop(_ count: Int) { held.removeFirst(count) }

    private static func name(ofCommand command: UInt8) -> String {
        switch command {
        case 2: "BIND is not supported: only connections to servers are"
        case 3: "UDP is not supported (UDP ASSOCIATE): only connections to servers are"
        default: "command \(command) is not supported"
        }
    }
}

/// What clients of a listener have to say before they are served.
public struct SOCKSCredentials: Hashable, Sendable {
    private let user: [UInt8]
    private let password: [UInt8]

    /// A name and its password.
    public init(user: String, password: String) {
        self.user = Array(user.utf8)
        self.password = Array(password.utf8)
    }

    /// Whether they are the same, in a time that does not depend on how far they are.
    func allow(_ user: ArraySlice<UInt8>, _ password: ArraySlice<UInt8>) -> Bool {
        let isUser = Self.isSame(user, self.user)
        let isPassword = Self.isSame(password, self.password)
        return isUser && isPassword
    }

    private static func isSame(_ one: ArraySlice<UInt8>, _ other: [UInt8]) -> Bool {
        guard one.count == other.count else { return false }
        return zip(one, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
