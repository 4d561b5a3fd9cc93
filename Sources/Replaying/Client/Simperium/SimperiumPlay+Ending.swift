internal import Simperium
internal import Wire

extension SimperiumPlay {
    /// Does what is due on a socket by now.
    mutating func lookAfter(_ socket: Int) {
        switch sockets[socket].phase {
        case .waiting, .over: return
        case .open: for stream in sockets[socket].streams { lookAfter(stream: stream) }
        case .parting, .closing: break
        }
        beat(socket)
        endIfThrough(socket)
        let age = now.nanoseconds - sockets[socket].since.nanoseconds
        switch sockets[socket].phase {
        case .parting where age >= min(settings.patience, 1_000_000_000): leave(socket)
        case .closing where age >= settings.patience: missEnd(socket)
        default: break
        }
    }

    private mutating func lookAfter(stream: Int) {
        guard let since = streams[stream].blockedSince else { return }
        let next = streams[stream].nextClient
        let place =
            next < streams[stream].client.count
            ? streams[stream].client[next] : Int32(truncatingIfNeeded: commands.count)
        if isStillToBeMade(before: place, on: stream) {
            streams[stream].blockedSince = now
            return
        }
        // Others may still have to do what is waited for; the server alone has nothing to wait for.
        if isMadeLater(before: place, on: stream),
            streams[stream].blockedProgress != progress
        {
            streams[stream].blockedSince = now
            streams[stream].blockedProgress = progress
            return
        }
        guard now.nanoseconds - since.nanoseconds >= settings.patience else { return }
        streams[stream].blockedSince = nil
        miss(before: place, on: stream)
        advance(stream)
    }

    private mutating func beat(_ socket: Int) {
        for command in sockets[socket].heartbeat?.timePassed(at: now) ?? [] {
            switch command {
            case .send(let message):
                output.append(.send(sockets[socket].id, message.encoded(by: .client)))
            case .reconnect:
                output.append(.close(sockets[socket].id))
                lose(socket, "it does not answer heartbeats")
                return
            case .setTimer: break
            }
        }
    }

    /// Ends a socket on which everything has been sent.
    mutating func endIfThrough(_ socket: Int) {
        guard sockets[socket].phase == .open,
            sockets[socket].streams.allSatisfy({ streams[$0].isThrough })
        else { return }
        // A change that the recorded server applied although its client had disconnected.
        let isAwaited = flights.contains { ccid, flight in
            streams[flight.stream].socket == socket && reportedElsewhere.contains(ccid)
        }
        if isAwaited {
            let since = sockets[socket].lingersSince ?? now
            sockets[socket].lingersSince = since
            guard now.nanoseconds - since.nanoseconds >= settings.patience else { return }
        }
        sockets[socket].since = now
        if sockets[socket].end != nil {
            sockets[socket].phase = .closing
            return
        }
        // What the server still has to send precedes its answer to a heartbeat.
        sockets[socket].phase = .parting
        let number = sockets[socket].heartbeat?.next ?? 0
        output.append(
            .send(
                sockets[socket].id, SimperiumMessage(nil, .heartbeat(number)).encoded(by: .client)))
    }

    /// Closes a socket that the recorded client had closed.
    mutating func leave(_ socket: Int) {
        output.append(.close(sockets[socket].id))
        finish(socket)
    }

    /// The live server does not close what the recorded one closed.
    private mutating func missEnd(_ socket: Int) {
        var found = Differences()
        let code = sockets[socket].end?.code.map { "closed with \($0)" } ?? "closed"
        found.add(Difference(.presence, "the socket", recorded: code, live: "open"))
        report(
            socket,
            .init(
                channel: nil, bucket: nil, command: nil, line: "the end of the socket",
                differences: found))
        leave(socket)
    }

    /// The live socket ended.
    mutating func closed(_ id: ConnectionID, _ code: Int?, _ reason: String) {
        guard let socket = socketPlaces[id] else { return }
        switch sockets[socket].phase {
        case .over: return
        case .parting: finish(socket)
        case .closing:
            if sockets[socket].end?.code != code {
                var found = Differences()
                found.add(
                    Difference(
                        .presence, "code",
                        recorded: sockets[socket].end?.code.map { String($0) } ?? "none",
                        live: code.map { String($0) } ?? "none"))
                report(
                    socket,
                    .init(
                        channel: nil, bucket: nil, command: nil, line: "the end of the socket",
                        differences: found))
            }
            finish(socket)
        case .waiting:
            sockets[socket].played.unreachable = reason
            lose(socket, reason)
        case .open: lose(socket, reason)
        }
    }

    /// The live server ended a socket too soon, or never opened it.
    private mutating func lose(_ socket: Int, _ reason: String) {
        var found = Differences()
        found.add(
            Difference(
                .presence, "the socket", recorded: "open",
                live: "closed: \(OneLine.text(reason))"))
        report(
            socket,
            .init(
                channel: nil, bucket: nil, command: nil, line: "the socket",
                differences: found))
        finish(socket)
    }

    /// A recorded socket is not played, or no longer.
    mutating func abandon(_ id: ConnectionID) {
        guard let socket = socketPlaces[id], sockets[socket].phase != .over else { return }
        sockets[socket].played.wasStopped = true
        if sockets[socket].phase != .waiting { output.append(.close(id)) }
        finish(socket)
    }

    private mutating func finish(_ socket: Int) {
        sockets[socket].phase = .over
        sockets[socket].heartbeat = nil
        for stream in sockets[socket].streams { close(stream) }
        dues.removeAll { due in
            switch due.what {
            case .advance(let stream), .again(let stream, _, _): streams[stream].socket == socket
            }
        }
        progress += 1
        output.append(.finished(sockets[socket].id))
    }
}
