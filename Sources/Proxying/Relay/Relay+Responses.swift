import Framing
import Wire

extension Relay {
    /// Processes bytes of a server.
    mutating func serverSent(
        _ id: LegID, _ arrived: HeldBytes, _ commands: inout [RelayCommand]
    ) {
        guard let index = legs.firstIndex(where: { $0.id == id }) else { return }
        var read = arrived
        read.start = legs[index].scan.offset
        if case .start = phase, isTunnel, id == current {
            // A server that sends before its client uses neither TLS nor HTTP, unless it gives up waiting.
            if legs[index].isRecorded, !Array("HTTP/".utf8).starts(with: read.bytes.prefix(5)) {
                record(
                    .raw, leg: id, at: read.at,
                    detail: "the server speaks first; forwarded unread", &commands)
            }
            phase = .raw(id, isRecorded: legs[index].isRecorded)
        }
        if clientEnds == .closed || phase.isOver {
            // The start of a head came before these bytes, and gets nowhere either.
            for held in legs[index].scan.partial.takeAll() + [read] {
                undeliver(held, on: id, "the connection is being closed", &commands)
            }
            return
        }
        if case .raw(let leg, _) = phase {
            guard leg == id else { return surplus(read, index, &commands) }
            toClient(read, [], index, &commands)
            return
        }
        guard isOwed(by: id) || read.origin == .tapedeck else {
            return surplus(read, index, &commands)
        }
        guard legs[index].scan.isFramed else {
            toClient(read, [], index, &commands)
            return
        }
        var events: [HTTPEvent] = []
        events.reserveCapacity(Self.usualEvents)
        let taken = legs[index].responses.consume(
            read.bytes.span, into: &events, known: known)
        legs[index].scan.offset += Int64(taken)
        let passed = walk(events, read, legIndex: index, taken: taken, &commands)
        if passed < read.bytes.count {
            let rest = read.dropFirst(passed)
            if case .start = phase {
                // Behind the head that opened a tunnel.
                serverSent(id, rest, &commands)
            } else {
                legs[index].scan.partial.append(rest)
            }
        }
        settle(read.at, &commands)
    }

    /// Whether bytes of a server can be an answer to a request of the client.
    ///
    /// Towards one server, unasked bytes pass as they would without a proxy. Where the next request
    /// may be for another server, they would be taken for the answer of that one.
    func isOwed(by id: LegID) -> Bool {
        outstanding.first?.leg == id || fixed != nil && (current == nil || current == id)
    }

    /// What a server sent that owes nothing is dropped, and its connection ends.
    private mutating func surplus(
        _ read: HeldBytes, _ index: Int, _ commands: inout [RelayCommand]
    ) {
        let leg = legs[index]
        guard !read.bytes.isEmpty else { return }
        undeliver(
            read, on: leg.id,
            "\(leg.address.authority) sent bytes without a request; its connection is closed",
            &commands)
        guard !leg.ends.isPeerOver else { return }
        _ = legs[index].ends.endPeer()
        if current == leg.id { current = nil }
        commands.append(.close(leg.id, isReset: false))
    }

