internal import NIOCore

/// What the heartbeats of SockJS and pings are timed by, so that tests need not wait for them.
struct Heartbeats: Sendable {
    /// Repeats something periodically on an event loop; the returned function ends that.
    let start:
        @Sendable (any EventLoop, TimeAmount, @escaping @Sendable () -> Void) ->
            @Sendable () ->
            Void
    /// Time between two pings to a WebSocket; nil for none.
    var pings: TimeAmount?

    /// By the clock of the event loop.
    static let timed = Heartbeats { loop, interval, beat in
        let task = loop.scheduleRepeatedTask(initialDelay: interval, delay: interval) { _ in
            beat()
        }
        return { task.cancel() }
    }
}
