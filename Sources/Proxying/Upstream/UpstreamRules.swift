/// Which servers are reached through which proxy.
public struct UpstreamRules: Hashable, Sendable {
    /// One rule: servers, and the proxy for them.
    public struct Rule: Hashable, Sendable {
        /// The servers that it is about; nil for all.
        public var hosts: HostPattern?
        /// Whether it is about servers with TLS alone, or about those without; nil for either.
        public var isTLS: Bool?
        /// The proxy; nil where servers are connected to directly.
        public var proxy: UpstreamProxy?

        /// A rule with these values.
        public init(hosts: HostPattern? = nil, isTLS: Bool? = nil, proxy: UpstreamProxy?) {
            self.hosts = hosts
            self.isTLS = isTLS
            self.proxy = proxy
        }
    }

    /// The rules; the first that is about a server counts, those about hosts before those about all.
    public var rules: [Rule]
    /// Servers that are connected to directly where no rule is about their host.
    public var exceptions: ProxyExceptions

    /// No proxies.
    public init(_ rules: [Rule] = [], exceptions: ProxyExceptions = ProxyExceptions("")) {
        self.rules = rules
        self.exceptions = exceptions
    }

    /// The proxy for a server; nil where it is connected to directly.
    ///
    /// - Parameters:
    ///   - server: The server.
    ///   - isTunnel: Whether bytes of any kind are for it, which is where TLS is used.
    /// - Returns: That of the rule about its host, else that of the rule about all.
    func proxy(for server: ServerAddress, isTunnel: Bool) -> UpstreamProxy? {
        guard !rules.isEmpty else { return nil }
        let host = server.host.lowercased()
        let isTLS = server.isTLS || isTunnel
        let fitting = rules.filter { $0.isTLS == nil || $0.isTLS == isTLS }
        if let rule = fitting.first(where: { $0.hosts?.matches(host) == true }) {
            return rule.proxy
        }
        if exceptions.cover(host, port: server.port) { return nil }
        return fitting.first { $0.hosts == nil }?.proxy
    }
}

/// Servers that no proxy is used for, as `NO_PROXY` lists them.
///
/// There is no standard. A list separated by commas or blanks; an entry is a name, for that host and all
/// below it, with or without a dot or `*.` before it; an address; a block of addresses
/// (`10.0.0.0/8`); each but a block with or without a port; or `*` for everything.
public struct ProxyExceptions: Hashable, Sendable {
    private enum Entry: Hashable {
        case all
        case name([UInt8], port: Int?)
        case block([UInt8], bits: Int)
    }

    private let entries: [Entry]

    /// Reads a list; what cannot be read fits nothing.
    public init(_ list: String) {
        entries = list.lowercased().split { $0 == "," || $0.isWhitespace }.compactMap(Self.entry)
    }

    private static func entry(_ text: Substring) -> Entry? {
        if text == "*" { return .all }
        if let slash = text.firstIndex(of: "/") {
            guard let address = AddressText.bytes(text[..<slash]),
                let bits = Int(text[text.index(after: slash)...]), bits >= 0
            else { return nil }
            return .block(address, bits: bits)
        }
        if let address = AddressText.bytes(text) { return .block(address, bits: address.count * 8) }
        var name = text
        var port: Int?
        if let colon = text.lastIndex(of: ":"), let number = Int(text[text.index(after: colon)...])
        {
            (name, port) = (text[..<colon], number)
        }
        if name.hasPrefix("*.") { name = name.dropFirst(2) }
        while name.first == "." { name = name.dropFirst() }
        return name.isEmpty ? nil : .name(Array(name.utf8), port: port)
    }

    /// Whether two addresses of one kind begin with the same `bits` bits.
    private static func share(_ bits: Int, _ one: [UInt8], _ other: [UInt8]) -> Bool {
        guard one.count == other.count, bits <= one.count * 8 else { return false }
        return (0..<bits).allSatisfy { bit in
            (one[bit / 8] ^ other[bit / 8]) & (0x80 >> UInt8(bit % 8)) == 0
        }
    }

    /// Whether `host`, in lower case, is one of them.
    func cover(_ host: String, port: Int) -> Bool {
        let address = AddressText.bytes(host)
        let bytes = Array(host.utf8)
        return entries.contains { entry in
            switch entry {
            case .all: return true
            case .block(let block, let bits): return Self.share(bits, address ?? [], block)
            case .name(let name, let onPort):
                guard onPort == nil || onPort == port else { return false }
                if bytes == name { return true }
                return bytes.count > name.count && bytes.suffix(name.count).elementsEqual(name)
                    && bytes[bytes.count - name.count - 1] == UInt8(ascii: ".")
            }
        }
    }
}