    /// Passes on what is complete of one read of a server.
    ///
    /// - Returns: How many bytes were dealt with; the rest is the start of a head that may have to be
    ///   rewritten, or follows the head that opened a tunnel.
    private mutating func walk(
        _ events: [HTTPEvent], _ read: HeldBytes, legIndex: Int, taken: Int,
        _ commands: inout [RelayCommand]
    ) -> Int {
        let id = legs[legIndex].id
        let count = read.bytes.count
        var patches: [Patch] = []
        var (passed, reach) = (0, 0)
        for event in events {
            switch event {
            case .head(let head, let end):
                guard isOwed(by: id) || read.origin == .tapedeck else {
                    pass(read, passed..<reach, patches, legIndex, &commands)
                    surplus(read.dropFirst(reach), legIndex, &commands)
                    return count
                }
                if head.status == 407, let proxy = legs[legIndex].proxy {
                    pass(read, passed..<reach, patches, legIndex, &commands)
                    refuseUpstream(proxy, legIndex, read.dropFirst(reach), &commands)
                    return count
                }
                notice(alternativesIn: head, legIndex, read.at, &commands)
                let made = rewrites(of: head)
                flushPartial(legIndex, made, from: head.start, &commands)
                patches += read.own(made, from: head.start)
                reach = end
                let isFinal = !(100..<200).contains(head.status ?? 0) || head.status == 101
                legs[legIndex].scan.headEnded(isFinal: isFinal)
                if isFinal { decideSwitch(head, legIndex) }
                if case .start = phase {
                    pass(read, passed..<reach, patches, legIndex, &commands)
                    return reach
                }
            case .end(let at):
                reach = at
                // A 1xx response ends here, and the request is still unanswered.
                if legs[legIndex].scan.messageEnded(), !outstanding.isEmpty {
                    outstanding.removeFirst()
                }
                if outstanding.first?.local != nil {
                    // A local answer precedes the next one of the server.
                    pass(read, passed..<reach, patches, legIndex, &commands)
                    (passed, patches) = (reach, [])
                    giveLocalAnswers(read.at, &commands)
                    if phase.isOver {
                        undeliver(
                            read.dropFirst(reach), on: id, "the connection is being closed",
                            &commands)
                        return count
                    }
                }
            case .content(let range):
                reach = max(reach, range.upperBound)
            case .trailers(_, let end):
                reach = max(reach, end)
            case .failure:
                guard legs[legIndex].scan.isInBody || isOwed(by: id) || read.origin == .tapedeck
                else {
                    pass(read, passed..<reach, patches, legIndex, &commands)
                    surplus(read.dropFirst(reach), legIndex, &commands)
                    return count
                }
                legs[legIndex].scan.giveUpFraming()
                flushPartial(legIndex, [], from: 0, &commands)
            case .note, .opaque:
                continue
            }
        }
        let isRaw = if case .raw = phase { true } else { false }
        if legs[legIndex].responses.isPaused, !isRaw {
            // No upgrade was requested: the protocol is unknown.
            legs[legIndex].responses.resume(.tunnel)
            legs[legIndex].scan.giveUpFraming()
        }
        let isAtHead = legs[legIndex].scan.position == .head
        if isAtHead, !isRaw, !isOwed(by: id), read.origin == .peer {
            pass(read, passed..<reach, patches, legIndex, &commands)
            surplus(read.dropFirst(reach), legIndex, &commands)
            return count
        }
        if !isAtHead || isRaw || !isRewriting { reach = count }
        pass(read, passed..<reach, patches, legIndex, &commands)
        return reach
    }

    /// Passes on part of a read; the patches are relative to the read and within the part.
    private mutating func pass(
        _ read: HeldBytes, _ part: Range<Int>, _ patches: [Patch], _ index: Int,
        _ commands: inout [RelayCommand]
    ) {
        toClient(read.part(part), patches.moved(by: -part.lowerBound), index, &commands)
    }

    /// Whether heads of responses may be rewritten, so that an incomplete one has to be held.
    private var isRewriting: Bool {
        if settings.stripsAltSvc || outstanding.first?.isMapped == true { return true }
        // By index: a leg is large, and this runs for every read.
        if legs.indices.contains(where: { legs[$0].proxy != nil }) { return true }
        if case .reverse = settings.mode { return !settings.keepsHost && !isTunnel }
        return false
    }

    private func rewrites(of head: HTTPHead) -> [Patch] {
        guard settings.stripsAltSvc else { return addressRewrites(of: head) }
        return (addressRewrites(of: head) + HeadRewrite.alternatives(head))
            .sorted { $0.offset < $1.offset }
    }

    /// Says, where it is left in, that a server offers a protocol that goes past the proxy.
    private mutating func notice(
        alternativesIn head: HTTPHead, _ index: Int, _ at: Instant,
        _ commands: inout [RelayCommand]
    ) {
        guard !settings.stripsAltSvc, let field = head.first("alt-svc"),
            head.text(field.value).lowercased().contains("h3")
        else { return }
        warn(
            "\(legs[index].address.place) offers HTTP/3 (Alt-Svc): a client that takes the offer is not "
                + "recorded; --strip-alt-svc takes it out", at, &commands)
    }

    private func addressRewrites(of head: HTTPHead) -> [Patch] {
        guard let request = outstanding.first else { return [] }
        if !request.isMapped {
            guard case .reverse = settings.mode, !settings.keepsHost, !isTunnel else { return [] }
        }
        if request.isMapped, let leg = legs.first(where: { $0.id == request.leg }) {
            let patches =
                HeadRewrite.response(
                    head, server: leg.address, proxy: request.proxyName, isProxyTLS: isClientTLS)
                + HeadRewrite.cookies(head, isClientTLS: isClientTLS)
            return patches.sorted { $0.offset < $1.offset }.map(\.ofRule)
        }
        guard let fixed else { return [] }
        return HeadRewrite.response(
            head, server: fixed, proxy: request.proxyName, isProxyTLS: isClientTLS)
    }

