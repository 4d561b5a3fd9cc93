import Framing
import Interception
import Wire

extension Relay {
    /// A CONNECT arrived: the server is connected before the client gets the answer.
    mutating func openTunnel(
        _ server: ServerAddress, _ at: Instant, _ commands: inout [RelayCommand]
    ) {
        closeIdleServers(keeping: 0, &commands)
        beginTunnel(to: server)
        let isRecorded = settings.records(server.host)
        phase = .connecting(openLeg(server, at, isRecorded: isRecorded, &commands))
    }

    /// The server of a CONNECT is connected.
    mutating func tunnelIsOpen(
        _ leg: RelayLeg, _ at: Instant, _ commands: inout [RelayCommand]
    ) {
        // A fault may have ended what the client gets.
        if socks != nil {
            if clientEnds.isRelayOver { socks = nil } else { grantSOCKS(&commands) }
        } else if !clientEnds.isRelayOver, !isTransparent {
            acceptTunnel(isRecorded: leg.isRecorded, at, &commands)
        }
        phase = .start
        if leg.ends.isRelayOver { commands.append(.end(leg.id)) }
        drain(at, &commands)
    }

    /// The answer to a CONNECT.
    mutating func acceptTunnel(
        isRecorded: Bool, _ at: Instant, _ commands: inout [RelayCommand]
    ) {
        let bytes = Array("HTTP/1.1 200 Connection established\r\n\r\n".utf8)
        if isRecorded {
            recordChunk(
                HeldBytes(bytes[...], at: at, origin: .tapedeck), leg: clientLeg.id,
                sender: .server, &commands)
        }
        commands.append(.send(clientLeg.id, bytes))
    }

    /// A server further on opened a tunnel on its leg: the protocol inside is detected again.
    mutating func enterTunnel(of request: RelayRequest, _ index: Int) {
        let target = (try? request.switching?.parsedTarget())?.authority
        let server = ServerAddress(
            host: target?.host ?? legs[index].address.host,
            port: target?.port ?? legs[index].address.port, isTLS: false)
        beginTunnel(to: server)
        current = request.leg
        outstanding = []
        legs[index].address = server
        legs[index].responses = HTTPFramer(role: .response)
        legs[index].scan = MessageScan()
        phase = .start
    }

    private mutating func beginTunnel(to server: ServerAddress) {
        fixed = server
        isTunnel = true
        isClientTLS = false
        scan = MessageScan()
        requests = HTTPFramer(role: .request)
    }

    /// Gathers a ClientHello, and then leaves its TLS alone or answers it.
    mutating func gatherHello(
        _ bytes: [UInt8], since: Instant, _ at: Instant, _ commands: inout [RelayCommand]
    ) {
        var name: String?
        switch ClientHello.parse(bytes.span) {
        case .needMore:
            phase = .hello(bytes, since: since)
            return
        case .notTLS, .malformed:
            passUnread(HeldBytes(bytes[...], at: since), at, &commands)
            return
        case .hello(let hello):
            name = hello.serverName?.lowercased()
            if hello.protocols.contains("h2"), !hello.protocols.contains("http/1.1") {
                warn(Self.http2Alone(name ?? fixed?.host), at, &commands)
            }
        }
        let host = name ?? (isTunnel ? fixed?.host : nil) ?? ""
        let names = [host, fixed?.host ?? ""]
        let isPassed = names.contains(where: settings.passes)
        let isRecorded = names.contains { settings.records($0) }
        if let fixed, isPassed || !isRecorded {
            passTLS(bytes, fixed, host: host, isRecorded: isRecorded, at, &commands)
            return
        }
        phase = .securing
        commands.append(.secureClient(host: host, hello: bytes))
        guard isTunnel, let leg = current else { return }
        let server = ServerAddress(
            host: fixed?.host ?? host, port: fixed?.port ?? 443, isTLS: true)
        fixed = server
        replaceLeg(leg, by: server)
        commands.append(.secureServer(leg, serverName: name ?? server.host))
    }

    /// The leg to a tunnel's server is to use TLS, and is not ready until it does.
    private mutating func replaceLeg(_ id: LegID, by server: ServerAddress) {
        update(id) { leg in
            leg.address = server
            leg.isReady = false
            leg.responses = HTTPFramer(role: .response)
            leg.scan = MessageScan()
        }
    }

    /// Leaves TLS alone: its bytes are forwarded and not recorded, which the trace records.
    private mutating func passTLS(
        _ bytes: [UInt8], _ server: ServerAddress, host: String, isRecorded: Bool, _ at: Instant,
        _ commands: inout [RelayCommand]
    ) {
        let plain = ServerAddress(host: server.host, port: server.port, isTLS: false)
        let leg = current ?? openLeg(plain, at, isRecorded: isRecorded, &commands)
        if isRecorded {
            record(
                .passthrough, leg: clientLeg.id, at: at, detail: host.isEmpty ? server.host : host,
                &commands)
        }
        phase = .raw(leg, isRecorded: false)
        update(leg) { $0 = $0.unrecorded }
        send(bytes, on: leg, &commands)
    }
}

extension RelayLeg {
    /// The same leg, whose bytes are not written to the trace.
    fileprivate var unrecorded: RelayLeg {
        var leg = RelayLeg(id: id, address: address, isRecorded: false)
        leg.isReady = isReady
        leg.held = held
        return leg
    }
}
