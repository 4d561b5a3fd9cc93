import NIOCore
import Synchronization

/// The sockets by which this proxy connects to its own port, to recognise them when they are
/// accepted.
///
/// A request that returns to the proxy would be sent to it again without end. Nothing may be added
/// to requests to detect that, so the addresses of sockets are compared: a client whose address is
/// that of a connection to the proxy's port is the proxy itself. Connections to other ports are not
/// kept.
final class OwnSockets: Sendable {
    /// The address of a socket; the same for IPv4 and for IPv4 within IPv6.
    private struct Address: Hashable {
        let host: String
        let port: Int

        init?(_ address: SocketAddress?) {
            guard let host = address?.ipAddress, let port = address?.port else { return nil }
            let mapped = "::ffff:"
            let isMapped = host.hasPrefix(mapped) && host.utf8.contains(UInt8(ascii: "."))
            self.host = isMapped ? String(host.dropFirst(mapped.count)) : host
            self.port = port
        }
    }

    private struct State {
        var ports: Set<Int> = []
        /// Whether connections to any port may be redirected here.
        var keepsAll = false
        var own: Set<Address> = []
        var looping: Set<Address> = []
        var hasReported = false
    }

    private let state = Mutex(State())

    /// A port that the proxy listens on.
    func listens(on port: Int, isTransparent: Bool = false) {
        state.withLock { state in
            state.ports.insert(port)
            if isTransparent { state.keepsAll = true }
        }
    }

    /// A socket was connected to a server.
    ///
    /// - Returns: Whether it may be a connection to ourselves, and is kept until ``forget(_:)``.
    func connected(_ local: SocketAddress?, to remote: SocketAddress?) -> Bool {
        guard let port = remote?.port, let address = Address(local) else { return false }
        return state.withLock { state in
            guard state.keepsAll || state.ports.contains(port) else { return false }
            state.own.insert(address)
            return true
        }
    }

    /// A socket that was kept is closed.
    func forget(_ local: SocketAddress?) {
        guard let address = Address(local) else { return }
        state.withLock { state in
            state.own.remove(address)
            state.looping.remove(address)
        }
    }

    /// Whether a client is this proxy; called when its first bytes were received, as connections
    /// are registered before they send.
    func isOwn(_ client: SocketAddress?) -> Bool {
        state.withLock { state in
            guard !state.own.isEmpty, let address = Address(client),
                state.own.contains(address)
            else { return false }
            state.looping.insert(address)
            return true
        }
    }

    /// Whether a connection of this proxy was found to lead to itself.
    func isLooping(_ local: SocketAddress?) -> Bool {
        state.withLock { state in
            guard !state.looping.isEmpty, let address = Address(local) else { return false }
            return state.looping.contains(address)
        }
    }

    /// Whether a loop is to be reported, which it is once.
    func isFirstReport() -> Bool {
        state.withLock { state in
            defer { state.hasReported = true }
            return !state.hasReported
        }
    }
}

extension SocketAddress? {
    /// `HOST:PORT`, or nothing where it is unknown.
    var text: String { text(host: self?.ipAddress) }

    /// The same where the text of its IP address is known, which takes longest to make.
    func text(host: String?) -> String {
        guard let host, let port = self?.port else { return "" }
        // Put together without interpolation, which takes four times as long.
        let isIPv6 = host.utf8.contains(UInt8(ascii: ":"))
        return (isIPv6 ? "[" + host + "]:" : host + ":") + String(port)
    }
}
