/// How servers are connected to.
public struct Outward: Hashable, Sendable {
    /// Addresses for a host and port, in place of those of a name server.
    public struct Answer: Hashable, Sendable {
        /// The host, in lower case; nil for every host.
        public var host: String?
        /// The port.
        public var port: Int
        /// IP addresses, the one to try first at the front.
        public var addresses: [String]

        /// The addresses of `host` for connections to `port`.
        public init(host: String?, port: Int, addresses: [String]) {
            self.host = host
            self.port = port
            self.addresses = addresses
        }
    }

    /// The address of this machine to connect from; nil for the one that the system takes.
    public var bind: String?
    /// Names and their addresses; the first that fits counts.
    public var answers: [Answer]

    /// Connections from `bind`, with these answers.
    public init(bind: String? = nil, answers: [Answer] = []) {
        self.bind = bind
        self.answers = answers
    }

    /// Whether a text is an IP address, without brackets.
    public static func isAddress(_ text: String) -> Bool {
        text.first != "[" && AddressText.bytes(text) != nil
    }

    /// The addresses that were given for a host; nil for none.
    func answer(for host: String, port: Int) -> [String]? {
        guard !answers.isEmpty else { return nil }
        let host = host.lowercased()
        return answers.first { $0.port == port && ($0.host == nil || $0.host == host) }?.addresses
    }
}
