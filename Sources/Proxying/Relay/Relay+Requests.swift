import Framing
import Wire

/// A request that waits until earlier ones are answered.
struct BlockedRequest {
    var read: HeldBytes
    /// Index in `read` of the first byte that was not passed on.
    var position: Int
    /// The events from the head of the request on.
    var events: ArraySlice<HTTPEvent>
}

extension Relay {
    /// Frames one read of the client and passes on what is complete; what has to wait comes before
    /// everything else that waits.
    mutating func readRequests(_ read: HeldBytes, _ commands: inout [RelayCommand]) {
        var rest = read
        while !rest.bytes.isEmpty {
            rest.start = scan.offset
            guard scan.isFramed else {
                passOn(rest, 0..<rest.bytes.count, [], &commands)
                return
            }
            var events: [HTTPEvent] = []
            events.reserveCapacity(Self.usualEvents)
            let taken = requests.consume(
                rest.bytes.span, into: &events,
                beginning: isCounting ? Self.maximumOutstanding - outstanding.count : .max,
                known: known)
            // The framer waits for an answer, or the servers for fewer requests.
            guard taken > 0 else { break }
            scan.offset += Int64(taken)
            let reached = walk(events[...], rest.part(0..<taken), from: 0, &commands)
            rest = rest.dropFirst(reached)
            guard case .http = phase, blocked == nil else { break }
        }
        if !rest.bytes.isEmpty { leave(rest, &commands) }
        // Its server does not wait for more.
        if requests.isInHeadWithoutVersion { giveUpRequest(read.at, &commands) }
    }

    /// What is left of a read waits for an answer, or is dropped.
    private mutating func leave(_ rest: HeldBytes, _ commands: inout [RelayCommand]) {
        switch phase {
        case .refusing, .closed:
            undeliver(rest, on: clientLeg.id, "the connection is being closed", &commands)
        case .start, .hello, .socks, .securing, .http, .connecting, .raw:
            backlog.putBack(rest)
        }
    }

    /// Goes through the events of one read.
    ///
    /// Indices of events count from the start of the read.
    ///
    /// - Returns: How many bytes of the read were processed: all but those that no longer belong to
    ///   HTTP.
    private mutating func walk(
        _ events: ArraySlice<HTTPEvent>, _ read: HeldBytes, from start: Int,
        _ commands: inout [RelayCommand]
    ) -> Int {
        let count = read.bytes.count
        var position = start
        var reach = start
        var patches: [Patch] = []
        for index in events.indices {
            switch events[index] {
            case .head(let head, let end):
                let route = route(of: head)
                if mustWait(route) {
                    passOn(read, position..<reach, patches, &commands)
                    blocked = BlockedRequest(
                        read: read, position: reach, events: events[index...])
                    return count
                }
                if clientEnds.isRelayOver || !isGoing(to: route) {
                    passOn(read, position..<reach, patches, &commands)
                    (position, patches) = (reach, [])
                }
                guard let made = begin(head, route, read, from: position, upTo: end, &commands)
                else { return end }
                patches += made
                reach = end
                scan.headEnded()
            case .end(let at):
                scan.messageEnded()
                reach = at
            case .content(let range):
                reach = max(reach, range.upperBound)
            case .trailers(_, let end):
                reach = max(reach, end)
            case .failure(let error):
                if !scan.isInBody {
                    passOn(read, position..<reach, patches, &commands)
                    (position, patches) = (reach, [])
                    guard giveUpFraming(read, from: position, error, &commands) else {
                        return count
                    }
                }
                scan.giveUpFraming()
            case .note, .opaque:
                continue
            }
        }
        if scan.position != .head { reach = count }
        passOn(read, position..<reach, patches, &commands)
        keepPartial(read, from: reach, &commands)
        return count
    }

    /// Keeps the start of a head that is not complete; where nothing can be rewritten it is passed
    /// on at once.
    private mutating func keepPartial(
        _ read: HeldBytes, from: Int, _ commands: inout [RelayCommand]
    ) {
        let part = read.dropFirst(from)
        guard !part.bytes.isEmpty else { return }
        if let fixed, isTunnel || settings.keepsHost, !clientEnds.isRelayOver,
            let leg = liveLeg(to: fixed, read.at, &commands)
        {
            current = leg
            passOn(part, 0..<part.bytes.count, [], &commands)
        } else {
            scan.partial.append(part)
        }
    }

