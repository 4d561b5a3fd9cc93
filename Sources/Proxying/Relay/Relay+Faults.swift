import Framing
import Wire

/// The commands of faults for a relay: bytes that are not delivered, and local answers.
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
        case .hello, .socks: .hello
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

    /// Whether the next byte of a sender begins the head of a message.
    func isBeforeHead(of sender: Peer, _ leg: LegID) -> Bool {
        guard case .http = phase else { return false }
        guard sender == .server else { return isBetweenRequests && !isBlocked }
        guard let index = legs.firstIndex(where: { $0.id == leg }) else { return false }
        return legs[index].scan.holdsNothing && legs[index].responses.isBetweenMessages
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
    mutating func giveBacklog() -> [HeldBytes] { backlog.takeAll() }

    /// The leg that bytes of `sender` come from: `known`, where it is a server's, or else the one in
    /// use.
    func leg(of sender: Peer, _ known: LegID?) -> LegID? {
        if sender == .client { return clientLeg.id }
        if let known, legs.contains(where: { $0.id == known }) { return known }
        if case .raw(let leg) = layer { return leg }
        return current ?? known
    }

    /// The receiver does not get what was read: Tapedeck takes it in its place, or drops it.
    mutating func keep(_ leg: LegID, _ read: HeldBytes, _ commands: inout [RelayCommand]) {
        guard !read.bytes.isEmpty else { return }
        let isClient = leg == clientLeg.id
        // The start of a request's head goes nowhere where the rest of it does not.
        var kept = isClient ? takeStart() : []
        if !isClient, let index = legs.firstIndex(where: { $0.id == leg }) {
            // The start of a head, of which the rest does not come.
            flushPartial(index, [], from: 0, &commands)
        }
        let isRecorded = if case .raw(_, let isRaw) = phase { isRaw } else { isRecorded(leg) }
        guard isRecorded else { return }
        kept.append(read)
        var start: Int64 = 0
        for index in kept.indices {
            kept[index].start = start
            start += Int64(kept[index].bytes.count)
        }
        let rewrites = rewrites(ofKept: kept, leg)
        for part in kept {
            recordKept(
                part, part.own(rewrites, from: 0), leg: leg,
                sender: isClient ? .client : .server, &commands)
        }
    }

    /// The start of a request's head, which no longer waits for the rest of it.
    private mutating func takeStart() -> [HeldBytes] {
        guard isHoldingRequest else { return [] }
        defer {
            scan = MessageScan()
            requests = HTTPFramer(role: .request)
        }
        return scan.partial.takeAll()
    }

    /// The rewrites that a forwarded request would have had, so that the trace names the server
    /// also for requests that are answered here.
    private func rewrites(ofKept reads: [HeldBytes], _ leg: LegID) -> [Patch] {
        if case .raw = phase { return [] }
        guard leg == clientLeg.id, let fixed, !isTunnel, !settings.keepsHost else { return [] }
        var events: [HTTPEvent] = []
        var framer = HTTPFramer(role: .request)
        for read in reads {
            _ = framer.consume(Array(read.bytes).span, into: &events)
        }
        guard case .head(let head, _) = events.first else { return [] }
        return HeadRewrite.reversed(head, scheme: fixed.scheme, authority: fixedAuthority)
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
                    HeldBytes(answer.bytes[...], at: at, origin: .tapedeck), leg: clientLeg.id,
                    sender: .server, &commands)
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
        if case .hello(let held, _) = phase { sayHandshakeLost(held.count, at, &commands) }
        saySOCKSLost(at, &commands)
        socks = nil
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
