import Framing
import Wire

/// Clients that name their server by SOCKS.
///
/// What they say until they are connected is in an event alone, as a TLS handshake is: it is no part of
/// the conversation with the server, and may have a password.
extension Relay {
    /// Whether these first bytes begin a negotiation that this listener takes part in.
    func isSOCKS(_ read: HeldBytes) -> Bool {
        guard case .forward = settings.mode, settings.ways.contains(.socks), !isTunnel,
            !isOwnSite, !isClientTLS, read.source == nil, let first = read.bytes.first
        else { return false }
        return SOCKSNegotiation.begins(with: first)
    }

    /// Processes bytes of a negotiation.
    mutating func negotiate(
        _ negotiation: SOCKSNegotiation, _ read: HeldBytes, _ commands: inout [RelayCommand]
    ) {
        var negotiation = negotiation
        let steps = negotiation.consume(read.bytes)
        phase = .socks(negotiation)
        for step in steps {
            switch step {
            case .send(let bytes):
                commands.append(.send(clientLeg.id, bytes))
            case .connect(let host, let port):
                let rest = negotiation.takeRest()
                socks = negotiation
                openSOCKSTunnel(host, port, read.at, &commands)
                // The end of this read: what was held of those before was read as the request.
                backlog.append(read.dropFirst(read.bytes.count - rest.count))
                drain(read.at, &commands)
            case .refuse(let bytes, let why):
                refuseSOCKS(bytes, why, read.at, &commands)
            }
        }
    }

    private mutating func openSOCKSTunnel(
        _ host: String, _ port: Int, _ at: Instant, _ commands: inout [RelayCommand]
    ) {
        if isOwn(host) {
            grantSOCKS(&commands)
            isOwnSite = true
            phase = .start
            return
        }
        let server = ServerAddress(host: host, port: port, isTLS: false)
        if settings.records(host) {
            record(
                .socks, leg: clientLeg.id, at: at,
                detail: "SOCKS \(socks?.version ?? 5) to \(server.place)", &commands)
        }
        openTunnel(server, at, &commands)
    }

    /// The client learns that its server is connected.
    mutating func grantSOCKS(_ commands: inout [RelayCommand]) {
        guard let socks else { return }
        self.socks = nil
        commands.append(.send(clientLeg.id, socks.granted))
    }

    /// The client gets the last answer of a negotiation.
    mutating func refuseSOCKS(
        _ bytes: [UInt8], _ why: String, _ at: Instant, _ commands: inout [RelayCommand]
    ) {
        socks = nil
        warn("SOCKS client: \(why)", at, &commands)
        if !bytes.isEmpty, !clientEnds.isRelayOver {
            commands.append(.send(clientLeg.id, bytes))
        }
        phase = .closed
        commands.append(.close(clientLeg.id, isReset: false))
    }

    /// Records how much of a negotiation is lost with the connection.
    mutating func saySOCKSLost(_ at: Instant, _ commands: inout [RelayCommand]) {
        guard case .socks(let negotiation) = phase, isRecorded(clientLeg.id) else { return }
        sayUndelivered(
            clientLeg.id,
            "client: a SOCKS negotiation did not end; \(negotiation.held.count) bytes of it wait",
            at, &commands)
    }

    /// Says something to the user, and in the trace, once for each connection.
    mutating func warn(_ text: String, _ at: Instant, _ commands: inout [RelayCommand]) {
        guard saidUndelivered.insert(text).inserted else { return }
        if isRecorded(clientLeg.id) {
            record(.warning, leg: clientLeg.id, at: at, detail: text, &commands)
        }
        commands.append(.notice(text))
    }
}

extension Relay {
    /// What is said about a client that speaks HTTP/2 and nothing else.
    static func http2Alone(_ host: String?) -> String {
        "the client\(host.map { " of \($0)" } ?? "") speaks HTTP/2 alone, which is not decoded: have "
            + "it offer http/1.1, or leave its TLS alone with --passthrough"
    }
}

extension ServerAddress {
    /// `HOST:PORT`, whatever the scheme.
    var place: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
