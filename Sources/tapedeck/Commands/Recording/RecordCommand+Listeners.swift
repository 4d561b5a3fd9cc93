import Foundation
import Interception
import Proxying

/// Where a recording listens.
extension RecordCommand {
    /// The listeners that were asked for, or the one that is always there.
    ///
    /// With `--isolate` those that were asked for alone.
    var places: [ListenerArgument] {
        isolate
            ? listen
            : listen.isEmpty ? [ListenerArgument(command.address(nil, port: 8080))] : listen
    }

    /// The proxy's listeners.
    ///
    /// - Parameter relay: What is the same for all of them.
    /// - Returns: One for each `--listen`, in their order.
    /// - Throws: ``Failure`` where the options do not go together.
    func listeners(_ relay: RelaySettings) throws(Failure) -> [ProxyListener] {
        let usual = try target()
        if isolate, !command.isGiven {
            throw Failure(.usage, "--isolate goes with -- COMMAND, whose connections it records")
        }
        if isolate, to != nil {
            throw Failure(
                .usage, "--isolate records every server that COMMAND connects to; leave --to out")
        }
        if listen.allSatisfy({ $0.kind != .usual }), !listen.isEmpty, to != nil {
            throw Failure(
                .usage,
                "--to is for a listener that names no kind; add --listen HOST:PORT, or leave --to out"
            )
        }
        var listeners: [ProxyListener] = []
        for place in places {
            var settings = relay
            switch place.kind {
            case .usual: settings.mode = usual
            case .http: (settings.mode, settings.ways) = (.forward, .http)
            case .socks(let credentials):
                (settings.mode, settings.ways) = (.forward, .socks)
                settings.credentials = credentials
            case .reverse(let server):
                try check(
                    server, "--listen reverse:\(place.port)=\(server.scheme)://\(server.authority)")
                settings.mode = .reverse(server)
            case .transparent, .tproxy: settings.mode = .transparent
            }
            if case .reverse = settings.mode {
                settings.ownPages = [:]
                settings.hosts = hosts(of: place)
            }
            var listener = ProxyListener(host: place.host, port: place.port, relay: settings)
            listener.takesAnyAddress = place.kind == .tproxy
            listeners.append(listener)
        }
        return listeners
    }

    /// What `--to` says.
    private func target() throws(Failure) -> RelaySettings.Mode {
        guard let to else {
            let hasServers = listen.contains { if case .reverse = $0.kind { true } else { false } }
            if keepHost, !hasServers { throw Failure(.usage, "--keep-host goes with --to URL") }
            if !host.isEmpty, !hasServers { throw Failure(.usage, "--host goes with --to URL") }
            return .forward
        }
        guard let server = ServerAddress(url: to) else {
            throw Failure(
                .usage,
                "--to \(to) is not an http:// or https:// URL of a server; write https://HOST or http://HOST:PORT"
            )
        }
        try check(server, "--to \(to)")
        return .reverse(server)
    }

    /// Refuses a server that is a listener of ours.
    private func check(_ server: ServerAddress, _ option: String) throws(Failure) {
        guard !places.contains(where: { $0.address.reaches(server.host, server.port) }) else {
            throw Failure(
                .usage,
                "\(option) is the address that the proxy itself listens on; choose another with --listen, or 0 for a free port"
            )
        }
    }

    /// The names that `Host` may have; nil for any.
    ///
    /// A listener that other machines reach has names that are not known here. A server that
    /// receives `Host` unchanged checks it itself.
    private func hosts(of place: ListenerArgument) -> [HostPattern]? {
        guard !keepHost, place.address.isLoopback || !host.isEmpty else { return nil }
        return host.map(HostPattern.init)
    }

    /// Prints where clients connect to: the first line is about the first listener, for programs.
    func sayListening(_ ports: [Int]) {
        for (index, (place, port)) in zip(places, ports).enumerated() {
            let address = ListenAddress.text(place.host, port)
            StandardOutput.write(
                "listening on \(address)\(index == 0 ? "" : " \(purpose(of: place))")\n")
            for line in LocalAddresses.lines(listening: place.host, port: port) {
                StandardError.warn(line)
            }
            showPage(of: place, port)
        }
    }

