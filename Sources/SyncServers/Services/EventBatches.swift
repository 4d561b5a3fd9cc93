internal import NIOCore
internal import Synchronization

/// Events that are worked off one turn after the other, on one thread.
///
/// What comes while a turn is worked off is one turn together, so that one write to the disk is
/// enough for many clients.
final class Turns<Event: Sendable>: Sendable {
    private struct State {
        var events: [Event] = []
        var isUnderWay = false
    }

    private let loop: any EventLoop
    private let state = Mutex(State())
    private let work: @Sendable ([Event]) -> Void

    /// Turns on a separate thread.
    init(_ loop: any EventLoop, work: @escaping @Sendable ([Event]) -> Void) {
        self.loop = loop
        self.work = work
    }

    /// Adds an event to the next turn; from any thread.
    func add(_ event: Event) {
        let starts = state.withLock { state in
            state.events.append(event)
            defer { state.isUnderWay = true }
            return !state.isUnderWay
        }
        if starts { loop.execute { self.take() } }
    }

    private func take() {
        let events = state.withLock { state in
            defer { state.events = [] }
            return state.events
        }
        work(events)
        let goesOn = state.withLock { state in
            state.isUnderWay = !state.events.isEmpty
            return state.isUnderWay
        }
        // Other things on the thread, such as timers, come in between.
        if goesOn { loop.execute { self.take() } }
    }
}
