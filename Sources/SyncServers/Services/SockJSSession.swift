internal import Framing
internal import NIOCore
internal import Serving
internal import Synchronization

/// A session of SockJS over HTTP: what the client gets with one request after the other.
///
/// Everything but its beginning happens on one event loop.
final class SockJSSession: SocketOutlet {
    /// How long a session is kept while no request waits for what the server sends.
    static let patience = TimeAmount.seconds(5)
    /// Bytes that wait for a request; then the line keeps what comes.
    private static let waitingBytes = 1 << 20

    private struct State {
        var line: SocketLine?
        var receiver: SockJSReceiver?
        var waiting: [SockJSMessage] = []
        var waitingBytes = 0
        var isOpened = false
        var closing: (code: Int, reason: String)?
        var timeout: Scheduled<Void>?
        var stopBeats: (@Sendable () -> Void)?
        var isOver = false

        /// Sends what is due, as far as a request waits for it.
        mutating func deliver() {
            while var receiver, !receiver.isOver {
                if !isOpened {
                    isOpened = true
                    receiver.send(.open)
                } else if !waiting.isEmpty {
                    receiver.send(.messages(waiting))
                    waiting = []
                    waitingBytes = 0
                } else if let closing {
                    receiver.send(SockJSSession.close(closing.code, closing.reason))
                    receiver.end()
                } else {
                    self.receiver = receiver
                    return
                }
                self.receiver = receiver
            }
            receiver = nil
        }
    }

    let eventLoop: any EventLoop
    let peer: String
    private let state = Mutex(State())
    private let over: @Sendable () -> Void

    /// A session whose client is at `peer`; `over` is called when it ends.
    init(_ eventLoop: any EventLoop, peer: String, over: @escaping @Sendable () -> Void) {
        self.eventLoop = eventLoop
        self.peer = peer
        self.over = over
    }

    /// Begins, with what passes on its messages and what ends its heartbeats.
    func begin(_ line: SocketLine, stopBeats: @escaping @Sendable () -> Void) {
        state.withLock { state in
            state.line = line
            state.stopBeats = stopBeats
        }
    }

    private static func close(_ code: Int, _ reason: String) -> SockJSFrame {
        .close(code: code, reason: SockJSMessage(text: Array(reason.utf8), range: 0..<0))
    }

    // MARK: From the client

    /// A request waits for what the server sends.
    func attach(_ receiver: SockJSReceiver) {
        eventLoop.execute { [self] in
            let line = state.withLock { state -> SocketLine? in
                var receiver = receiver
                guard state.receiver == nil else {
                    receiver.send(Self.close(2_010, "Another connection still open"))
                    receiver.end()
                    return nil
                }
                guard !state.isOver else {
                    receiver.send(Self.close(3_000, "Go away!"))
                    receiver.end()
                    return nil
                }
                state.timeout?.cancel()
                state.timeout = nil
                state.receiver = receiver
                state.deliver()
                return state.line
            }
            line?.flush()
            expire()
        }
    }

    /// The answer to a request was sent, or its client is gone.
    func detach(_ stream: ServedStream) {
        eventLoop.execute { [self] in
            state.withLock { if $0.receiver?.stream == stream { $0.receiver = nil } }
            expire()
        }
    }

    /// Passes on messages; false where the session takes no more.
    func receive(_ messages: [SockJSMessage]) -> Bool {
        let line = state.withLock { $0.closing == nil && !$0.isOver ? $0.line : nil }
        guard let line else { return false }
        for message in messages { line.receive(message.text) }
        return true
    }

    /// Shows the client that the session is alive.
    func beat() {
        state.withLock { state in
            guard state.isOpened else { return }
            state.receiver?.send(.heartbeat)
            state.deliver()
        }
        expire()
    }

    /// Ends the session after a while in which no request waits.
    private func expire() {
        state.withLock { state in
            guard state.receiver == nil, state.timeout == nil, !state.isOver else { return }
            state.timeout = eventLoop.scheduleTask(in: Self.patience) { [self] in leave() }
        }
    }

    private func leave() {
        let (line, stopBeats) = state.withLock { state -> (SocketLine?, (@Sendable () -> Void)?) in
            guard state.receiver == nil, !state.isOver else { return (nil, nil) }
            state.isOver = true
            defer {
                state.line = nil
                state.stopBeats = nil
                state.waiting = []
            }
            return (state.line, state.stopBeats)
        }
        stopBeats?()
        line?.leave()
        over()
    }

    // MARK: To the client

    var isWritable: Bool { state.withLock { $0.waitingBytes < Self.waitingBytes } }

    func write(_ message: [UInt8]) {
        state.withLock { state in
            state.waiting.append(SockJSMessage(text: message, range: 0..<0))
            state.waitingBytes += message.count
        }
    }

    func flush() {
        state.withLock { $0.deliver() }
        expire()
    }

    /// Nothing is held back: each request is read whole.
    func read() {}

    func finish(_ code: UInt16, isAnswer: Bool) {}

    func end(_ code: UInt16, _ reason: String) {
        state.withLock { state in
            state.closing = state.closing ?? (Int(code), reason)
            state.deliver()
        }
        expire()
    }
}
