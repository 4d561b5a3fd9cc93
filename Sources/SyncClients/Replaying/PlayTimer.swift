internal import NIOCore
internal import Replaying
internal import Wire

/// The time of one play, in nanoseconds since it began, and its one timer; on its event loop alone.
struct PlayTimer {
    let loop: any EventLoop
    private let start = NIODeadline.now()
    private var timer: Scheduled<Void>?

    init(_ loop: any EventLoop) { self.loop = loop }

    var now: Instant {
        Instant(
            nanoseconds: Int64(
                clamping: NIODeadline.now().uptimeNanoseconds - start.uptimeNanoseconds))
    }

    /// Calls `fire` at `time`, or at once where that is past, instead of what was set before.
    mutating func set(_ time: Instant, _ fire: @escaping @Sendable () -> Void) {
        timer?.cancel()
        timer = loop.scheduleTask(
            in: .nanoseconds(max(0, time.nanoseconds - now.nanoseconds)), fire)
    }

    mutating func cancel() {
        timer?.cancel()
        timer = nil
    }
}

extension ReplayOrder {
    /// Asks for the turn of a step, and calls `go` on `loop`: before this returns, where it is called
    /// there and nothing is to be waited for.
    func awaitTurn(
        _ step: ReplaySchedule.Step, on loop: any EventLoop, go: @escaping @Sendable () -> Void
    ) {
        awaitTurn(step) {
            if loop.inEventLoop { go() } else { loop.execute(go) }
        }
    }
}
