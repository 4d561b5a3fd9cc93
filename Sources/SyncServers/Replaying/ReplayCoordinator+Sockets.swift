internal import NIOCore
internal import Replaying
internal import Wire

extension ReplayCoordinator {
    /// A WebSocket is open.
    func open(_ socket: (Int) -> ReplaySocket) -> ReplaySocket {
        socketCount += 1
        let socket = socket(socketCount)
        sockets[socketCount] = socket
        switch socket.role {
        case .simperium: handle(.opened(socket: socketCount))
        case .conversation(let exchange): handle(.opened(socket: socketCount, as: exchange))
        }
        return socket
    }

    /// A client sent a command.
    func received(_ text: [UInt8], on socket: ReplaySocket) {
        handle(.received(socket: socket.number, text: text))
    }

    /// A client sent a message of something else than Simperium.
    func received(_ message: SocketMessage, on socket: ReplaySocket) {
        handle(.received(socket: socket.number, message))
    }

    /// A WebSocket ended.
    func closed(_ socket: ReplaySocket) {
        guard sockets.removeValue(forKey: socket.number) != nil else { return }
        switch socket.role {
        case .simperium: handle(SimperiumReplayEvent.closed(socket: socket.number))
        case .conversation: handle(WebSocketReplayEvent.closed(socket: socket.number))
        }
    }

    /// Passes an event to the replay and carries out its commands.
    private func handle(_ event: SimperiumReplayEvent) {
        guard !isStopped else { return }
        let now = now
        lastHeard = .now()
        deliver(by: now)
        for command in simperium.handle(event, at: now) {
            switch command {
            case .send(let sending):
                put(.command(socket: sending.socket, sending.text), due: sending.due, now)
            case .close(let socket, let code, let due):
                put(.end(socket: socket, code: code), due: due, now)
            case .report(let miss): options.notice("missed: \(miss.description)")
            case .handOver(let handOver): options.notice(handOver.description)
            case .stop(let miss): end(because: miss.description)
            }
        }
        flush()
        listen()
    }

    /// The same for WebSockets that carry something else.
    private func handle(_ event: WebSocketReplayEvent) {
        guard !isStopped else { return }
        let now = now
        lastHeard = .now()
        deliver(by: now)
        for command in webSockets.handle(event, at: now) {
            switch command {
            case .send(let sending):
                put(.message(socket: sending.socket, sending.message), due: sending.due, now)
            case .close(let socket, let code, let due):
                put(.end(socket: socket, code: code), due: due, now)
            case .report(let miss): options.notice("missed: \(miss.description)")
            case .stop(let miss): end(because: miss.description)
            }
        }
        flush()
    }

    /// Stops since something came that was not recorded.
    private func end(because miss: String) {
        options.notice("missed: \(miss)")
        for socket in sockets.values {
            // RFC 6455, 7.4.1: 1011, the server cannot continue.
            socket.close(1011, reason: "the recording has no answer")
        }
        stop()
    }

    /// How long all clients have to be silent until one that did not connect is no longer waited
    /// for.
    ///
    /// It may never connect: one client is often tried with a recording of several.
    private static let patience = TimeAmount.milliseconds(250)

    /// Waits for the silence after which it continues without clients that are not there.
    private func listen() {
        guard silence == nil, simperium.awaitsAbsent else { return }
        let bound = NIOLoopBound(self, eventLoop: loop)
        silence = loop.scheduleTask(deadline: lastHeard + Self.patience) {
            let coordinator = bound.value
            coordinator.silence = nil
            if NIODeadline.now() >= coordinator.lastHeard + Self.patience {
                coordinator.handle(.nothingCame)
            } else {
                coordinator.listen()
            }
        }
    }

    /// Carries out what is due, and keeps what is not; nothing overtakes anything.
    private func put(_ delivery: SocketDelivery, due moment: Instant, _ now: Instant) {
        if due.isEmpty, moment <= now {
            carryOut(delivery)
            return
        }
        due.insert(delivery, due: moment)
        arm()
    }

    private func arm() {
        guard alarm == nil, let next = due.next else { return }
        let bound = NIOLoopBound(self, eventLoop: loop)
        alarm = loop.scheduleTask(in: time(until: next)) {
            let coordinator = bound.value
            coordinator.alarm = nil
            coordinator.deliver(by: coordinator.now)
            coordinator.flush()
        }
    }

    private func deliver(by now: Instant) {
        guard !due.isEmpty else { return }
        while let delivery = due.take(by: now) { carryOut(delivery) }
        alarm?.cancel()
        alarm = nil
        arm()
    }

    private func carryOut(_ delivery: SocketDelivery) {
        switch delivery {
        case .command(let socket, let text): sockets[socket]?.send(text)
        case .message(let socket, let message): sockets[socket]?.send(message)
        case .end(let socket, let code): sockets[socket]?.end(code)
        }
    }

    /// Has a socket flushed at the end of the turn.
    func touch(_ socket: ReplaySocket) { dirty.append(socket) }

    func flush() {
        guard !dirty.isEmpty else { return }
        let all = dirty
        dirty.removeAll(keepingCapacity: true)
        for socket in all { socket.flush() }
    }
}

extension ReplayServer.Mode {
    /// The same for Simperium.
    var simperium: SimperiumReplay.Mode {
        switch self {
        case .strict: .strict
        case .lenient: .lenient
        case .model: .model
        }
    }
}
