import NIOCore
import Platform
import Wire

/// Clients and servers that are refused for a reason of the proxy.
extension ProxyConnection {
    /// How long a client that is refused may keep silent.
    private static let patience = TimeAmount.seconds(1)
    /// How long it may continue sending after its answer: an immediate close could lose the answer.
    private static let grace = TimeAmount.milliseconds(250)

    /// A client that is refused is not waited for.
    func refuseSoon(_ refusal: Refusal) {
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        alarm = eventLoop.scheduleTask(in: Self.patience) {
            bound.value.refusal = nil
            bound.value.refuse(refusal, [])
        }
    }

    /// Answers the client, which has sent these bytes, and hangs up.
    func refuse(_ refusal: Refusal, _ bytes: [UInt8]) {
        alarm?.cancel()
        judge = nil
        var commands: [RelayCommand] = []
        relay.refuse(refusal, bytes, sink.now(), &commands)
        carryOut(commands)
        flush()
        account()
        guard let channel = lines[clientLeg]?.channel else { return }
        guard !bytes.isEmpty else {
            channel.close(promise: nil)
            return
        }
        alarm = eventLoop.scheduleTask(in: Self.grace) { channel.close(promise: nil) }
    }

    /// Whether the client's first bytes are taken as those of a client that gets nothing.
    func refuses(_ bytes: [UInt8]) -> Bool {
        if let refusal {
            self.refusal = nil
            refuse(refusal, bytes)
            return true
        }
        guard resources.ownSockets.isOwn(lines[clientLeg]?.channel.remoteAddress) else {
            return false
        }
        let loop = Refusal.loop(relay.connection.listener)
        if resources.ownSockets.isFirstReport() {
            configuration.notice(
                "tapedeck: loop: \(loop.detail); requests in it are answered with 508")
        }
        refuse(loop, bytes)
        return true
    }

    /// Drops a socket that led, or may have led, to the proxy itself: not at once, since what was
    /// sent on it may still be unread.
    func forget(_ own: SocketAddress) {
        let sockets = resources.ownSockets
        eventLoop.scheduleTask(in: Self.patience * 2) { sockets.forget(own) }
    }

    /// Takes a descriptor for a server; whether there is one.
    func claimDescriptor() -> Bool {
        descriptors += 1
        guard descriptors > DescriptorBudget.perClient else { return true }
        guard !resources.descriptors.takeOne() else { return true }
        descriptors -= 1
        return false
    }

    /// Gives back that of a server.
    func releaseDescriptor() {
        if descriptors > DescriptorBudget.perClient { resources.descriptors.giveOne() }
        descriptors -= 1
    }

    /// Why a server was not connected, where that is not the server's doing.
    func refusal(for error: any Error) -> Refusal? {
        guard let code = ConnectCause.systemError(error), [EMFILE, ENFILE].contains(code) else {
            return nil
        }
        return .exhausted(resources.descriptors)
    }
}
