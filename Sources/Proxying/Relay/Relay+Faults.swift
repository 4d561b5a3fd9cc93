import Framing
import Wire

/// The commands of faults for a relay: bytes that are replaced or dropped, and local answers.
extension Relay {
    /// The protocol, as far as a judge needs it.
    enum Layer: Hashable {
        /// Nothing yet, on a connection or in a tunnel.
        case undecided
        /// A ClientHello is being gathered.
        case hello
        /// A tunnel or the client's TLS is in progress, and what the client sends has to wait.
        case waiting
        case http
        /// Bytes pass unread, to and from this leg.
        case raw(LegID)
        case closed
    }

    /// The protocol.
    var layer: Layer {
        switch phase {
        case .start: .undecided
        case .hello: .hello
        case .securing, .connecting: .waiting
        case .http, .refusing: .http
        case .raw(let leg, _): .raw(leg)
        case .closed: .closed
        }
    }

    /// Whether nothing that follows is HTTP.
    var isPastHTTP: Bool {
        switch layer {
        case .raw, .closed: true
        case .undecided, .hello, .waiting, .http: false
        }
    }

    /// Whether no message of HTTP is in progress in either direction.
    var isBetweenMessages: Bool {
        outstanding.isEmpty && !isBlocked && isBetweenRequests
            && legs.allSatisfy { $0.scan.holdsNothing }
    }

    /// Whether no request of the client is in progress.
    private var isBetweenRequests: Bool {
        requests.isBetweenMessages && scan.holdsNothing
    }

    /// How many requests are not answered, where the next byte of a server begins a message and the
    /// next one of the client a request; nil where it may not.
    var unansweredBetweenMessages: Int? {
        guard case .http = phase, !isBlocked, isBetweenRequests, !requests.isPaused,
            legs.allSatisfy({
                $0.scan.holdsNothing && $0.responses.isBetweenMessages
            }),
            outstanding.allSatisfy({ $0.local == nil && $0.leg == current })
        else { return nil }
        return outstanding.count
    }

    /// What waits until a tunnel is open, which no longer waits here.
    mutating func giveBacklog() -> [[UInt8]] {
        backlog.takeAll().map { Array($0.bytes) }
    }

    /// The leg that bytes of `sender` come from: `known`, where it is a server's, or else the one in
    /// use.
    func leg(of sender: Peer, _ known: LegID?) -> LegID? {
        if sender == .client { return clientLeg.id }
        if let known, legs.contains(where: { $0.id == known }) { return known }
        if case .raw(let leg) = layer { return leg }
        return current ?? known
    }

    /// The receiver gets others in the place of these bytes.
    mutating func alter(
        _ leg: LegID, _ bytes: [UInt8], by others: [UInt8], _ at: Instant,
        _ commands: inout [RelayCommand]
    ) {
        let sender: Peer = leg == clientLeg.id ? .client : .server
        if case .raw(let server, let isRecorded) = phase {
            if isRecorded {
                recordChunk(
                    bytes[...], patches: [whole(bytes, by: others)], leg: leg, sender: sender,
                    at: at, &commands)
            }
            guard !others.isEmpty else { return }
            if sender == .client {
                if !isEnded(server) { send(others, on: server, &commands) }
            } else {
                commands.append(.send(clientLeg.id, others))
            }
            return
        }
        // The start of a head, of which the rest does not come.
        if let index = legs.firstIndex(where: { $0.id == leg }), others.isEmpty {
            flushPartial(index, [], from: 0, &commands)
        }
        let start = leg == clientLeg.id ? takeStart(isLost: true, &commands) : []
        // What is forwarded in their place may have to be rewritten itself: it is a separate chunk.
        if isRecorded(leg) {
            recordChunk(
                bytes[...], patches: [whole(bytes, by: [])], leg: leg, sender: sender, at: at,
                &commands)
        }
        received(leg, start + others, .tapedeck, at, &commands)
    }

