import ArgumentParser
import Framing

/// `HOST:PORT` to listen on.
struct ListenAddress: ExpressibleByArgument {
    let host: String
    let port: Int

    init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// `127.0.0.1:8080`, `[::1]:0`, `:8080` or `8080`; without a host, loopback only.
    init?(argument: String) {
        if let port = Int(argument.hasPrefix(":") ? String(argument.dropFirst()) : argument) {
            guard (0...65535).contains(port) else { return nil }
            (host, self.port) = ("127.0.0.1", port)
            return
        }
        guard let authority = try? HTTPAuthority.parse(argument, defaultPort: nil) else {
            return nil
        }
        (host, port) = (authority.host, authority.port)
    }

    /// As it is written on a command line.
    var defaultValueDescription: String { Self.text(host, port) }

    /// Whether no other machine can connect to it.
    var isLoopback: Bool {
        let host = host.lowercased()
        return host == "localhost" || host == "::1" || host.hasPrefix("127.")
    }

    /// `HOST:PORT` with the port that was given out.
    static func text(_ host: String, _ port: Int) -> String {
        host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}
