internal import Wire

extension Endpoint {
    /// Ports below 1024 belong to servers, and by custom these.
    private static let serverPorts: Set<UInt16> = [
        3000, 3128, 5000, 8000, 8008, 8080, 8081, 8443, 8888, 9000, 9443,
    ]

    private var isServerPort: Bool { port < 1024 || Self.serverPorts.contains(port) }

    /// Whether this and not `other` was seen to be a server; nil where that is unknown.
    func isServer(_ servers: Set<Endpoint>, against other: Endpoint) -> Bool? {
        let isServer = servers.contains(self)
        return isServer == servers.contains(other) ? nil : isServer
    }

    /// Whether this is more likely a server than `other`, by the port: one that is known to be a
    /// server's, or else the lower one, as clients are given high ones.
    func hasServerPort(_ other: Endpoint) -> Bool {
        guard isServerPort == other.isServerPort else { return isServerPort }
        return port <= other.port
    }
}

extension Peer {
    /// Who sends a stream that begins like this; nil where it could be either.
    ///
    /// A client begins with an HTTP request line or a TLS ClientHello, a server with a status line
    /// or a ServerHello.
    init?(beginning bytes: ArraySlice<UInt8>) {
        let start = bytes.prefix(16)
        if start.starts(with: "HTTP/1.".utf8) {
            self = .server
            return
        }
        let method = start.prefix { (0x41...0x5A).contains($0) }
        if (3...12).contains(method.count), start.dropFirst(method.count).first == 0x20 {
            self = .client
            return
        }
        // A record of type handshake, version 3.x, and the type of the message in it.
        guard start.count >= 6, start.starts(with: [0x16, 0x03]) else { return nil }
        switch start[start.startIndex + 5] {
        case 1: self = .client
        case 2: self = .server
        default: return nil
        }
    }
}
