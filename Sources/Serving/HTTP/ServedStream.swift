internal import Synchronization

/// A body that goes on while it is sent, for an answer whose end is not known when it begins.
///
/// For any thread. What is written before the head of the answer is sent waits for that.
package final class ServedStream: Sendable, Hashable {
    private struct State {
        var sink: (@Sendable ([UInt8]?) -> Void)?
        var waiting: [[UInt8]] = []
        var isEnded = false
        var isClosed = false
    }

    private let state = Mutex(State())
    private let closed: @Sendable (ServedStream) -> Void

    /// A body of which nothing is sent.
    ///
    /// - Parameter closed: Called once, when the body was sent to its end or the client is gone.
    package init(closed: @escaping @Sendable (ServedStream) -> Void) { self.closed = closed }

    /// Sends bytes.
    package func write(_ bytes: [UInt8]) {
        let sink = state.withLock { state -> (@Sendable ([UInt8]?) -> Void)? in
            guard !state.isEnded, !state.isClosed else { return nil }
            if state.sink == nil { state.waiting.append(bytes) }
            return state.sink
        }
        sink?(bytes)
    }

    /// Ends the body.
    package func end() {
        let sink = state.withLock { state -> (@Sendable ([UInt8]?) -> Void)? in
            guard !state.isEnded, !state.isClosed else { return nil }
            state.isEnded = true
            return state.sink
        }
        sink?(nil)
    }

    /// Begins to send; `sink` gets pieces in their order, and nil at the end.
    func begin(_ sink: @escaping @Sendable ([UInt8]?) -> Void) {
        let (waiting, isEnded) = state.withLock { state in
            state.sink = sink
            defer { state.waiting = [] }
            return (state.waiting, state.isEnded)
        }
        for bytes in waiting { sink(bytes) }
        if isEnded { sink(nil) }
    }

    /// Notes that nothing more is sent.
    func close() {
        let isFirst = state.withLock { state in
            defer {
                state.isClosed = true
                state.sink = nil
                state.waiting = []
            }
            return !state.isClosed
        }
        if isFirst { closed(self) }
    }

    package static func == (a: ServedStream, b: ServedStream) -> Bool { a === b }

    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