    // MARK: Routes

    /// The server of a request, and its rewrites.
    private mutating func route(of head: HTTPHead) -> Route {
        if let mapped { return route(of: head, mapping: mapped) }
        return ownRoute(of: head)
    }

    /// The same without what a rule says.
    mutating func ownRoute(of head: HTTPHead) -> Route {
        if let unreachable { return .refuse(unreachable) }
        if let fixed, isTunnel || settings.keepsHost { return .server(fixed, patches: []) }
        if let fixed {
            if let refusal = hostRefusal(head, server: fixed) { return .refuse(refusal) }
            return .server(
                fixed,
                patches: HeadRewrite.reversed(
                    head, scheme: fixed.scheme, authority: fixedAuthority))
        }
        let target = try? head.parsedTarget()
        switch target?.form {
        case .authority:
            guard let authority = target?.authority else { break }
            return .tunnel(
                ServerAddress(host: authority.host, port: authority.port, isTLS: false))
        case .absolute:
            guard let target, let authority = target.authority, let scheme = target.scheme,
                target.defaultPort != nil
            else { break }
            if let page = ownPage(authority.host, head) { return page }
            let server = ServerAddress(
                host: authority.host, port: authority.port,
                isTLS: scheme == "https" || scheme == "wss")
            return .server(server, patches: HeadRewrite.forwarded(head, target, server: server))
        case .origin:
            // The address of the listener itself, typed into a browser.
            if let page = listenerPage(head) { return page }
        case .asterisk, nil:
            break
        }
        return .refuse(
            Refusal(
                status: 400, phrase: "Bad Request",
                detail:
                    "this is an HTTP proxy: it takes requests for absolute URLs and CONNECT, and got "
                    + "\(head.method) \(head.target); for a server's own address start it with --to"
            ))
    }

    /// Whether a request has to wait until all earlier ones are answered.
    private func mustWait(_ route: Route) -> Bool {
        switch route {
        case .server: !outstanding.isEmpty && !isGoing(to: route)
        case .tunnel: !outstanding.isEmpty
        // Its answer waits for its turn.
        case .page, .refuse: false
        }
    }

    /// Whether the leg in use leads where the route does.
    private func isGoing(to route: Route) -> Bool {
        // By index: a leg is large, and this runs for every request.
        guard case .server(let server, _, _) = route,
            let index = legs.firstIndex(where: { $0.id == current })
        else { return false }
        return !legs[index].ends.isPeerOver && legs[index].address == server
    }

    // MARK: Passing on

    /// A head is complete: opens the leg it needs and forwards what was held of it.
    ///
    /// - Returns: The patches that fall into `read`, relative to it; nil where nothing more of the
    ///   read is HTTP.
    private mutating func begin(
        _ head: HTTPHead, _ route: Route, _ read: HeldBytes, from position: Int, upTo end: Int,
        _ commands: inout [RelayCommand]
    ) -> [Patch]? {
        let kind = HTTPRequestKind(head)
        mapped = nil
        if head.isText("PRI", in: head.methodRange) {
            warn(Self.http2Alone(fixed?.host), read.at, &commands)
        }
        switch route {
        case _ where clientEnds.isRelayOver:
            // The client's stream was closed; this is lost, as with a direct connection to its
            // server.
            lose(read.part(position..<end), &commands)
            return nil
        case .server(let server, let patches, let isMapped):
            let isUpgrade =
                head.contains(token: "upgrade", in: "connection") && head.first("upgrade") != nil
            guard
                let leg = liveLeg(
                    to: server, isMapped: isMapped, isUpgrade: isUpgrade, read.at, &commands)
            else {
                lose(read.part(position..<end), &commands)
                return nil
            }
            current = leg
            let patches = patches + upstreamRewrites(of: head, on: leg)
            flushPartial(patches, from: head.start, &commands)
            guard isCounting || outstanding.last?.leg != leg else {
                return read.own(patches, from: head.start)
            }
            outstanding.append(
                RelayRequest(
                    leg: leg, kind: kind,
                    proxyName: head.first("host").map { head.text($0.value) } ?? "",
                    openRosaVersion: openRosaVersion(head), isMapped: isMapped,
                    switching: isUpgrade || kind == .connect ? head : nil))
            update(leg) { $0.responses.expect(kind) }
            return read.own(patches, from: head.start)
        case .tunnel(let server) where isOwn(server.host):
            recordForTapedeck(read.part(position..<end), nil, &commands)
            openOwnTunnel(read.at, &commands)
            return nil
        case .tunnel(let server):
            recordForTapedeck(read.part(position..<end), server, &commands)
            openTunnel(server, read.at, &commands)
            return nil
        case .page(let page):
            recordForTapedeck(read.part(position..<end), nil, &commands)
            let page = filled(page, head, read.at)
            answer(
                200, "OK", type: page.type, page.content,
                fields: "Date: \(settings.clock.date(at: read.at))\r\n", read.at, &commands)
            return nil
        case .refuse(let why):
            recordForTapedeck(read.part(position..<end), nil, &commands)
            refuse(
                why.status, why.phrase, "tapedeck: \(why.detail)", openRosa: openRosaVersion(head),
                read.at, &commands)
            return nil
        }
    }

