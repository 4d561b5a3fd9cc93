import Framing
import Wire

/// A request that waits until earlier ones are answered.
struct BlockedRequest {
    var read: HeldBytes
    /// Index in `read` of the first byte that was not passed on.
    var position: Int
    /// The events from the head of the request on.
    var events: ArraySlice<HTTPEvent>
    /// How many bytes of the read the framer took.
    var taken: Int
}

/// Where a request goes.
enum Route {
    case server(ServerAddress, patches: [Patch])
    case tunnel(ServerAddress)
    case refuse(Refusal)
}

extension Relay {
    /// Frames one read of the client and passes on what is complete.
    mutating func readRequests(_ read: HeldBytes, _ commands: inout [RelayCommand]) {
        var read = read
        read.start = scan.offset
        guard !scan.isOpaque else {
            passOn(read, read.bytes.startIndex..<read.bytes.endIndex, [], &commands)
            return
        }
        var events: [HTTPEvent] = []
        let taken = requests.consume(read.bytes.span, into: &events)
        scan.offset += Int64(taken)
        walk(events[...], read, from: 0, taken: taken, &commands)
    }

    /// Goes through the events of one read.
    ///
    /// Indices of events count from the start of the read.
    private mutating func walk(
        _ events: ArraySlice<HTTPEvent>, _ read: HeldBytes, from start: Int, taken: Int,
        _ commands: inout [RelayCommand]
    ) {
        var position = start
        var reach = start
        var patches: [Patch] = []
        for index in events.indices {
            switch events[index] {
            case .head(let head, let end):
                let route = route(of: head)
                if mustWait(route) {
                    passOn(read, local(read, position..<reach), patches, &commands)
                    blocked = BlockedRequest(
                        read: read, position: reach, events: events[index...], taken: taken)
                    pauseClient(&commands)
                    return
                }
                if !isGoing(to: route), position < reach {
                    passOn(read, local(read, position..<reach), patches, &commands)
                    (position, patches) = (reach, [])
                }
                guard let made = begin(head, route, read, upTo: end, &commands) else { return }
                patches += made
                reach = end
                scan.isInBody = true
            case .end(let at):
                scan.isInBody = false
                reach = at
            case .content(let range):
                reach = max(reach, range.upperBound)
            case .trailers(_, let end):
                reach = max(reach, end)
            case .failure(let error):
                scan.isOpaque = true
                flushPartial([], from: 0, &commands)
                if current == nil {
                    failRequests(read, error, &commands)
                    return
                }
            case .note, .opaque:
                continue
            }
        }
        if scan.isOpaque || scan.isInBody { reach = taken }
        passOn(read, local(read, position..<reach), patches, &commands)
        keepPartial(read, from: reach, to: taken)
        if taken < read.bytes.count { awaitSwitch(read, from: taken, &commands) }
    }

    private func local(_ read: HeldBytes, _ range: Range<Int>) -> Range<Int> {
        let first = read.bytes.startIndex
        return first + range.lowerBound..<first + range.upperBound
    }

    /// Keeps the start of a head that is not complete; where nothing could be rewritten it is passed
    /// on at once.
    private mutating func keepPartial(_ read: HeldBytes, from: Int, to: Int) {
        guard from < to else { return }
        scan.partial.append(
            HeldBytes(
                bytes: read.bytes[local(read, from..<to)], at: read.at,
                start: read.start + Int64(from), origin: read.origin))
    }

    /// What follows a request to change the protocol waits for the answer.
    private mutating func awaitSwitch(
        _ read: HeldBytes, from taken: Int, _ commands: inout [RelayCommand]
    ) {
        var rest = read
        rest.bytes = read.bytes.dropFirst(taken)
        rest.start = 0
        hold(rest, &commands)
    }

    // MARK: Routes

    /// Where a request goes, and what is rewritten on its way.
    private func route(of head: HTTPHead) -> Route {
        if let fixed, isTunnel || settings.keepsHost { return .server(fixed, patches: []) }
        if let fixed {
            if let refusal = hostRefusal(head, server: fixed) { return .refuse(refusal) }
            return .server(fixed, patches: HeadRewrite.reversed(head, server: fixed))
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
            let server = ServerAddress(
                host: authority.host, port: authority.port,
                isTLS: scheme == "https" || scheme == "wss")
            return .server(server, patches: HeadRewrite.forwarded(head, target, server: server))
        case .origin, .asterisk, nil:
            break
        }
        return .refuse(
            Refusal(
                status: 400, phrase: "Bad Request",
                says:
                    "this is an HTTP proxy: it takes requests for absolute URLs and CONNECT, and got "
                    + "\(head.method) \(head.target); for a server's own address start it with --to"
            ))
    }

    /// Whether a request has to wait until all earlier ones are answered.
    private func mustWait(_ route: Route) -> Bool {
        !outstanding.isEmpty && !isGoing(to: route)
    }

    /// Whether the leg in use leads where the route does.
    private func isGoing(to route: Route) -> Bool {
        // By index: a leg is large, and this is asked for every request.
        guard case .server(let server, _) = route,
            let index = legs.firstIndex(where: { $0.id == current })
        else { return false }
        return !legs[index].hasEnded && legs[index].address == server
    }

