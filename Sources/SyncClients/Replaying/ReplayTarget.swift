public import Replaying

/// The live server that a recorded session is played to, and how: the same for both protocols.
public struct ReplayTarget: Sendable {
    /// The user that replaces the recorded one at login.
    public struct Login: Hashable, Sendable {
        /// The user.
        public var user: String
        /// The password.
        public var password: String

        /// A user with a password.
        public init(user: String, password: String) {
            self.user = user
            self.password = password
        }
    }

    /// The server for every recorded host that ``hosts`` does not contain.
    public var base: SimperiumTarget?
    /// Servers by recorded host, in lower case, with its port where it was given with one.
    public var hosts: [String: SimperiumTarget] = [:]
    /// The login in place of every recorded one; nil keeps the recorded credentials.
    ///
    /// The number of the client takes the place of the first `{}`.
    public var login: Login?
    /// Logins in place of those of single recorded users; they go before ``login``.
    public var logins: [String: Login] = [:]
    /// The access token in place of recorded ones that no answer of the live server replaces.
    public var token: String?
    /// A PEM file of authorities that are trusted besides those of the system.
    public var trustFile: String?
    /// Whether exactly the recorded bytes and identifiers are sent.
    public var isVerbatim = false
    /// How fast recorded pauses pass.
    public var pace = ReplayPace.asFastAsPossible
    /// What else takes no part in comparing.
    public var rules: [IgnoreRule] = []
    /// The random seed of everything that is synthesized; the players of one client share it.
    public var seed: UInt64 = 0
    /// Number of the played client among those that play at once, from 1.
    public var client = 1
    /// Clients that play at once, at least 1; with several, each needs distinct objects and cases.
    public var clients = 1
    /// Nanoseconds after which something that the recorded client waited for is missing.
    public var patience: Int64 = 10_000_000_000
    /// The order between the sockets and exchanges of one played client; nil where there is only
    /// one socket, which follows the messages of its own server.
    public var order: (any ReplayOrder)?

    /// A server for all recorded hosts.
    public init(base: SimperiumTarget? = nil) { self.base = base }

    /// Whether this client needs distinct identifiers: of cases, objects, devices.
    public var isOneOfSeveral: Bool { clients > 1 && !isVerbatim }

    /// The live server for a recorded host.
    ///
    /// - Parameter host: As the recording has it, with or without a port.
    /// - Returns: Nil where it has no server.
    public func server(for host: String) -> SimperiumTarget? {
        let name = host.lowercased()
        if let exact = hosts[name] { return exact }
        if !hosts.isEmpty, let bare = Self.withoutPort(name), let named = hosts[bare] {
            return named
        }
        return base
    }

    /// The URL of a request to the live server.
    ///
    /// - Parameters:
    ///   - host: The recorded host.
    ///   - path: Path without query, with its slash first.
    ///   - query: Query without question mark.
    /// - Returns: Nil where the host has no server.
    public func url(host: String, path: String, query: String?) -> String? {
        guard let server = server(for: host) else { return nil }
        let scheme = server.isSecure ? "https" : "http"
        let question = query.map { "?\($0)" } ?? ""
        return "\(scheme)://\(server.authority)\(server.prefix)\(path)\(question)"
    }

    /// The login in place of that of a recorded user.
    ///
    /// - Parameter user: The recorded user; nil where the recording does not contain it.
    /// - Returns: Nil keeps the recorded credentials.
    public func login(for user: String?) -> Login? {
        guard !isVerbatim else { return nil }
        return user.flatMap { logins[$0] } ?? login
    }

    /// The same for one of several clients.
    ///
    /// - Parameter number: Its number, which replaces `{}` in users and passwords.
    /// - Returns: The server with number and logins of this client.
    func numbered(_ number: Int) -> ReplayTarget {
        func filled(_ login: Login) -> Login {
            Login(user: filled(login.user), password: filled(login.password))
        }
        func filled(_ text: String) -> String {
            guard let start = text.firstIndex(of: "{"), text[start...].hasPrefix("{}") else {
                return text
            }
            let end = text.index(start, offsetBy: 2)
            return text[..<start] + String(number) + text[end...]
        }
        var target = self
        target.client = number
        target.login = login.map(filled)
        target.logins = logins.mapValues(filled)
        return target
    }

    private static func withoutPort(_ host: String) -> String? {
        guard let colon = host.lastIndex(of: ":"),
            host[host.index(after: colon)...].allSatisfy(\.isNumber),
            !host[..<colon].contains(":") || host[..<colon].hasSuffix("]")
        else { return nil }
        return String(host[..<colon])
    }
}
