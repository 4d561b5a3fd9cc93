/// Names and addresses of servers.
enum HostName {
    /// Whether a server is on this device, in a private network, or has a name for tests.
    ///
    /// Source: RFC 1918, RFC 4193, RFC 6761, RFC 2606.
    static func isPrivate(_ host: String) -> Bool {
        let host = host.lowercased()
        if host.contains(":") {
            return host == "::1" || host == "[::1]"
                || ["fc", "fd", "fe80", "[fc", "[fd", "[fe80"].contains { host.hasPrefix($0) }
        }
        let labels = host.split(separator: ".")
        let numbers = labels.compactMap { UInt8($0) }
        if labels.count == 4, numbers.count == 4 {
            return switch (numbers[0], numbers[1]) {
            case (10, _), (127, _), (0, _), (192, 168), (169, 254): true
            case (172, 16...31): true
            default: false
            }
        }
        guard labels.count > 1, let last = labels.last else { return true }
        let reserved: Set<Substring> = [
            "localhost", "test", "example", "invalid", "local", "internal", "lan", "home", "arpa",
        ]
        return reserved.contains(last) || labels[labels.count - 2] == "example"
    }
}
