import Capturing
import Foundation

/// The addresses of this machine.
enum LocalAddresses {
    /// Where other machines reach a listener on every address, for the user; empty for others.
    ///
    /// `0.0.0.0` cannot be typed into a device.
    static func lines(listening host: String, port: Int) -> [String] {
        guard isWildcard(host) else { return [] }
        let found = all().filter { host == "::" || !$0.contains(":") }
        guard !found.isEmpty else {
            return ["no other machine reaches this one: it has no network"]
        }
        let places = found.map { ListenAddress.text($0, port) }.joined(separator: ", ")
        return ["other machines reach it at \(places)"]
    }

    /// The addresses by which a listener is reached from other machines; none for one on loopback.
    static func names(listening host: String) -> [String] { isWildcard(host) ? all() : [] }

    /// What a client on this machine is set to, so that a proxy records it.
    ///
    /// - Parameters:
    ///   - host: The address that the proxy listens on.
    ///   - port: Its port.
    ///   - server: The URL of the server that it stands for; nil for a forward proxy.
    /// - Returns: A line without its end.
    static func use(listening host: String, port: Int, inPlaceOf server: String?) -> String {
        let address = CommandEnvironment.reachable(host, port)
        guard let server else {
            return "clients use http://\(address) as their proxy for http, https and WebSockets"
        }
        return "clients use http://\(address) or ws://\(address) in place of \(server)"
    }

    /// A URL with an address of this machine in place of `0.0.0.0`, which a device cannot reach.
    static func reachable(_ url: String) -> String {
        guard let address = all().first else { return url }
        return url.replacing("//0.0.0.0:", with: "//\(ListenAddress.text(address, 0).dropLast(1))")
    }

    /// Whether a listener on it accepts connections to all addresses.
    static func isWildcard(_ host: String) -> Bool { host == "0.0.0.0" || host == "::" }

    /// The addresses that are neither loopback nor of one link, IPv4 first.
    static func all() -> [String] {
        let interfaces = ((try? NetworkInterface.all()) ?? []).filter { $0.isUp && !$0.isLoopback }
        let texts = interfaces.flatMap(\.addresses).map(\.description)
            .filter { !$0.lowercased().hasPrefix("fe80:") }
        return texts.filter { !$0.contains(":") } + texts.filter { $0.contains(":") }
    }
}

extension ListenAddress {
    /// Whether a connection to this place comes to the listener; for names other than `localhost`
    /// only by the name itself, without a name server.
    func reaches(_ host: String, _ port: Int) -> Bool {
        guard port == self.port, port != 0 else { return false }
        let (own, other) = (self.host.lowercased(), host.lowercased())
        let loopback = ListenAddress(host: other, port: port).isLoopback
        if own == other || LocalAddresses.isWildcard(other) { return true }
        if LocalAddresses.isWildcard(own) {
            return loopback || LocalAddresses.all().contains(other)
        }
        return loopback && (own == "localhost" || other == "localhost") && isLoopback
    }
}
