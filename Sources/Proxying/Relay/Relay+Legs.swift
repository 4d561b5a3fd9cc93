import Framing
import Wire

extension Relay {
    /// The leg to a server, opened where there is none; nil in a tunnel that the server has ended.
    mutating func liveLeg(
        to server: ServerAddress, isMapped: Bool = false, isUpgrade: Bool = false, _ at: Instant,
        _ commands: inout [RelayCommand]
    ) -> LegID? {
        if let known = legs.firstIndex(where: { !$0.ends.isPeerOver && $0.address == server }) {
            return legs[known].id
        }
        // Another connection to its server would not be in the tunnel.
        guard !isTunnel || isMapped else { return nil }
        if !isTunnel { closeIdleServers(keeping: Self.maximumIdleServers, &commands) }
        return openLeg(
            server, at, isRecorded: settings.records(server.host),
            isForRequests: !isUpgrade && !settings.keepsHost, &commands)
    }

    /// Closes the oldest legs without open requests.
    mutating func closeIdleServers(keeping count: Int, _ commands: inout [RelayCommand]) {
        let idle = legs.indices.filter { index in
            !legs[index].ends.isPeerOver && !outstanding.contains { $0.leg == legs[index].id }
        }
        for index in idle.dropLast(count) {
            _ = legs[index].ends.endPeer()
            commands.append(.close(legs[index].id, isReset: false))
        }
    }

    /// Opens a leg, which may lead to a proxy that gets the requests themselves where it is for
    /// requests whose heads can be rewritten.
    mutating func openLeg(
        _ server: ServerAddress, _ at: Instant, isRecorded: Bool, isForRequests: Bool = false,
        _ commands: inout [RelayCommand]
    ) -> LegID {
        let id = nextLeg()
        let proxy = settings.upstream.proxy(for: server, isTunnel: isTunnel)
        let isTunnelled =
            !isForRequests || server.isTLS || isTunnel || proxy?.kind == .socks5
        legs.append(
            RelayLeg(
                id: id, address: server, isRecorded: isRecorded, proxy: isTunnelled ? nil : proxy))
        if isRecorded {
            record(
                .leg(
                    LegRow(
                        id: id, connection: connection.id, peer: .server, at: at,
                        host: server.host, port: server.port, isTLS: server.isTLS)), &commands)
        }
        if let proxy {
            if isRecorded {
                record(.upstream, leg: id, at: at, detail: proxy.address, &commands)
            }
            commands.append(.connectThrough(id, server, proxy, isTunnel: isTunnelled))
        } else {
            commands.append(.connect(id, server))
        }
        current = id
        return id
    }

    mutating func update(_ id: LegID, _ change: (inout RelayLeg) -> Void) {
        guard let index = legs.firstIndex(where: { $0.id == id }) else { return }
        change(&legs[index])
    }

    /// Sends to a server as soon as its leg is ready.
    mutating func send(_ bytes: [UInt8], on id: LegID, _ commands: inout [RelayCommand]) {
        guard let index = legs.firstIndex(where: { $0.id == id }), !bytes.isEmpty else { return }
        if legs[index].isReady {
            commands.append(.send(id, bytes))
        } else {
            legs[index].held += bytes
        }
    }

    mutating func legIsReady(_ id: LegID, _ at: Instant, _ commands: inout [RelayCommand]) {
        guard let index = legs.firstIndex(where: { $0.id == id }), !legs[index].isReady else {
            return
        }
        legs[index].isReady = true
        if !legs[index].held.isEmpty {
            commands.append(.send(id, legs[index].held))
            legs[index].held = []
        }
        if case .connecting(let waiting) = phase, waiting == id {
            tunnelIsOpen(legs[index], at, &commands)
        } else if legs[index].ends.isRelayOver {
            commands.append(.end(id))
        }
    }

