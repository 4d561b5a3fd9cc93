import NIOCore
import Platform

/// What the system's resolver knows of a name.
enum HostLookup {
    /// The addresses of a name, in the order in which they are to be tried.
    ///
    /// Blocks, as long as name servers take.
    static func addresses(
        of name: String, port: Int
    ) -> Result<[SocketAddress], NameLookups.Unknown> {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        // TCP, or each address comes once for every kind of socket.
        hints.ai_protocol = 6
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(name, String(port), &hints, &list)
        guard code == 0 else {
            return .failure(.init(description: String(cString: gai_strerror(code))))
        }
        defer { freeaddrinfo(list) }
        var addresses: [SocketAddress] = []
        var next = list
        while let entry = next?.pointee {
            let raw = UnsafeRawPointer(entry.ai_addr)
            if entry.ai_family == AF_INET, let raw {
                addresses.append(SocketAddress(raw.load(as: sockaddr_in.self), host: name))
            } else if entry.ai_family == AF_INET6, let raw {
                addresses.append(SocketAddress(raw.load(as: sockaddr_in6.self), host: name))
            }
            next = entry.ai_next
        }
        return .success(addresses)
    }
}