    /// The start of a request's head, of which the rest is not forwarded unchanged: separate
    /// chunks, before that.
    private mutating func takeStart(
        isLost: Bool, _ commands: inout [RelayCommand]
    ) -> [UInt8] {
        guard isHoldingRequest else { return [] }
        let held = scan.partial.takeAll()
        for part in held where part.origin == .peer && isRecorded(clientLeg.id) {
            recordChunk(
                part.bytes, patches: isLost ? [whole(Array(part.bytes), by: [])] : [],
                leg: clientLeg.id, sender: .client, at: part.at, &commands)
        }
        scan = MessageScan()
        requests = HTTPFramer(role: .request)
        return held.flatMap(\.bytes)
    }

    /// Tapedeck takes these bytes in the receiver's place.
    mutating func keep(
        _ leg: LegID, _ bytes: [UInt8], readAs others: [UInt8]?, _ at: Instant,
        _ commands: inout [RelayCommand]
    ) {
        guard isRecorded(leg) else { return }
        if leg == clientLeg.id { _ = takeStart(isLost: false, &commands) }
        recordChunk(
            bytes[...],
            patches: others.map { [whole(bytes, by: $0)] } ?? rewrites(ofKept: bytes, leg),
            leg: leg, sender: leg == clientLeg.id ? .client : .server, at: at, &commands)
    }

    /// The rewrites that a forwarded request would have had, so that the trace names the server
    /// also for requests that are answered here.
    private func rewrites(ofKept bytes: [UInt8], _ leg: LegID) -> [Patch] {
        if case .raw = phase { return [] }
        guard leg == clientLeg.id, let fixed, !isTunnel, !settings.keepsHost else { return [] }
        var events: [HTTPEvent] = []
        var framer = HTTPFramer(role: .request)
        _ = framer.consume(bytes.span, into: &events)
        guard case .head(let head, _) = events.first else { return [] }
        return HeadRewrite.reversed(head, server: fixed)
    }

    private func whole(_ bytes: [UInt8], by others: [UInt8]) -> Patch {
        Patch(offset: 0, removed: bytes.count, inserted: others, reason: .fault)
    }

    /// The request before is answered here, in its turn.
    mutating func answerLocally(
        _ answer: LocalAnswer, _ at: Instant, _ commands: inout [RelayCommand]
    ) {
        outstanding.append(
            RelayRequest(
                leg: clientLeg.id, kind: .other, proxyName: "", local: answer))
        settle(at, &commands)
    }

    /// Sends the local answers whose turn has come.
    mutating func giveLocalAnswers(_ at: Instant, _ commands: inout [RelayCommand]) {
        while let answer = outstanding.first?.local {
            outstanding.removeFirst()
            guard !clientEnds.isRelayOver else {
                if answer.closes { phase = .closed }
                continue
            }
            if isRecorded(clientLeg.id) {
                recordChunk(
                    answer.bytes[...], patches: [], leg: clientLeg.id, sender: .server, at: at,
                    origin: .tapedeck, &commands)
            }
            commands.append(.send(clientLeg.id, answer.bytes))
            guard answer.closes else { continue }
            endClient(&commands)
            phase = .closed
            closeServers(isReset: false, at, &commands)
        }
    }

    /// Closes or resets everything, where a server is still being connected to that has to get
    /// something as soon as it has got that.
    mutating func cut(isReset: Bool, _ at: Instant, _ commands: inout [RelayCommand]) {
        guard pendingCut == nil else { return }
        for index in legs.indices { flushPartial(index, [], from: 0, &commands) }
        if case .hello(let held) = phase { sayHandshakeLost(held.count, at, &commands) }
        phase = .closed
        clientEnds.endRelay()
        pendingCut = isReset ? .reset : .orderly
        finishCut(at, &commands)
    }

    /// Closes what was cut, once nothing remains to be sent to a server.
    mutating func finishCut(_ at: Instant, _ commands: inout [RelayCommand]) {
        guard let pendingCut else { return }
        if clientEnds == .closed {
            // With the client, all others were closed.
            self.pendingCut = nil
            return
        }
        guard !legs.contains(where: { !$0.isReady && !$0.held.isEmpty }) else { return }
        self.pendingCut = nil
        commands.append(.close(clientLeg.id, isReset: pendingCut == .reset))
        closeServers(isReset: pendingCut == .reset, at, &commands)
    }
}
