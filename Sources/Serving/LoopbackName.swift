/// Names of this machine that no other machine can reach.
package enum LoopbackName {
    /// Whether a host is a loopback name.
    package static func isLoopback(_ host: String) -> Bool {
        let host = host.lowercased()
        if host == "localhost" || host == "::1" || host == "[::1]" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127"
            && parts.allSatisfy { part in
                (1...3).contains(part.count) && part.allSatisfy { $0.isASCII && $0.isNumber }
                    && UInt8(part) != nil
            }
    }

    /// The values of `Host` that a client may send.
    package static func authorities(_ host: String, _ port: Int) -> Set<String> {
        [
            "127.0.0.1:\(port)", "localhost:\(port)", "[::1]:\(port)",
            text(host.lowercased(), port),
        ]
    }

    /// The host as the system expects it: an address of IPv6 without brackets.
    package static func address(_ host: String) -> String {
        host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
    }

    /// `HOST:PORT`.
    package static func text(_ host: String, _ port: Int) -> String {
        host.contains(":") && !host.hasPrefix("[") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}