    /// The final answer to an upgrade request: what follows is the new protocol, or HTTP continues.
    private mutating func decideSwitch(_ head: HTTPHead, _ index: Int) {
        // A client that is being refused uses HTTP to the end.
        guard case .http = phase, let request = outstanding.first else { return }
        let status = head.status ?? 0
        if status == 101 {
            phase = .raw(request.leg, isRecorded: legs[index].isRecorded)
            outstanding = []
        } else if request.kind == .connect, (200..<300).contains(status) {
            enterTunnel(of: request, index)
        }
    }

    mutating func flushPartial(
        _ legIndex: Int, _ patches: [Patch], from base: Int64, _ commands: inout [RelayCommand]
    ) {
        for held in legs[legIndex].scan.partial.takeAll() {
            toClient(held, held.own(patches, from: base), legIndex, &commands)
        }
    }

    /// Records and sends bytes of a server.
    private mutating func toClient(
        _ read: HeldBytes, _ patches: [Patch], _ index: Int, _ commands: inout [RelayCommand]
    ) {
        guard !read.bytes.isEmpty else { return }
        guard !clientEnds.isRelayOver else {
            return undeliver(
                read, on: legs[index].id,
                clientEnds == .closed
                    ? "the connection is being closed" : "the client's leg was half-closed before",
                &commands)
        }
        if legs[index].isRecorded {
            recordChunk(read, patches, leg: legs[index].id, sender: .server, &commands)
        }
        commands.append(.send(clientLeg.id, Patch.apply(patches, to: Array(read.bytes))))
    }

    /// The server closed its side.
    mutating func serverEnded(_ id: LegID, _ at: Instant, _ commands: inout [RelayCommand]) {
        guard let index = legs.firstIndex(where: { $0.id == id }), !legs[index].ends.isPeerOver
        else {
            return
        }
        _ = legs[index].ends.endPeer()
        if legs[index].isRecorded { record(.ended, leg: id, at: at, detail: "", &commands) }
        if phase.isOver || clientEnds == .closed {
            for held in legs[index].scan.partial.takeAll() {
                undeliver(held, on: id, "the connection is being closed", &commands)
            }
            return
        }
        flushPartial(index, [], from: 0, &commands)
        let wasInBody = legs[index].scan.position != .head
        var events: [HTTPEvent] = []
        legs[index].responses.endOfStream(into: &events)
        for event in events {
            guard case .end = event, legs[index].scan.messageEnded() else { continue }
            if !outstanding.isEmpty { outstanding.removeFirst() }
        }
        let isNeeded = outstanding.contains { $0.leg == id }
        if isEveryone(id) || wasInBody || isNeeded {
            // The end of the connection means something to the client: the end of a body, or that
            // no answer will come.
            endClient(&commands)
        } else {
            commands.append(.close(id, isReset: false))
        }
        if current == id { current = isEveryone(id) ? id : nil }
        settle(at, &commands)
    }

    /// Whether a leg is all that the client can mean by its connection.
    private func isEveryone(_ id: LegID) -> Bool {
        switch phase {
        case .raw(let leg, _), .connecting(let leg): leg == id
        case _ where fixed != nil: current == nil || current == id
        default: legs.allSatisfy { $0.id == id }
        }
    }

    /// A server leg was closed.
    mutating func serverClosed(
        _ id: LegID, _ isReset: Bool, _ why: String, _ at: Instant,
        _ commands: inout [RelayCommand]
    ) {
        guard let index = legs.firstIndex(where: { $0.id == id }) else { return }
        if !legs[index].ends.isPeerOver { serverEnded(id, at, &commands) }
        sayWaiting(legs[index], at, &commands)
        if legs[index].isRecorded { record(.closed, leg: id, at: at, detail: why, &commands) }
        let isOver = isEveryone(id) || outstanding.contains { $0.leg == id }
        legs.removeAll { $0.id == id }
        if current == id { current = nil }
        if isOver, clientEnds != .closed {
            if case .hello(let held, _) = phase { sayHandshakeLost(held.count, at, &commands) }
            commands.append(.close(clientLeg.id, isReset: isReset))
            phase = .closed
        }
    }
}