    private func openRosaVersion(_ head: HTTPHead) -> String? {
        head.first("x-openrosa-version").map { head.text($0.value) }
    }

    /// Forwards what was held of a head that is complete now, or never will be.
    mutating func flushPartial(
        _ patches: [Patch], from base: Int64, _ commands: inout [RelayCommand]
    ) {
        for held in scan.partial.takeAll() {
            passOn(held, 0..<held.bytes.count, held.own(patches, from: base), &commands)
        }
    }

    /// Records and sends part of a read on the leg in use.
    ///
    /// The patches are relative to the read and within `range`.
    private mutating func passOn(
        _ read: HeldBytes, _ range: Range<Int>, _ patches: [Patch],
        _ commands: inout [RelayCommand]
    ) {
        guard !range.isEmpty else { return }
        let part = read.part(range)
        guard let current, let index = legs.firstIndex(where: { $0.id == current }) else {
            undeliver(part, on: clientLeg.id, "its server has closed the connection", &commands)
            return
        }
        guard !legs[index].ends.isRelayOver else {
            undeliver(part, on: clientLeg.id, Self.reportedEnd, &commands)
            return
        }
        let moved = patches.moved(by: -range.lowerBound)
        let isProxied = legs[index].proxy != nil
        if legs[index].isRecorded {
            recordChunk(
                part, isProxied ? moved.recorded : moved, leg: clientLeg.id, sender: .client,
                &commands)
        }
        send(
            Patch.apply(isProxied ? moved.forProxy : moved, to: Array(part.bytes)), on: current,
            &commands)
    }

    /// Records the head of a request that Tapedeck answers itself; nil means no server.
    mutating func recordForTapedeck(
        _ part: HeldBytes, _ server: ServerAddress?, _ commands: inout [RelayCommand]
    ) {
        let held = scan.partial.takeAll()
        guard server.map({ settings.records($0.host) }) != false else { return }
        for part in held + [part] where !part.bytes.isEmpty {
            // A request for a tunnel is for the proxy, and counts as had by both sides.
            if server != nil {
                recordChunk(part, leg: clientLeg.id, sender: .client, &commands)
            } else {
                recordKept(part, leg: clientLeg.id, sender: .client, &commands)
            }
        }
    }

    /// A request arrived too late: what there is of it is dropped, and the client is reset.
    mutating func lose(_ part: HeldBytes, _ commands: inout [RelayCommand]) {
        for part in scan.partial.takeAll() + [part] {
            undeliver(part, on: clientLeg.id, "the server has ended the connection", &commands)
        }
        commands.append(.close(clientLeg.id, isReset: true))
        phase = .closed
    }

    // MARK: Going on

    /// The read that waited is processed, since everything before it is answered.
    mutating func resume(_ waiting: BlockedRequest, _ commands: inout [RelayCommand]) {
        let reached = walk(waiting.events, waiting.read, from: waiting.position, &commands)
        let rest = waiting.read.dropFirst(reached)
        if !rest.bytes.isEmpty { leave(rest, &commands) }
    }
}