    /// A server is unreachable, or not connected for a reason of the proxy: the client gets an
    /// error response.
    mutating func legWasRefused(
        _ id: LegID, _ why: String, _ cause: Unreachable = .other, as refusal: Refusal? = nil,
        _ at: Instant, _ commands: inout [RelayCommand]
    ) {
        guard let leg = legs.first(where: { $0.id == id }) else { return }
        if leg.isRecorded { record(.refused, leg: id, at: at, detail: why, &commands) }
        legs.removeAll { $0.id == id }
        if current == id { current = nil }
        guard clientEnds != .closed else { return }
        if pendingCut != nil {
            sayWaiting(leg, at, &commands)
            return
        }
        if case .raw(let raw, _) = phase {
            guard raw == id else { return }
            sayWaiting(leg, at, &commands)
            phase = .closed
            commands.append(.close(clientLeg.id, isReset: true))
            return
        }
        if let socks {
            loseHeld(&commands)
            let text = "could not reach \(leg.address.place): \(why)"
            return refuseSOCKS(socks.refused(cause), text, at, &commands)
        }
        if isTransparent, case .connecting = phase {
            let text = "could not reach \(leg.address.place): \(why)"
            return keepUnreachable(text, refusal, at, &commands)
        }
        let version = outstanding.first { $0.leg == id }?.openRosaVersion
        outstanding.removeAll { $0.leg == id }
        refuse(
            refusal?.status ?? 502, refusal?.phrase ?? "Bad Gateway",
            "tapedeck: could not reach \(leg.address.host):\(leg.address.port): \(why)",
            openRosa: version, at, &commands)
        drain(at, &commands)
    }

    // MARK: Ends

    /// The client closed its side.
    mutating func clientEnded(_ at: Instant, _ commands: inout [RelayCommand]) {
        guard clientEnds.endPeer() else { return }
        if isRecorded(clientLeg.id) {
            record(.ended, leg: clientLeg.id, at: at, detail: "", &commands)
        }
        if case .hello(let held, let since) = phase, !held.isEmpty {
            passUnread(HeldBytes(held[...], at: since), at, &commands)
        }
        if !isBlocked { endRequests(at, &commands) }
    }

    /// Everything that the client sent was processed, and no more will arrive: a held head stays
    /// incomplete.
    mutating func endRequests(_ at: Instant, _ commands: inout [RelayCommand]) {
        giveUpRequest(at, &commands)
        endServers(at, &commands)
    }

    /// Half-closes the legs to the servers.
    mutating func endServers(_ at: Instant, _ commands: inout [RelayCommand]) {
        guard !legs.isEmpty else {
            if isAnswering || clientEnds == .closed { return }
            if case .hello(let held, _) = phase { sayHandshakeLost(held.count, at, &commands) }
            saySOCKSLost(at, &commands)
            clientEnds.endRelay()
            phase = .closed
            commands.append(.close(clientLeg.id, isReset: false))
            return
        }
        for index in legs.indices where !legs[index].ends.isRelayOver {
            legs[index].ends.endRelay()
            if legs[index].isReady { commands.append(.end(legs[index].id)) }
        }
    }

    /// Whether a local answer is still to be sent.
    private var isAnswering: Bool { outstanding.contains { $0.local != nil } }

    /// The client disconnected.
    mutating func clientClosed(
        _ isReset: Bool, _ why: String, _ at: Instant, _ commands: inout [RelayCommand]
    ) {
        guard clientEnds.close() else { return }
        if isRecorded(clientLeg.id) {
            if case .hello(let held, _) = phase { sayHandshakeLost(held.count, at, &commands) }
            saySOCKSLost(at, &commands)
            recordHeldBytes(at, &commands)
            record(.closed, leg: clientLeg.id, at: at, detail: why, &commands)
        }
        phase = .closed
        closeServers(isReset: isReset, at, &commands)
    }

    /// Records how much of a ClientHello is lost with the connection: bytes of TLS are in no chunk.
    mutating func sayHandshakeLost(
        _ count: Int, _ at: Instant, _ commands: inout [RelayCommand]
    ) {
        guard isRecorded(clientLeg.id) else { return }
        sayUndelivered(
            clientLeg.id,
            "client: \(count) bytes of a TLS handshake were received before it was "
                + "closed",
            at, &commands)
    }

    mutating func closeServers(
        isReset: Bool, _ at: Instant, _ commands: inout [RelayCommand]
    ) {
        for index in legs.indices {
            sayWaiting(legs[index], at, &commands)
            legs[index].held = []
            commands.append(.close(legs[index].id, isReset: isReset))
        }
    }

    /// Records what is in the trace and was not sent because a leg was never ready.
    mutating func sayWaiting(
        _ leg: RelayLeg, _ at: Instant, _ commands: inout [RelayCommand]
    ) {
        guard !leg.held.isEmpty, leg.isRecorded else { return }
        sayUndelivered(
            leg.id, "client: \(leg.held.count) bytes waited for the connection to the server", at,
            &commands)
    }
}