    /// Shows the address of the set-up page as a code for the camera of a phone, on a terminal.
    private func showPage(of place: ListenerArgument, _ port: Int) {
        let isProxy =
            switch place.kind {
            case .usual: to == nil
            case .http: true
            case .socks, .reverse, .transparent, .tproxy: false
            }
        guard isProxy, !quiet, StandardError.isTerminal, !place.address.isLoopback else { return }
        let host = LocalAddresses.isWildcard(place.host) ? LocalAddresses.all().first : place.host
        guard let host, let code = QRCode("http://\(ListenAddress.text(host, port))/") else {
            return
        }
        StandardError.write(
            (code.lines + [
                "http://\(ListenAddress.text(host, port))/ has the certificate and the steps\n"
            ])
            .joined(separator: "\n"))
    }

    /// What the inspector says of a recording that runs.
    func setup(
        _ proxy: ProxyServer, _ authority: CertificateAuthority
    ) -> RecordingSetup {
        let listeners = zip(places, proxy.ports).flatMap { place, port in
            // Where it listens everywhere, a client needs one address.
            let hosts = LocalAddresses.isWildcard(place.host) ? LocalAddresses.all() : []
            return (hosts.isEmpty ? [place.host] : hosts).map {
                RecordingSetup.Listener(
                    address: ListenAddress.text($0, port), purpose: purpose(of: place))
            }
        }
        return RecordingSetup(
            listeners: listeners, authority: authority.name,
            fingerprint: authority.fingerprintSHA256)
    }

    private func purpose(of place: ListenerArgument) -> String {
        switch place.kind {
        case .usual: to.map { "as \($0)" } ?? "as a proxy"
        case .http: "as an HTTP proxy"
        case .socks: "as a SOCKS proxy"
        case .transparent: "for redirected connections"
        case .tproxy: "for connections to any address"
        case .reverse(let server): "as \(server.scheme)://\(server.authority)"
        }
    }

    /// What clients on this machine are set to, a line for each listener.
    func uses(_ ports: [Int]) -> String {
        zip(places, ports).map { place, port in
            switch place.kind {
            case .usual: LocalAddresses.use(listening: place.host, port: port, inPlaceOf: to)
            case .http: LocalAddresses.use(listening: place.host, port: port, inPlaceOf: nil)
            case .socks:
                "clients use socks5h://\(CommandEnvironment.reachable(place.host, port)) as their proxy"
            case .transparent:
                "clients need no setting: tapedeck redirect --port \(port) --user NAME prints the rules"
            case .tproxy:
                "clients need no setting: tapedeck redirect --tproxy --port \(port) --interface NAME prints the rules"
            case .reverse(let server):
                LocalAddresses.use(
                    listening: place.host, port: port,
                    inPlaceOf: "\(server.scheme)://\(server.authority)")
            }
        }.joined(separator: "\n") + "\n"
    }

    /// The listeners of a command whose connections are all redirected.
    func listeners(of isolation: Isolation, _ relay: RelaySettings) -> [ProxyListener] {
        var settings = relay
        settings.mode = .transparent
        return isolation.connections.map { socket in
            var listener = ProxyListener(host: "0.0.0.0", port: 0, relay: settings)
            listener.socket = socket
            return listener
        }
    }

    /// What the command has to know, once the ports are known.
    func environment(ports: [Int]) -> CommandEnvironment {
        var environment = CommandEnvironment()
        environment.isIsolated = isolate
        for (place, port) in zip(places, ports) {
            let address = CommandEnvironment.reachable(place.host, port)
            switch place.kind {
            case .usual where to != nil, .reverse:
                environment.server = environment.server ?? address
            case .usual, .http:
                environment.proxy = environment.proxy ?? address
            case .socks(nil):
                environment.socks = environment.socks ?? address
            case .socks, .transparent, .tproxy: break
            }
        }
        environment.more["TAPEDECK_TRACE"] = URL(fileURLWithPath: trace).path
        return environment
    }
}
