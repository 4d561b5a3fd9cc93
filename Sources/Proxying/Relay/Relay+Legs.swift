import Framing
import Wire

extension Relay {
    /// The leg to a server, opened where there is none.
    mutating func leg(
        to server: ServerAddress, _ at: Instant, _ commands: inout [RelayCommand]
    ) -> LegID {
        if let known = legs.firstIndex(where: { !$0.hasEnded && $0.address == server }) {
            return legs[known].id
        }
        return openLeg(server, at, isRecorded: settings.records(server.host), &commands)
    }

    /// Opens a leg.
    mutating func openLeg(
        _ server: ServerAddress, _ at: Instant, isRecorded: Bool,
        _ commands: inout [RelayCommand]
    ) -> LegID {
        let id = nextLeg()
        legs.append(RelayLeg(id: id, address: server, isRecorded: isRecorded))
        if isRecorded {
            record(
                .leg(
                    LegRow(
                        id: id, connection: connection.id, peer: .server, at: at,
                        host: server.host, port: server.port, isTLS: server.isTLS)), &commands)
        }
        commands.append(.connect(id, server))
        current = id
        return id
    }

    mutating func update(_ id: LegID, _ change: (inout RelayLeg) -> Void) {
        guard let index = legs.firstIndex(where: { $0.id == id }) else { return }
        change(&legs[index])
    }

    /// Sends to a server as soon as its leg is ready.
    mutating func send(_ bytes: [UInt8], on id: LegID, _ commands: inout [RelayCommand]) {
        guard let index = legs.firstIndex(where: { $0.id == id }) else { return }
        if legs[index].isReady {
            commands.append(.send(id, bytes))
            return
        }
        legs[index].held += bytes
        if legs[index].held.count > settings.heldBytes { pauseClient(&commands) }
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
            return
        }
        if legs[index].endsWhenReady { commands.append(.end(id)) }
        if blocked == nil, !isAwaitingSwitch, backlog.isEmpty { resumeClient(&commands) }
    }

    /// A server can not be reached, or is not for a reason of our own: the client is told so.
    mutating func legWasRefused(
        _ id: LegID, _ why: String, as refusal: Refusal? = nil, _ at: Instant,
        _ commands: inout [RelayCommand]
    ) {
        guard let leg = legs.first(where: { $0.id == id }) else { return }
        if leg.isRecorded { record(.refused, leg: id, at: at, says: why, &commands) }
        legs.removeAll { $0.id == id }
        if current == id { current = nil }
        guard !isClientClosed, cutWhenReady == nil else { return }
        if case .raw = phase {
            commands.append(.close(clientLeg.id, isReset: true))
            return
        }
        answer(
            refusal?.status ?? 502, refusal?.phrase ?? "Bad Gateway",
            "tapedeck: could not reach \(leg.address.host):\(leg.address.port): \(why)", at,
            &commands)
    }

    // MARK: Ends

    /// The client will send no more.
    mutating func clientEnded(_ at: Instant, _ commands: inout [RelayCommand]) {
        guard !hasClientEnded else { return }
        hasClientEnded = true
        if isRecorded(clientLeg.id) {
            record(.ended, leg: clientLeg.id, at: at, says: "", &commands)
        }
        if case .hello(let held) = phase, !held.isEmpty { passUnread(held, at, &commands) }
        guard backlog.isEmpty, blocked == nil else { return }
        if current != nil { flushPartial([], from: 0, &commands) }
        endServers(&commands)
    }

    /// Tells the servers that the client will send no more.
    mutating func endServers(_ commands: inout [RelayCommand]) {
        guard !legs.isEmpty else {
            if case .connecting = phase { return }
            commands.append(.close(clientLeg.id, isReset: false))
            return
        }
        for index in legs.indices {
            if legs[index].isReady {
                commands.append(.end(legs[index].id))
            } else {
                legs[index].endsWhenReady = true
            }
        }
    }

    /// The client is gone.
    mutating func clientClosed(
        _ isReset: Bool, _ why: String, _ at: Instant, _ commands: inout [RelayCommand]
    ) {
        guard !isClientClosed else { return }
        isClientClosed = true
        phase = .closed
        if isRecorded(clientLeg.id) {
            recordHeldBytes(&commands)
            record(.closed, leg: clientLeg.id, at: at, says: why, &commands)
        }
        closeServers(isReset: isReset, &commands)
    }

    /// Nothing that was received is left out of the trace, even what was never passed on.
    private mutating func recordHeldBytes(_ commands: inout [RelayCommand]) {
        for held in scan.partial + backlog {
            recordChunk(
                held.bytes, patches: [], leg: clientLeg.id, sender: .client, at: held.at,
                &commands)
        }
        scan.partial = []
        backlog = []
    }

    mutating func closeServers(isReset: Bool, _ commands: inout [RelayCommand]) {
        for leg in legs { commands.append(.close(leg.id, isReset: isReset)) }
    }
}