    // MARK: Passing on

    /// A head is complete: opens the leg it needs and passes on what was held of it.
    ///
    /// - Returns: The patches that fall into `read`, relative to it; nil where nothing more of the
    ///   read is to be looked at.
    private mutating func begin(
        _ head: HTTPHead, _ route: Route, _ read: HeldBytes, upTo end: Int,
        _ commands: inout [RelayCommand]
    ) -> [Patch]? {
        let kind = HTTPRequestKind(head)
        switch route {
        case .server(_, _) where hasEndedClient:
            // The client was told that nothing more comes; as before its server, this is lost.
            commands.append(.close(clientLeg.id, isReset: true))
            phase = .closed
            return nil
        case .server(let server, let patches):
            let leg = leg(to: server, read.at, &commands)
            current = leg
            flushPartial(patches, from: head.start, &commands)
            let isUpgrade =
                head.contains(token: "upgrade", in: "connection") && head.first("upgrade") != nil
            if isUpgrade { isAwaitingSwitch = true }
            outstanding.append(
                RelayRequest(
                    leg: leg, kind: kind, isUpgrade: isUpgrade,
                    proxyName: head.first("host").map { head.text($0.value) } ?? ""))
            update(leg) { $0.responses.expect(kind) }
            return read.own(patches, from: head.start)
        case .tunnel(let server):
            openTunnel(server, head, read, upTo: end, &commands)
            return nil
        case .refuse(let why):
            recordRefused(read, upTo: end, &commands)
            answer(why.status, why.phrase, "tapedeck: \(why.says)", read.at, &commands)
            return nil
        }
    }

    /// Passes on what was held of a head that is complete now, or never will be.
    mutating func flushPartial(
        _ patches: [Patch], from base: Int64, _ commands: inout [RelayCommand]
    ) {
        let partial = scan.partial
        scan.partial = []
        for held in partial {
            passOn(
                held, held.bytes.startIndex..<held.bytes.endIndex, held.own(patches, from: base),
                &commands)
        }
    }

    /// Records and sends part of a read on the leg in use.
    ///
    /// The patches are relative to the read and within `range`.
    private mutating func passOn(
        _ read: HeldBytes, _ range: Range<Int>, _ patches: [Patch],
        _ commands: inout [RelayCommand]
    ) {
        guard !range.isEmpty, let current, let index = legs.firstIndex(where: { $0.id == current })
        else { return }
        let shift = range.lowerBound - read.bytes.startIndex
        let moved =
            shift == 0 || patches.isEmpty
            ? patches
            : patches.map {
                Patch(
                    offset: $0.offset - shift, removed: $0.removed, inserted: $0.inserted,
                    reason: $0.reason)
            }
        let bytes = read.bytes[range]
        if legs[index].isRecorded {
            recordChunk(
                bytes, patches: moved, leg: clientLeg.id, sender: .client, at: read.at,
                origin: read.origin, &commands)
        }
        send(Patch.apply(moved, to: Array(bytes)), on: current, &commands)
    }

    /// Records a request that goes nowhere, so that the trace shows what was refused.
    private mutating func recordRefused(
        _ read: HeldBytes, upTo end: Int, _ commands: inout [RelayCommand]
    ) {
        for held in scan.partial {
            recordChunk(
                held.bytes, patches: [], leg: clientLeg.id, sender: .client, at: held.at,
                &commands)
        }
        scan.partial = []
        recordChunk(
            read.bytes.prefix(end), patches: [], leg: clientLeg.id, sender: .client, at: read.at,
            &commands)
    }

    /// The client's bytes are no HTTP, and no server is known that could be asked.
    private mutating func failRequests(
        _ read: HeldBytes, _ error: HTTPFramingError, _ commands: inout [RelayCommand]
    ) {
        if let fixed {
            let leg = leg(to: fixed, read.at, &commands)
            current = leg
            for held in scan.partial + [read] {
                passOn(held, held.bytes.startIndex..<held.bytes.endIndex, [], &commands)
            }
            scan.partial = []
        } else {
            recordRefused(read, upTo: read.bytes.count, &commands)
            answer(400, "Bad Request", "tapedeck: \(error)", read.at, &commands)
        }
    }

    /// The read that waited goes on, since everything before it is answered.
    mutating func unblock(_ commands: inout [RelayCommand]) {
        guard outstanding.isEmpty, let waiting = blocked else { return }
        blocked = nil
        walk(
            waiting.events, waiting.read, from: waiting.position, taken: waiting.taken, &commands)
        drainBacklog(&commands)
    }

    /// Looks at the reads that waited.
    mutating func drainBacklog(_ commands: inout [RelayCommand]) {
        while blocked == nil, !isAwaitingSwitch, !backlog.isEmpty, case .http = phase {
            readRequests(backlog.removeFirst(), &commands)
        }
        if blocked == nil, !isAwaitingSwitch, backlog.isEmpty { resumeClient(&commands) }
        if hasClientEnded, backlog.isEmpty { endServers(&commands) }
    }
}
