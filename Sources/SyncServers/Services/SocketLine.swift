internal import NIOCore
internal import Simperium
internal import Synchronization

/// What is on its way from and to one client of the Simperium server, from any thread.
///
/// Both ways are bounded: a client that sends faster than its messages are processed is not read
/// from, one that does not read its answers gets no more of them, and one that does not read the
/// changes of others is disconnected.
final class SocketLine: Sendable {
    /// The maximum number of messages that wait to be processed; then the client is not read from.
    static let inbox = 64
    /// The maximum of their bytes.
    static let inboxBytes = 1 << 20
    /// Bytes that wait for the client, after which its messages are not answered.
    static let eager = 1 << 20
    /// The maximum number of bytes that wait for the client; then it is disconnected.
    static let outbox = 64 << 20

    /// How long a client may take to read why it is cut off.
    static let patience = TimeAmount.seconds(5)

    /// What is shared between the threads.
    private struct State {
        var inbox = CircularBuffer<[UInt8]>(initialCapacity: 0)
        var inboxBytes = 0
        /// Whether the line is on the service's list.
        var isListed = false
        var outbox = CircularBuffer<SimperiumServer.Reply>(initialCapacity: 0)
        var outboxBytes = 0
        var isFlushing = false
        var ending: (code: UInt16, reason: String)?

        var isFull: Bool { inbox.count >= SocketLine.inbox || inboxBytes >= SocketLine.inboxBytes }
        var hasWork: Bool { !inbox.isEmpty && outboxBytes < SocketLine.eager }
    }

    /// Number of the connection.
    let number: Int
    /// Where the client connected.
    let endpoint: SimperiumEndpoint
    /// Address of the client, as text.
    var peer: String { outlet.peer }
    private let outlet: any SocketOutlet
    private let state = Mutex(State())
    /// Puts the line on the service's list.
    private let list: @Sendable (SocketLine) -> Void

    /// Called when the client is gone.
    private let left: @Sendable (SocketLine) -> Void

    /// The way through `outlet`.
    init(
        _ number: Int, _ endpoint: SimperiumEndpoint, _ outlet: any SocketOutlet,
        left: @escaping @Sendable (SocketLine) -> Void,
        list: @escaping @Sendable (SocketLine) -> Void
    ) {
        self.number = number
        self.endpoint = endpoint
        self.outlet = outlet
        self.left = left
        self.list = list
    }

    // MARK: From the client

    /// A message came; on the event loop.
    func receive(_ message: [UInt8]) {
        let isNew = state.withLock { state in
            guard state.ending == nil else { return false }
            state.inbox.append(message)
            state.inboxBytes += message.count
            guard !state.isListed, state.hasWork else { return false }
            state.isListed = true
            return true
        }
        if isNew { list(self) }
    }

    /// Whether the client may be read from.
    var mayRead: Bool { state.withLock { !$0.isFull || $0.ending != nil } }

    /// The next message to process; nil where there is none, and the line is then removed from the
    /// list.
    func take() -> [UInt8]? {
        let (message, goesOn) = state.withLock { state -> ([UInt8]?, Bool) in
            guard state.hasWork, state.ending == nil else {
                state.isListed = false
                return (nil, false)
            }
            let wasFull = state.isFull
            let message = state.inbox.removeFirst()
            state.inboxBytes -= message.count
            return (message, wasFull && !state.isFull)
        }
        if goesOn {
            outlet.eventLoop.execute { [outlet] in outlet.read() }
        }
        return message
    }

    // MARK: To the client

    /// Queues a message; the order of calls is that of the messages.
    func send(_ reply: SimperiumServer.Reply) {
        let (starts, isTooSlow) = state.withLock { state -> (Bool, Bool) in
            guard state.ending == nil else { return (false, false) }
            state.outbox.append(reply)
            state.outboxBytes += reply.body.count
            if state.outboxBytes > Self.outbox { return (false, true) }
            defer { state.isFlushing = true }
            return (!state.isFlushing, false)
        }
        if isTooSlow {
            // RFC 6455, 7.4.1: 1008, a policy is violated.
            end(1008, "Too slow: \(Self.outbox >> 20) MiB wait to be read")
        } else if starts {
            outlet.eventLoop.execute { self.flush() }
        }
    }

    /// Writes as much as the client takes; on the event loop.
    func flush() {
        var written = 0
        while outlet.isWritable, let reply = next() {
            written += reply.body.count
            outlet.write(reply.bytes)
            // Bytes that wait to be encrypted do not count before they are flushed.
            if written >= 1 << 16 {
                outlet.flush()
                written = 0
            }
        }
        outlet.flush()
        let isNew = state.withLock { state in
            guard !state.isListed, state.hasWork, state.ending == nil else { return false }
            state.isListed = true
            return true
        }
        if isNew { list(self) }
    }

    private func next() -> SimperiumServer.Reply? {
        state.withLock { state in
            guard let reply = state.outbox.popFirst() else {
                state.isFlushing = false
                return nil
            }
            state.outboxBytes -= reply.body.count
            return reply
        }
    }

    /// The client closes, or answers our closing; on the event loop.
    func finish(_ code: UInt16) {
        let isAnswer = state.withLock { state in
            defer { if state.ending == nil { state.ending = (code, "") } }
            return state.ending != nil
        }
        outlet.finish(code, isAnswer: isAnswer)
    }

    /// The client is gone.
    func leave() { left(self) }

    /// Closes the socket with a code of RFC 6455, 7.4, from any thread; what waits is dropped.
    func end(_ code: UInt16, _ reason: String) {
        let isFirst = state.withLock { state in
            guard state.ending == nil else { return false }
            state.ending = (code, reason)
            state.inbox.removeAll()
            state.inboxBytes = 0
            state.outbox.removeAll()
            state.outboxBytes = 0
            return true
        }
        guard isFirst else { return }
        outlet.eventLoop.execute { [outlet] in outlet.end(code, reason) }
    }
}
