import Faults
import NIOCore
import Wire

/// What rules ask of the sockets of a connection.
extension ProxyConnection {
    /// The client's channel is active: the rules about connections are evaluated.
    func accepted() {
        if let refusal { return refuseSoon(refusal) }
        if relay.isTransparent { findServer() }
        guard judge != nil else { return }
        var commands: [RelayCommand] = []
        judge?.accepted(at: sink.now(), relay: &relay, into: &commands)
        carryOut(commands)
        flush()
        account()
    }

    /// Carries out an action once, now.
    ///
    /// - Returns: Whether it can be carried out on this connection.
    func fire(_ firing: Firing) -> Bool {
        var commands: [RelayCommand] = []
        let isDone =
            judge?.fire(firing, at: sink.now(), relay: &relay, into: &commands) ?? false
        carryOut(commands)
        flush()
        account()
        return isDone
    }

    /// The messages that somebody has to decide about.
    var heldMessages: [HeldMessage] { judge?.held ?? [] }

    /// Carries out what was decided about a held message.
    ///
    /// - Returns: Whether it is held on this connection.
    func decide(_ id: HeldMessage.ID, _ decision: HoldDecision) -> Bool {
        var commands: [RelayCommand] = []
        let isHeld =
            judge?.decide(id, decision, at: sink.now(), relay: &relay, into: &commands) ?? false
        carryOut(commands)
        flush()
        account()
        return isHeld
    }

    /// The description of the connection for lists.
    var description: ConnectionDescription {
        ConnectionDescription(
            id: id, client: relay.connection.client,
            server: relay.fixed.map { "\($0.host):\($0.port)" },
            openedAt: relay.connection.at, isWebSocket: judge?.isWebSocket ?? false)
    }

    func wake(at moment: Instant) {
        alarm?.cancel()
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        let wait = max(0, moment.nanoseconds - sink.now().nanoseconds)
        alarm = eventLoop.scheduleTask(in: .nanoseconds(wait)) { bound.value.dispatch(.woke) }
    }
}
