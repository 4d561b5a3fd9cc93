internal import NIOCore
internal import Synchronization

/// The connections of a listener that are open, so that it can close them.
final class OpenConnections: Sendable {
    private struct State {
        var channels: [ObjectIdentifier: any Channel] = [:]
        var isEnded = false
    }

    private let state = Mutex(State())

    /// Registers a connection until it closes; false once no more are accepted.
    func add(_ channel: any Channel) -> Bool {
        let isTaken = state.withLock { state in
            guard !state.isEnded else { return false }
            state.channels[ObjectIdentifier(channel)] = channel
            return true
        }
        guard isTaken else { return false }
        channel.closeFuture.whenComplete { _ in
            self.state.withLock { _ = $0.channels.removeValue(forKey: ObjectIdentifier(channel)) }
        }
        return true
    }

    /// Accepts no more; returns those that are open.
    func end() -> [any Channel] {
        state.withLock { state in
            state.isEnded = true
            return Array(state.channels.values)
        }
    }
}
