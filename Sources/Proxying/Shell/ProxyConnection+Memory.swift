import NIOCore
import Wire

/// What a connection holds in memory.
extension ProxyConnection {
    /// How much waits for a peer that does not read before reading from its counterpart stops.
    ///
    /// With one read of 32 KiB on top, at most 80 KiB wait, and 128 KiB after one
    /// of a long body, which is made when nothing waits.
    static let writeMarks = ChannelOptions.Types.WriteBufferWaterMark(
        low: 16 << 10, high: 48 << 10)

    /// How often it is looked again whether there is room.
    private static let interval = TimeAmount.milliseconds(100)

    /// Counts what is held, and stops reading where that is too much.
    func account() {
        guard !isFinished else { return }
        let (relayed, judged) = (relay.holding(), judge?.holding())
        let hasHead = relayed.hasHead || judged?.hasHead == true
        watchHead(hasHead)
        var now = relayed.bytes + (judged?.bytes ?? 0)
        for line in isSomebodyBehind ? lines.all : [] where !line.channel.isWritable {
            now += line.waiting
        }
        resources.memory.change(by: now - held)
        held = now
        let isOver = now > 0 && resources.memory.isExceeded(by: now)
        guard isOver != isOverBudget else { return }
        if isOver { _ = pause(.overBudget) } else { resume(.overBudget) }
        updateReading()
        guard isOver else { return }
        lookAgain()
        guard hasHead || relayed.framed > 0 else { return }
        // It would wait for bytes that are not read.
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        eventLoop.execute { bound.value.dispatch(.overdue) }
    }

    private var isOverBudget: Bool { pauses[Peer.client.rawValue].contains(.overBudget) }

    /// Others may make room without this connection noticing.
    private func lookAgain() {
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        eventLoop.scheduleTask(in: Self.interval) {
            guard bound.value.isOverBudget, !bound.value.lines.isEmpty else { return }
            bound.value.account()
            if bound.value.isOverBudget { bound.value.lookAgain() }
        }
    }

    /// Limits the time for which the start of a head is held.
    private func watchHead(_ isHolding: Bool) {
        guard isHolding != (overdue != nil) else { return }
        overdue?.cancel()
        overdue = nil
        guard isHolding else { return }
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        overdue = eventLoop.scheduleTask(in: .seconds(configuration.headSeconds)) {
            bound.value.overdue = nil
            bound.value.dispatch(.overdue)
        }
    }
}
