import NIOCore
import Wire

/// What a connection holds in memory.
extension ProxyConnection {
    /// How much waits for a peer that does not read before its counterpart is read no further.
    ///
    /// With one read of 32 KiB on top, 64 KiB is the most that waits.
    static let writeMarks = ChannelOptions.Types.WriteBufferWaterMark(
        low: 16 << 10, high: 48 << 10)

    /// How often it is looked again whether there is room.
    private static let interval = TimeAmount.milliseconds(100)

    /// Counts what is held, and reads no further where that is too much.
    func account() {
        guard !isFinished else { return }
        var now = relay.waitingBytes
        for line in lines.values where !line.channel.isWritable {
            now += (try? line.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
        }
        resources.memory.change(by: now - held)
        held = now
        let isOver = now > 0 && resources.memory.isExceeded(by: now)
        guard isOver != isOverBudget else { return }
        isOverBudget = isOver
        updateReading()
        if isOver { lookAgain() }
    }

    /// Others may make room without this connection noticing.
    private func lookAgain() {
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        eventLoop.scheduleTask(in: Self.interval) {
            guard bound.value.isOverBudget, !bound.value.lines.isEmpty else { return }
            bound.value.account()
            if bound.value.isOverBudget { bound.value.lookAgain() }
        }
    }
}

extension Relay {
    /// Bytes that wait for a server, or for an answer before them.
    var waitingBytes: Int {
        var count = 0
        for read in backlog { count += read.bytes.count }
        // By index: a leg is large, and this is asked after every event.
        for index in legs.indices { count += legs[index].held.count }
        return count
    }
}
